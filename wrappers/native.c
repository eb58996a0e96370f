/* Calls that native MPI carries out, marked on the board while they last. */
#include "../shim/native.h"

/* int MPI_Name(parameters), which needs all members of @comm */
#define NATIVE(kind, name, parameters, arguments, comm)                                            \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        return FTC_NATIVE_CALL(FTC_CALL_##kind, comm, FTC_ALL_MEMBERS,                             \
                               __builtin_return_address(0), PMPI_##name arguments);                \
    }

NATIVE(GATHER, Gather,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, int root, MPI_Comm comm),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm), comm)
NATIVE(ALLGATHER, Allgather,
       (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
        MPI_Datatype recvtype, MPI_Comm comm),
       (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm), comm)
