/* call: description of an MPI call of the program, and the kinds of calls. */
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

/* Layout of the blocks that a call sends, or of those that it receives: one block per rank or
 * neighbor. */
struct ftc_layout {
    void *buffer;
    MPI_Count count; /* elements of one block, unless @counts is set */
    MPI_Datatype datatype;

    /* Arrays of the v and w forms with an element per block, or NULL. Displacements of the w forms
     * are in bytes. */
    const void *counts;            /* int, or MPI_Count if counts_are_wide (large-count forms) */
    const void *displacements;     /* int, or MPI_Aint if displacements_are_wide */
    const MPI_Datatype *datatypes; /* w forms only */
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
    int root; /* rank in @comm, if the call has a root */
    MPI_Comm comm;
    const struct ftc_layouts *layouts; /* NULL unless the call moves blocks */
    MPI_Errhandler errhandler;         /* argument of the call; 0 if it has none */
    const void *return_address;        /* address in the program */
    int result;                        /* MPI error code, if the library carried out the call */
};

/* Returns the name of the MPI function, such as "MPI_Allreduce". */
const char *ftc_call_name(enum ftc_call_kind kind);

enum ftc_call_class ftc_call_class(enum ftc_call_kind kind);

/* Returns whether the call waits for all ranks that it names. */
bool ftc_call_needs_all(enum ftc_call_kind kind);

/* Returns @number, which another process may have written, as a kind; FTC_CALL_NONE if there is no
 * such kind. */
enum ftc_call_kind ftc_call_kind(uint32_t number);

/* Returns whether the call makes a persistent request for a collective call. */
bool ftc_call_is_persistent(enum ftc_call_kind kind);

/* Returns whether the call is of class MESSAGE, LOOK or WAIT: point-to-point, a test, or a wait for
 * requests. */
bool ftc_call_is_message(enum ftc_call_kind kind);

/* Returns whether all ranks of a communicator make the call: class PROTECTED, COMMUNICATOR or
 * COLLECTIVE. Nonblocking and persistent forms of PROTECTED calls, calls on files, and the
 * library's own synchronization do not count. */
bool ftc_call_is_collective(enum ftc_call_kind kind);

/* Returns whether the report counts how often the library, or native MPI, carries out the call, and
 * why. */
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

/* Returns the buffer that a rank contributes to a reduction or scan. */
static inline const void *ftc_call_input(const struct ftc_call *call)
{
    return call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
}

/* Peers of calls that do not name one rank. FTC_ALL_MEMBERS: the call needs all members of its
 * communicator. FTC_SOME_MEMBER: it needs any one member, and the rank already knows of the dead
 * ones, so the call is reported as blocked only if the whole job stands still. */
enum { FTC_ALL_MEMBERS = MPI_ANY_SOURCE, FTC_SOME_MEMBER = -100 };

/* Properties of a collective call. */
enum {
    FTC_TRAIT_ROOT = 1,
    FTC_TRAIT_TO_ROOT = 2,      /* one operation whose result only the root gets */
    FTC_TRAIT_OPERATION = 4,    /* the call has an MPI_Op */
    FTC_TRAIT_UNKNOWN_SIZE = 8, /* no rank knows how much the others send */
    FTC_TRAIT_UNEVEN = 16,      /* ranks give blocks of different sizes */
    FTC_TRAIT_NEIGHBORS = 32,   /* data go to the neighbors in the communicator's topology */
    FTC_TRAIT_FROM_ROOT = 64,   /* only the root sends data */
    FTC_TRAIT_REQUEST = 128,    /* nonblocking or persistent */
    FTC_TRAIT_ADDRESSED = 256,  /* a rank sends different data to each receiver */
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

/* Returns the blocking form of a nonblocking or persistent call, and @kind for all others. */
enum ftc_call_kind ftc_call_plain(enum ftc_call_kind kind);

static inline bool ftc_call_is_scan(enum ftc_call_kind kind)
{
    enum ftc_call_kind plain = ftc_call_plain(kind);

    return plain == FTC_CALL_SCAN || plain == FTC_CALL_EXSCAN;
}

/* Returns whether a call with an MPI_Op that is no scan is a reduce_scatter: it has layouts. */
static inline bool ftc_call_scatters_result(const struct ftc_call *call)
{
    return call->layouts != NULL;
}

/* Returns whether @rank of the call's communicator gets the result. */
static inline bool ftc_call_gives_result(const struct ftc_call *call, int rank)
{
    return !ftc_call_goes_to_root(call->kind) || call->root == rank;
}

#endif
