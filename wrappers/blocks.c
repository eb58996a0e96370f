/* Calls whose values are put together from the blocks of all ranks. */
#include "call/call.h"
#include "collectives/carry_out.h"
#include "collectives/nonblocking.h"
#include "collectives/persistent.h"
#include "entries.h"
#include "nonblocking.h"
#include "program/native_call.h"

/* What messages say of a call: the block that this rank gives, or gets from the root. */
static struct ftc_call moving(enum ftc_call_kind kind, const struct ftc_sides *sides, int root,
                              MPI_Comm comm, const void *return_address)
{
    enum ftc_call_kind plain = ftc_call_plain(kind);
    bool is_scatter = plain == FTC_CALL_SCATTER || plain == FTC_CALL_SCATTERV;
    const struct ftc_side *block = is_scatter ? &sides->receive : &sides->send;
    struct ftc_call call = {
        .kind = kind,
        .datatype = MPI_DATATYPE_NULL,
        .root = root,
        .comm = comm,
        .sides = sides,
        .return_address = return_address,
    };

    if (block->buffer == MPI_IN_PLACE)
        block = is_scatter ? &sides->send : &sides->receive;
    if (!block->counts) {
        call.count = block->count;
        call.datatype = block->datatype;
    }
    return call;
}

static struct ftc_call combining(enum ftc_call_kind kind, const struct ftc_sides *sides,
                                 const void *sendbuf, void *recvbuf, MPI_Op op, MPI_Comm comm,
                                 const void *return_address)
{
    return (struct ftc_call){
        .kind = kind,
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .count = sides->receive.counts ? 0 : sides->receive.count,
        .datatype = sides->receive.datatype,
        .op = op,
        .comm = comm,
        .sides = sides,
        .return_address = return_address,
    };
}

#define ONE(data, number, type)                                                                    \
    {                                                                                              \
        .buffer = (void *)(data), .count = (number), .datatype = (type)                            \
    }
#define MANY(data, numbers, places, type)                                                          \
    {                                                                                              \
        .buffer = (void *)(data), .datatype = (type), .counts = (numbers),                         \
        .displacements = (places), .counts_are_wide = IS_WIDE, .displacements_are_wide = IS_WIDE   \
    }
#define EACH(data, numbers, places, types)                                                         \
    {                                                                                              \
        .buffer = (void *)(data), .datatype = MPI_DATATYPE_NULL, .counts = (numbers),              \
        .displacements = (places), .datatypes = (types), .counts_are_wide = IS_WIDE,               \
        .displacements_are_wide = IS_WIDE                                                          \
    }

#define AT(data, numbers, places, types)                                                           \
    {                                                                                              \
        .buffer = (void *)(data), .datatype = MPI_DATATYPE_NULL, .counts = (numbers),              \
        .displacements = (places), .datatypes = (types), .counts_are_wide = IS_WIDE,               \
        .displacements_are_wide = true                                                             \
    }

#define LIST(...) __VA_ARGS__

/* int MPI_Name(parameters): as @call says, or natively. */
#define CARRY_OUT(name, parameters, arguments, a_call)                                             \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        struct ftc_call call = a_call;                                                             \
                                                                                                   \
        if (ftc_carry_out(&call))                                                                  \
            return call.result;                                                                    \
        return FTC_NATIVE_CALL(call.kind, comm, FTC_ALL_MEMBERS, call.return_address,              \
                               PMPI_##name arguments);                                             \
    }
#define START(name, parameters, arguments, a_call)                                                 \
    int MPI_##name(LIST parameters, MPI_Request *request)                                          \
    {                                                                                              \
        struct ftc_call call = a_call;                                                             \
                                                                                                   \
        if (ftc_carry_out_nonblocking(&call, request))                                             \
            return ftc_wrapper_started(&call, request);                                            \
        return PMPI_##name(LIST arguments, request);                                               \
    }

#define INIT(name, parameters, arguments, a_call)                                                  \
    int MPI_##name(LIST parameters, MPI_Info info, MPI_Request *request)                           \
    {                                                                                              \
        struct ftc_call call = a_call;                                                             \
                                                                                                   \
        if (ftc_carry_out_persistent(&call, request))                                              \
            return call.result;                                                                    \
        return PMPI_##name(LIST arguments, info, request);                                         \
    }

#define MOVING(kind, a_send, a_receive, a_root)                                                    \
    moving(FTC_CALL_##kind, &(struct ftc_sides){.send = a_send, .receive = a_receive}, a_root,     \
           comm, __builtin_return_address(0))
#define COMBINING(kind, counts)                                                                    \
    combining(FTC_CALL_##kind, &(struct ftc_sides){.receive = counts}, sendbuf, recvbuf, op, comm, \
              __builtin_return_address(0))

#define COUNT        int
#define DISPLACEMENT int
#define IS_WIDE      false
#define BLOCKS(kind, name, Iname, parameters, arguments, send, receive, root)                      \
    CARRY_OUT(name, parameters, arguments, MOVING(kind, LIST(send), LIST(receive), root))          \
    START(Iname, parameters, arguments, MOVING(I##kind, LIST(send), LIST(receive), root))          \
    INIT(name##_init, parameters, arguments, MOVING(kind##_INIT, LIST(send), LIST(receive), root))
#define COMBINES(kind, name, Iname, parameters, arguments, counts)                                 \
    CARRY_OUT(name, parameters, arguments, COMBINING(kind, LIST(counts)))                          \
    START(Iname, parameters, arguments, COMBINING(I##kind, LIST(counts)))                          \
    INIT(name##_init, parameters, arguments, COMBINING(kind##_INIT, LIST(counts)))
#include "blocks.def"
#undef COUNT
#undef DISPLACEMENT
#undef IS_WIDE
#undef BLOCKS
#undef COMBINES

#define COUNT        MPI_Count
#define DISPLACEMENT MPI_Aint
#define IS_WIDE      true
#define BLOCKS(kind, name, Iname, parameters, arguments, send, receive, root)                      \
    CARRY_OUT(name##_c, parameters, arguments, MOVING(kind, LIST(send), LIST(receive), root))      \
    START(Iname##_c, parameters, arguments, MOVING(I##kind, LIST(send), LIST(receive), root))      \
    INIT(name##_init_c, parameters, arguments, MOVING(kind##_INIT, LIST(send), LIST(receive), root))
#define COMBINES(kind, name, Iname, parameters, arguments, counts)                                 \
    CARRY_OUT(name##_c, parameters, arguments, COMBINING(kind, LIST(counts)))                      \
    START(Iname##_c, parameters, arguments, COMBINING(I##kind, LIST(counts)))                      \
    INIT(name##_init_c, parameters, arguments, COMBINING(kind##_INIT, LIST(counts)))
#include "blocks.def"
