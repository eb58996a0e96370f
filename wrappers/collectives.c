/* Wrappers of collective calls, in all their forms. A wrapper states only its difference from
 * native MPI. */
#include "call/call.h"
#include "collectives/carry_out.h"
#include "collectives/persistent.h"
#include "entries.h"
#include "p2p/p2p.h"
#include "p2p/partitioned.h"
#include "program/native_call.h"

/* Returns the code of a nonblocking call that is carried out here, and notes its request. Calls
 * that complete requests thereby distinguish it from requests of messages. */
static int started(const struct ftc_call *call, const MPI_Request *request)
{
    if (call->result == MPI_SUCCESS)
        ftc_p2p_note_protected(*request, call->comm);
    return call->result;
}

/* Returns the code @rv of native MPI, and notes the persistent request that it has made. */
static int natively_made(const MPI_Request *request, int rv)
{
    return ftc_p2p_on() ? ftc_partitioned_note_collective(request, rv) : rv;
}

/* Returns the record of a call that moves blocks. Its count and datatype are for the note of the
 * call (struct ftc_note), by which messages to users name it. They are those of the block that this
 * rank gives, or that it gets from the root; 0 and MPI_DATATYPE_NULL if blocks have counts of their
 * own. */
static struct ftc_call moving(enum ftc_call_kind kind, const struct ftc_layouts *layouts, int root,
                              MPI_Comm comm, const void *return_address)
{
    bool is_scatter = ftc_call_comes_from_root(kind);
    const struct ftc_layout *block = is_scatter ? &layouts->receive : &layouts->send;
    struct ftc_call call = {
        .kind = kind,
        .datatype = MPI_DATATYPE_NULL,
        .root = root,
        .comm = comm,
        .layouts = layouts,
        .return_address = return_address,
    };

    if (block->buffer == MPI_IN_PLACE)
        block = is_scatter ? &layouts->send : &layouts->receive;
    if (!block->counts) {
        call.count = block->count;
        call.datatype = block->datatype;
    }
    return call;
}

static struct ftc_call combining(enum ftc_call_kind kind, const struct ftc_layouts *layouts,
                                 const void *sendbuf, void *recvbuf, MPI_Op op, MPI_Comm comm,
                                 const void *return_address)
{
    return (struct ftc_call){
        .kind = kind,
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .count = layouts->receive.counts ? 0 : layouts->receive.count,
        .datatype = layouts->receive.datatype,
        .op = op,
        .comm = comm,
        .layouts = layouts,
        .return_address = return_address,
    };
}

#define ONE(data, number, type)                                                                    \
    ((struct ftc_layout){.buffer = (void *)(data), .count = (number), .datatype = (type)})
#define MANY(data, numbers, places, type)                                                          \
    ((struct ftc_layout){.buffer = (void *)(data),                                                 \
                         .datatype = (type),                                                       \
                         .counts = (numbers),                                                      \
                         .displacements = (places),                                                \
                         .counts_are_wide = IS_WIDE,                                               \
                         .displacements_are_wide = IS_WIDE})
#define SIDE(data, numbers, places, types, are_wide)                                               \
    ((struct ftc_layout){.buffer = (void *)(data),                                                 \
                         .datatype = MPI_DATATYPE_NULL,                                            \
                         .counts = (numbers),                                                      \
                         .displacements = (places),                                                \
                         .datatypes = (types),                                                     \
                         .counts_are_wide = IS_WIDE,                                               \
                         .displacements_are_wide = (are_wide)})
#define EACH(data, numbers, places, types) SIDE(data, numbers, places, types, IS_WIDE)
#define AT(data, numbers, places, types)   SIDE(data, numbers, places, types, true)

#define LIST(...) __VA_ARGS__

/* Defines int MPI_Name(parameters), which carries out @a_call or calls native MPI. @c is _c for
 * large counts, else empty. */
