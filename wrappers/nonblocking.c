/* Nonblocking and persistent reductions, barriers and broadcasts. */
#include "nonblocking.h"

#include "collectives/nonblocking.h"
#include "collectives/persistent.h"
#include "entries.h"
#include "reduction.h"

/* int MPI_Name(parameters) */
#define IREDUCE(name, count_type)                                                                  \
    int MPI_##name(const void *sendbuf, void *recvbuf, count_type count, MPI_Datatype datatype,    \
                   MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)                       \
    {                                                                                              \
        struct ftc_call call = reduction(FTC_CALL_IREDUCE, sendbuf, recvbuf, count, datatype, op,  \
                                         root, comm, __builtin_return_address(0));                 \
                                                                                                   \
        if (ftc_carry_out_nonblocking(&call, request))                                             \
            return ftc_wrapper_started(&call, request);                                            \
        return PMPI_##name(sendbuf, recvbuf, count, datatype, op, root, comm, request);            \
    }

#define IALLREDUCE(name, count_type)                                                               \
    int MPI_##name(const void *sendbuf, void *recvbuf, count_type count, MPI_Datatype datatype,    \
                   MPI_Op op, MPI_Comm comm, MPI_Request *request)                                 \
    {                                                                                              \
        struct ftc_call call = reduction(FTC_CALL_IALLREDUCE, sendbuf, recvbuf, count, datatype,   \
                                         op, 0, comm, __builtin_return_address(0));                \
                                                                                                   \
        if (ftc_carry_out_nonblocking(&call, request))                                             \
            return ftc_wrapper_started(&call, request);                                            \
        return PMPI_##name(sendbuf, recvbuf, count, datatype, op, comm, request);                  \
    }

#define REDUCE_INIT(name, count_type)                                                              \
    int MPI_##name(const void *sendbuf, void *recvbuf, count_type count, MPI_Datatype datatype,    \
                   MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)        \
    {                                                                                              \
        struct ftc_call call = reduction(FTC_CALL_REDUCE_INIT, sendbuf, recvbuf, count, datatype,  \
                                         op, root, comm, __builtin_return_address(0));             \
                                                                                                   \
        if (ftc_carry_out_persistent(&call, request))                                              \
            return call.result;                                                                    \
        return PMPI_##name(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);      \
    }

#define ALLREDUCE_INIT(name, count_type)                                                           \
    int MPI_##name(const void *sendbuf, void *recvbuf, count_type count, MPI_Datatype datatype,    \
                   MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)                  \
    {                                                                                              \
        struct ftc_call call = reduction(FTC_CALL_ALLREDUCE_INIT, sendbuf, recvbuf, count,         \
                                         datatype, op, 0, comm, __builtin_return_address(0));      \
                                                                                                   \
        if (ftc_carry_out_persistent(&call, request))                                              \
            return call.result;                                                                    \
        return PMPI_##name(sendbuf, recvbuf, count, datatype, op, comm, info, request);            \
    }

IREDUCE(Ireduce, int)
IREDUCE(Ireduce_c, MPI_Count)
IALLREDUCE(Iallreduce, int)
IALLREDUCE(Iallreduce_c, MPI_Count)
REDUCE_INIT(Reduce_init, int)
REDUCE_INIT(Reduce_init_c, MPI_Count)
ALLREDUCE_INIT(Allreduce_init, int)
ALLREDUCE_INIT(Allreduce_init_c, MPI_Count)

#define IBCAST(name, count_type)                                                                   \
    int MPI_##name(void *buffer, count_type count, MPI_Datatype datatype, int root, MPI_Comm comm, \
                   MPI_Request *request)                                                           \
    {                                                                                              \
        struct ftc_call call = broadcast(FTC_CALL_IBCAST, buffer, count, datatype, root, comm,     \
                                         __builtin_return_address(0));                             \
                                                                                                   \
        if (ftc_carry_out_nonblocking(&call, request))                                             \
            return ftc_wrapper_started(&call, request);                                            \
        return PMPI_##name(buffer, count, datatype, root, comm, request);                          \
    }

#define BCAST_INIT(name, count_type)                                                               \
    int MPI_##name(void *buffer, count_type count, MPI_Datatype datatype, int root, MPI_Comm comm, \
                   MPI_Info info, MPI_Request *request)                                            \
    {                                                                                              \
        struct ftc_call call = broadcast(FTC_CALL_BCAST_INIT, buffer, count, datatype, root, comm, \
                                         __builtin_return_address(0));                             \
                                                                                                   \
        if (ftc_carry_out_persistent(&call, request))                                              \
            return call.result;                                                                    \
        return PMPI_##name(buffer, count, datatype, root, comm, info, request);                    \
    }

IBCAST(Ibcast, int)
IBCAST(Ibcast_c, MPI_Count)
BCAST_INIT(Bcast_init, int)
BCAST_INIT(Bcast_init_c, MPI_Count)

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    struct ftc_call call = {
        .kind = FTC_CALL_IBARRIER,
        .comm = comm,
        .return_address = __builtin_return_address(0),
    };

    if (ftc_carry_out_nonblocking(&call, request))
        return ftc_wrapper_started(&call, request);
    return PMPI_Ibarrier(comm, request);
}

int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    struct ftc_call call = {
        .kind = FTC_CALL_BARRIER_INIT,
        .comm = comm,
        .return_address = __builtin_return_address(0),
    };

    if (ftc_carry_out_persistent(&call, request))
        return call.result;
    return PMPI_Barrier_init(comm, info, request);
}
