/* call: a call of the program, from the wrapper to the result. */
#ifndef FTC_CALL_H
#define FTC_CALL_H

#include <mpi.h>
#include <stdbool.h>

enum ftc_call_kind {
    FTC_CALL_NONE = 0,
    FTC_CALL_REDUCE,
    FTC_CALL_ALLREDUCE,
    FTC_CALL_BARRIER,
    FTC_CALL_BCAST, /* the buffer is recvbuf */
    FTC_CALL_IREDUCE,
    FTC_CALL_IALLREDUCE,
    FTC_CALL_REDUCE_INIT, /* this and the next are only counted */
    FTC_CALL_ALLREDUCE_INIT,
    FTC_CALL_FINALIZE, /* the library's own synchronisation */
#define FTC_NATIVE(kind, name) FTC_CALL_##kind,
#include "calls.def"
#undef FTC_NATIVE
    FTC_CALL_COUNT
};

struct ftc_call {
    enum ftc_call_kind kind;
    const void *sendbuf;
    void *recvbuf;
    MPI_Count count;
    MPI_Datatype datatype;
    MPI_Op op;
    int root; /* of a reduce or broadcast, in @comm */
    MPI_Comm comm;
    const void *return_address; /* in the program */
    int result;                 /* MPI error code, if the call was carried out here */
};

static inline bool ftc_call_is_reduce(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_REDUCE || kind == FTC_CALL_IREDUCE;
}

static inline bool ftc_call_is_allreduce(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_ALLREDUCE || kind == FTC_CALL_IALLREDUCE;
}

static inline bool ftc_call_is_nonblocking(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_IREDUCE || kind == FTC_CALL_IALLREDUCE;
}

static inline bool ftc_call_is_reduction(enum ftc_call_kind kind)
{
    return ftc_call_is_reduce(kind) || ftc_call_is_allreduce(kind);
}

static inline bool ftc_call_has_root(enum ftc_call_kind kind)
{
    return ftc_call_is_reduce(kind) || kind == FTC_CALL_BCAST;
}

/* Whether @rank of its communicator gets the result of a reduction. */
static inline bool ftc_call_gives_result(const struct ftc_call *call, int rank)
{
    return ftc_call_is_allreduce(call->kind) ||
           (ftc_call_is_reduce(call->kind) && call->root == rank);
}

/* "MPI_Allreduce" */
const char *ftc_call_name(enum ftc_call_kind kind);

/* Counts a call that always goes to native MPI. */
void ftc_count_native(enum ftc_call_kind kind, const void *return_address);

/* Carries the call out here if it is to be protected, and leaves its return code in call->result.
 * Returns false if native MPI is to do it. Once it has sent a message it does not return false any
 * more. */
bool ftc_handle(struct ftc_call *call);

/* The same for a nonblocking call, whose @request it makes; call->result is the return code of the
 * call, the operation's own comes with the end of the request. */
bool ftc_handle_nonblocking(struct ftc_call *call, MPI_Request *request);

#endif
