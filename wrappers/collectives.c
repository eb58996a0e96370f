/* The collective calls that the library stands before. A wrapper says only how it differs from
 * native. */
#include "../shim/call.h"

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm)
{
    struct ftc_call call = {
        .kind = FTC_CALL_REDUCE,
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .count = count,
        .datatype = datatype,
        .op = op,
        .root = root,
        .comm = comm,
        .return_address = __builtin_return_address(0),
    };

    if (ftc_handle(&call))
        return call.result;
    return PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    struct ftc_call call = {
        .kind = FTC_CALL_ALLREDUCE,
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .count = count,
        .datatype = datatype,
        .op = op,
        .comm = comm,
        .return_address = __builtin_return_address(0),
    };

    if (ftc_handle(&call))
        return call.result;
    return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}