#define CARRY_OUT(name, c, parameters, arguments, a_call)                                          \
    int MPI_##name##c parameters                                                                   \
    {                                                                                              \
        struct ftc_call call = a_call;                                                             \
                                                                                                   \
        if (ftc_carry_out(&call))                                                                  \
            return call.result;                                                                    \
        return FTC_NATIVE_CALL(call.kind, comm, FTC_ALL_MEMBERS, call.return_address,              \
                               PMPI_##name##c arguments);                                          \
    }
#define START(name, c, parameters, arguments, a_call)                                              \
    int MPI_##name##c(LIST parameters, MPI_Request *request)                                       \
    {                                                                                              \
        struct ftc_call call = a_call;                                                             \
                                                                                                   \
        if (ftc_carry_out_nonblocking(&call, request))                                             \
            return started(&call, request);                                                        \
        return PMPI_##name##c(LIST arguments, request);                                            \
    }
#define INIT(name, c, parameters, arguments, a_call)                                               \
    int MPI_##name##c(LIST parameters, MPI_Info info, MPI_Request *request)                        \
    {                                                                                              \
        struct ftc_call call = a_call;                                                             \
                                                                                                   \
        if (ftc_carry_out_persistent(&call, request))                                              \
            return call.result;                                                                    \
        return natively_made(request, PMPI_##name##c(LIST arguments, info, request));              \
    }

/* Defines the blocking, nonblocking and persistent forms. @make(kind, ...) is the record of a
 * call. */
#define FORMS(c, kind, name, Iname, parameters, arguments, make, ...)                              \
    CARRY_OUT(name, c, parameters, arguments, make(kind, __VA_ARGS__))                             \
    START(Iname, c, parameters, arguments, make(I##kind, __VA_ARGS__))                             \
    INIT(name##_init, c, parameters, arguments, make(kind##_INIT, __VA_ARGS__))

/* Record of a call without data. @... are further members. */
#define CALL(of_kind, ...)                                                                         \
    {                                                                                              \
        .kind = FTC_CALL_##of_kind, .comm = comm, .return_address = __builtin_return_address(0),   \
        __VA_ARGS__                                                                                \
    }
#define REDUCING(kind, a_root)                                                                     \
    CALL(kind, .sendbuf = sendbuf, .recvbuf = recvbuf, .count = count, .datatype = datatype,       \
         .op = op, .root = a_root)
#define BROADCASTING(kind, a_root)                                                                 \
    CALL(kind, .recvbuf = buffer, .count = count, .datatype = datatype, .root = a_root)
#define MOVING(kind, a_send, a_receive, a_root)                                                    \
    moving(FTC_CALL_##kind, &(struct ftc_layouts){.send = a_send, .receive = a_receive}, a_root,   \
           comm, __builtin_return_address(0))
#define COMBINING(kind, counts)                                                                    \
    combining(FTC_CALL_##kind, &(struct ftc_layouts){.receive = counts}, sendbuf, recvbuf, op,     \
              comm, __builtin_return_address(0))

#define REDUCES(kind, name, Iname, parameters, arguments, root)                                    \
    FORMS(SUFFIX, kind, name, Iname, parameters, arguments, REDUCING, root)
#define BROADCASTS(kind, name, Iname, parameters, arguments, root)                                 \
    FORMS(SUFFIX, kind, name, Iname, parameters, arguments, BROADCASTING, root)
#define BLOCKS(kind, name, Iname, parameters, arguments, send, receive, root)                      \
    FORMS(SUFFIX, kind, name, Iname, parameters, arguments, MOVING, send, receive, root)
#define COMBINES(kind, name, Iname, parameters, arguments, counts)                                 \
    FORMS(SUFFIX, kind, name, Iname, parameters, arguments, COMBINING, counts)

FORMS(, BARRIER, Barrier, Ibarrier, (MPI_Comm comm), (comm), CALL, .count = 0)

#define SUFFIX
#define COUNT        int
#define DISPLACEMENT int
#define IS_WIDE      false
#include "collectives.def"
#undef SUFFIX
#undef COUNT
#undef DISPLACEMENT
#undef IS_WIDE

#define SUFFIX       _c
#define COUNT        MPI_Count
#define DISPLACEMENT MPI_Aint
#define IS_WIDE      true
#include "collectives.def"
