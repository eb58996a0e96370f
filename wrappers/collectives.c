/* The collective calls that the library stands before. A wrapper says only how it differs from
 * native. */
#include "call/call.h"
#include "collectives/carry_out.h"
#include "entries.h"
#include "program/native_call.h"
#include "reduction.h"

/* @call as native MPI carries it out. */
#define NATIVE(pmpi_call)                                                                          \
    FTC_NATIVE_CALL(call.kind, call.comm, FTC_ALL_MEMBERS, call.return_address, pmpi_call)

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm)
{
    struct ftc_call call = reduction(FTC_CALL_REDUCE, sendbuf, recvbuf, count, datatype, op, root,
                                     comm, __builtin_return_address(0));

    if (ftc_carry_out(&call))
        return call.result;
    return NATIVE(PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm));
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    struct ftc_call call = reduction(FTC_CALL_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0,
                                     comm, __builtin_return_address(0));

    if (ftc_carry_out(&call))
        return call.result;
    return NATIVE(PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm));
}

int MPI_Barrier(MPI_Comm comm)
{
    struct ftc_call call = {
        .kind = FTC_CALL_BARRIER,
        .comm = comm,
        .return_address = __builtin_return_address(0),
    };

    if (ftc_carry_out(&call))
        return call.result;
    return NATIVE(PMPI_Barrier(comm));
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct ftc_call call =
        broadcast(FTC_CALL_BCAST, buffer, count, datatype, root, comm, __builtin_return_address(0));

    if (ftc_carry_out(&call))
        return call.result;
    return NATIVE(PMPI_Bcast(buffer, count, datatype, root, comm));
}

/* The large-count calls of MPI 4.0 */

int MPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm)
{
    struct ftc_call call = reduction(FTC_CALL_REDUCE, sendbuf, recvbuf, count, datatype, op, root,
                                     comm, __builtin_return_address(0));

    if (ftc_carry_out(&call))
        return call.result;
    return NATIVE(PMPI_Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm));
}

int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm)
{
    struct ftc_call call = reduction(FTC_CALL_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0,
                                     comm, __builtin_return_address(0));

    if (ftc_carry_out(&call))
        return call.result;
    return NATIVE(PMPI_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm));
}

int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct ftc_call call =
        broadcast(FTC_CALL_BCAST, buffer, count, datatype, root, comm, __builtin_return_address(0));

    if (ftc_carry_out(&call))
        return call.result;
    return NATIVE(PMPI_Bcast_c(buffer, count, datatype, root, comm));
}
