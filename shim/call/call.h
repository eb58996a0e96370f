/* call: a call of the program, from the wrapper to the result. */
#ifndef FTC_CALL_CALL_H
#define FTC_CALL_CALL_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stddef.h>
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
    FTC_CLASS_FILE,
    FTC_CLASS_FILE_REFUSED,
    FTC_CLASS_FILE_ALONE,
    FTC_CLASS_COLLECTIVE,
    FTC_CLASS_OTHER,
};

/* The layout of the blocks of a call, one a rank (or neighbor): of what is sent, or of what is
 * received. */
struct ftc_layout {
    void *buffer;
    MPI_Count count; /* of one block */
    MPI_Datatype datatype;

    /* Of the v and w forms: an array a block, or NULL. The w forms have displacements in bytes. */
    const void *counts;            /* int, or MPI_Count in large-count forms */
    const void *displacements;     /* int, or MPI_Aint where is_wide */
    const MPI_Datatype *datatypes; /* w */
    bool counts_are_wide, displacements_are_wide;
};

struct ftc_layouts {
    struct ftc_layout send, receive;
};

struct ftc_call {
    enum ftc_call_kind kind;
    const void *sendbuf;
    void *recvbuf; /* also the buffer of a broadcast */
    MPI_Count count;
    MPI_Datatype datatype;
    MPI_Op op;
    int root; /* in @comm, of a call that has one */
    MPI_Comm comm;
    const struct ftc_layouts *layouts; /* of a call that moves blocks */
    MPI_Errhandler errhandler;         /* of a call that names one; else 0 */
    const void *return_address;        /* in the program */
    int result;                        /* MPI error code, if the call was carried out here */
};

/* "MPI_Allreduce" */
const char *ftc_call_name(enum ftc_call_kind kind);

enum ftc_call_class ftc_call_class(enum ftc_call_kind kind);

/* Whether it waits for all the ranks that it names. */
bool ftc_call_needs_all(enum ftc_call_kind kind);

/* @number as somebody else has written it; FTC_CALL_NONE if there is no such kind. */
enum ftc_call_kind ftc_call_kind(uint32_t number);

/* Whether it has a request that is started again and again. */
bool ftc_call_is_persistent(enum ftc_call_kind kind);

/* Point-to-point, or for requests. */
bool ftc_call_is_message(enum ftc_call_kind kind);

/* Called by all ranks of a communicator, and not the library's own. */
bool ftc_call_is_collective(enum ftc_call_kind kind);

/* It is counted by who carries it out, the library or native MPI, and why. */
bool ftc_call_is_counted(enum ftc_call_kind kind);

static inline bool ftc_call_is_reduce(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_REDUCE || kind == FTC_CALL_IREDUCE || kind == FTC_CALL_REDUCE_INIT;
}

static inline bool ftc_call_is_allreduce(enum ftc_call_kind kind)
{
    return kind == FTC_CALL_ALLREDUCE || kind == FTC_CALL_IALLREDUCE ||
           kind == FTC_CALL_ALLREDUCE_INIT;
}

static inline bool ftc_call_is_reduction(enum ftc_call_kind kind)
{
    return ftc_call_is_reduce(kind) || ftc_call_is_allreduce(kind);
}

/* What a rank gives to a reduction or scan. */
static inline const void *ftc_call_input(const struct ftc_call *call)
{
    return call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
}

/* The peer of a call that needs all members of its communicator; and of one that needs some member,
 * and has been told of those that are dead: worth a word only if nobody else goes on either. */
enum { FTC_ALL_MEMBERS = MPI_ANY_SOURCE, FTC_SOME_MEMBER = -100 };

/* What is peculiar to a call. */
enum {
    FTC_TRAIT_ROOT = 1,
    FTC_TRAIT_TO_ROOT = 2,      /* the root alone gets what the others give, in one operation */
    FTC_TRAIT_OPERATION = 4,    /* it combines elements */
    FTC_TRAIT_UNKNOWN_SIZE = 8, /* no rank knows how much the others send */
    FTC_TRAIT_UNEVEN = 16,      /* ranks give blocks of different sizes */
    FTC_TRAIT_NEIGHBORS = 32,   /* to those that the topology of the communicator names */
    FTC_TRAIT_FROM_ROOT = 64,   /* the root has what the others want */
    FTC_TRAIT_REQUEST = 128,    /* nonblocking or persistent */
    FTC_TRAIT_ADDRESSED = 256,  /* a rank gives other data to each rank that takes them */
};
extern const unsigned short ftc_call_traits[FTC_CALL_COUNT];

static inline bool ftc_call_is_nonblocking(enum ftc_call_kind kind)
{
    return (ftc_call_traits[kind] & FTC_TRAIT_REQUEST) != 0;
}

static inline bool ftc_call_has_root(enum ftc_call_kind kind)
{
    return (ftc_call_traits[kind] & FTC_TRAIT_ROOT) != 0;
}

static inline bool ftc_call_goes_to_root(enum ftc_call_kind kind)
{
    return (ftc_call_traits[kind] & FTC_TRAIT_TO_ROOT) != 0;
}

static inline bool ftc_call_comes_from_root(enum ftc_call_kind kind)
{
    return (ftc_call_traits[kind] & FTC_TRAIT_FROM_ROOT) != 0;
}

static inline bool ftc_call_has_operation(enum ftc_call_kind kind)
{
    return (ftc_call_traits[kind] & FTC_TRAIT_OPERATION) != 0;
}

static inline bool ftc_call_is_of_unknown_size(enum ftc_call_kind kind)
{
    return (ftc_call_traits[kind] & FTC_TRAIT_UNKNOWN_SIZE) != 0;
}

static inline bool ftc_call_is_uneven(enum ftc_call_kind kind)
{
    return (ftc_call_traits[kind] & FTC_TRAIT_UNEVEN) != 0;
}

static inline bool ftc_call_is_addressed(enum ftc_call_kind kind)
{
    return (ftc_call_traits[kind] & FTC_TRAIT_ADDRESSED) != 0;
}

static inline bool ftc_call_is_of_neighbors(enum ftc_call_kind kind)
{
    return (ftc_call_traits[kind] & FTC_TRAIT_NEIGHBORS) != 0;
}

/* The blocking form of a nonblocking or persistent call; all others are their own. */
enum ftc_call_kind ftc_call_plain(enum ftc_call_kind kind);

static inline bool ftc_call_is_scan(enum ftc_call_kind kind)
{
    enum ftc_call_kind plain = ftc_call_plain(kind);

    return plain == FTC_CALL_SCAN || plain == FTC_CALL_EXSCAN;
}

/* Whether a call that combines elements, and is no scan, is a reduce_scatter: it has a layout. */
static inline bool ftc_call_scatters_result(const struct ftc_call *call)
{
    return call->layouts != NULL;
}

/* Whether @rank of its communicator gets the result. */
static inline bool ftc_call_gives_result(const struct ftc_call *call, int rank)
{
    return !ftc_call_goes_to_root(call->kind) || call->root == rank;
}

#endif
