/* call: a call of the program, from the wrapper to the result. */
#ifndef FTC_CALL_CALL_H
#define FTC_CALL_CALL_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

enum ftc_call_kind {
    FTC_CALL_NONE = 0,
#define FTC_CALL(kind, name, class, need, setting, collective) FTC_CALL_##kind,
#include "calls.def"
#undef FTC_CALL
    FTC_CALL_COUNT
};

enum ftc_call_class {
    FTC_CLASS_NONE = 0,
    FTC_CLASS_PROTECTED,
    FTC_CLASS_NONBLOCKING,
    FTC_CLASS_PERSISTENT,
    FTC_CLASS_OWN,
    FTC_CLASS_MESSAGE,
    FTC_CLASS_LOOK,
    FTC_CLASS_WAIT,
    FTC_CLASS_COMMUNICATOR,
    FTC_CLASS_COLLECTIVE,
    FTC_CLASS_OTHER,
};

struct ftc_call {
    enum ftc_call_kind kind;
    const void *sendbuf;
    void *recvbuf; /* also the buffer of a broadcast */
    MPI_Count count;
    MPI_Datatype datatype;
    MPI_Op op;
    int root; /* of a reduce or broadcast, in @comm */
    MPI_Comm comm;
    const void *return_address; /* in the program */
    int result;                 /* MPI error code, if the call was carried out here */
};

/* "MPI_Allreduce" */
const char *ftc_call_name(enum ftc_call_kind kind);

enum ftc_call_class ftc_call_class(enum ftc_call_kind kind);

/* Whether it waits for all the ranks that it names. */
bool ftc_call_needs_all(enum ftc_call_kind kind);

/* @number as somebody else has written it; FTC_CALL_NONE if there is no such kind. */
enum ftc_call_kind ftc_call_kind(uint32_t number);

bool ftc_call_is_nonblocking(enum ftc_call_kind kind);

/* Point-to-point, or for requests. */
bool ftc_call_is_message(enum ftc_call_kind kind);

/* Called by all ranks of a communicator, and not the library's own. */
bool ftc_call_is_collective(enum ftc_call_kind kind);

/* It is counted by who carries it out, the library or native MPI, and why. */
bool ftc_call_is_counted(enum ftc_call_kind kind);

static inline bool ftc_call_is_reduce(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_REDUCE || kind == FTC_CALL_IREDUCE;
}

static inline bool ftc_call_is_allreduce(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_ALLREDUCE || kind == FTC_CALL_IALLREDUCE;
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

#endif
