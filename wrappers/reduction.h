/* reduction: the records of calls that reduce or broadcast. */
#ifndef FTC_REDUCTION_H
#define FTC_REDUCTION_H

#include "call/call.h"

/* One description for the plain call and the large-count one. An allreduce has root 0. */
static inline struct ftc_call reduction(enum ftc_call_kind kind, const void *sendbuf, void *recvbuf,
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

static inline struct ftc_call broadcast(enum ftc_call_kind kind, void *buffer, MPI_Count count,
                                        MPI_Datatype datatype, int root, MPI_Comm comm,
                                        const void *return_address)
{
    return (struct ftc_call){
        .kind = kind,
        .recvbuf = buffer,
        .count = count,
        .datatype = datatype,
        .root = root,
        .comm = comm,
        .return_address = return_address,
    };
}

#endif
