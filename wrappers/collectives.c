/* The collective calls that the library stands before. A wrapper says only how it differs from
 * native. */
#include "../shim/call.h"
#include "../shim/native.h"

/* @call as native MPI carries it out. */
#define NATIVE(pmpi_call)                                                                          \
    FTC_NATIVE_CALL(call.kind, call.comm, FTC_ALL_MEMBERS, call.return_address, pmpi_call)

/* One description for the plain call and the large-count one. An allreduce has root 0. */
static struct ftc_call reduction(enum ftc_call_kind kind, const void *sendbuf, void *recvbuf,
                                 MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                                 MPI_Comm comm, const void *return_address)
{
    return (struct ftc_call){
        .kind = kind,
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .count = count,
        .datatype = datatype,
        .op = op,
        .root = root,
        .comm = comm,
        .return_address = return_address,
    };
}

static struct ftc_call broadcast(void *buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm, const void *return_address)
{
    return (struct ftc_call){
        .kind = FTC_CALL_BCAST,
        .recvbuf = buffer,
        .count = count,
        .datatype = datatype,
        .root = root,
        .comm = comm,
        .return_address = return_address,
    };
}

int MPI_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               int root, MPI_Comm comm)
{
    struct ftc_call call = reduction(FTC_CALL_REDUCE, sendbuf, recvbuf, count, datatype, op, root,
                                     comm, __builtin_return_address(0));

    if (ftc_handle(&call))
        return call.result;
    return NATIVE(PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm));
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    struct ftc_call call = reduction(FTC_CALL_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0,
                                     comm, __builtin_return_address(0));

    if (ftc_handle(&call))
        return call.result;
    return NATIVE(PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm));
}

int MPI_Barrier(MPI_Comm comm)
{
    struct ftc_call call = {
        .kind = FTC_CALL_BARRIER,
        .count = 1, /* a barrier is never nothing to do */
        .comm = comm,
        .return_address = __builtin_return_address(0),
    };

    if (ftc_handle(&call))
        return call.result;
    return NATIVE(PMPI_Barrier(comm));
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct ftc_call call =
        broadcast(buffer, count, datatype, root, comm, __builtin_return_address(0));

    if (ftc_handle(&call))
        return call.result;
    return NATIVE(PMPI_Bcast(buffer, count, datatype, root, comm));
}

/* The large-count calls of MPI 4.0 */

int MPI_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, int root, MPI_Comm comm)
{
    struct ftc_call call = reduction(FTC_CALL_REDUCE, sendbuf, recvbuf, count, datatype, op, root,
                                     comm, __builtin_return_address(0));

    if (ftc_handle(&call))
        return call.result;
    return NATIVE(PMPI_Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm));
}

int MPI_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                    MPI_Op op, MPI_Comm comm)
{
    struct ftc_call call = reduction(FTC_CALL_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, 0,
                                     comm, __builtin_return_address(0));

    if (ftc_handle(&call))
        return call.result;
    return NATIVE(PMPI_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm));
}

int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    struct ftc_call call =
        broadcast(buffer, count, datatype, root, comm, __builtin_return_address(0));

    if (ftc_handle(&call))
        return call.result;
    return NATIVE(PMPI_Bcast_c(buffer, count, datatype, root, comm));
}

/* Not protected, and named in the report. */

int MPI_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm, MPI_Request *request)
{
    ftc_count_native(FTC_CALL_IREDUCE, __builtin_return_address(0));
    return PMPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request);
}

int MPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    ftc_count_native(FTC_CALL_IALLREDUCE, __builtin_return_address(0));
    return PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request);
}

int MPI_Reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    ftc_count_native(FTC_CALL_REDUCE_INIT, __builtin_return_address(0));
    return PMPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
}

int MPI_Allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    ftc_count_native(FTC_CALL_ALLREDUCE_INIT, __builtin_return_address(0));
    return PMPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request);
}

/* The one collective call of mpi_f08 that does not go through the C symbol. Its communicator is a
 * derived type with one integer; an absent ierror is null. */
void mpi_barrier_f08_(const MPI_Fint *comm, MPI_Fint *ierror);

void mpi_barrier_f08_(const MPI_Fint *comm, MPI_Fint *ierror)
{
    int rv = MPI_Barrier(PMPI_Comm_f2c(*comm));

    if (ierror)
        *ierror = rv;
}
