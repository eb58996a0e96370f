/* comm: what the library knows about a communicator, and its identity on all ranks (DESIGN section
 * 8).
 *
 * The engine numbers the members that no allreduce has left out yet: its rank i is the user's rank
 * member[i]. All ranks leave out the same ones after the same operation, because the list is part
 * of that operation's result.
 */
#ifndef FTC_COMM_H
#define FTC_COMM_H

#include "call/policy.h"
#include "engine/operation.h"
#include "library.h"
#include "progress/crash.h"

#include <mpi.h>

/* monitor = timeout: since when a peer has shown no sign of life. */
struct ftc_silence {
    uint64_t heartbeat, since_ns;
};

/* No call has it. */
enum { FTC_SIGNATURE_NONE = 2 };

struct ftc_comm {
    uint64_t id;             /* the same on all ranks, unique in the job */
    struct ftc_birth *birth; /* where @id comes from, or NULL */
    enum ftc_pass pass;      /* why calls go to native MPI; FTC_PASS_NONE: protected */
    int size, rank;          /* the user's */
    uint32_t *slot;          /* board slot of each rank */
    uint32_t entry;          /* where this rank publishes on the board */
    uint32_t seq;            /* of the next operation */
    int f;                   /* failures tolerated in one operation */

    int *member, member_count;   /* user's ranks that take part, ascending */
    int self;                    /* index of this rank in member[] */
    int *member_of_slot;         /* by board slot; -1: takes no part */
    int known_dead;              /* members that are dead, but not left out yet */
    bool *dead;                  /* by index in member[] */
    struct ftc_silence *silence; /* by index in member[] */
    uint32_t deaths_seen;        /* board count when the members were last looked at */
    struct ftc_topology topology;

    /* the running operation */
    bool active;
    uint32_t signature;
    struct ftc_note note;  /* of this rank's call */
    int mismatched;        /* user's rank that called something else; -1: none */
    struct ftc_note other; /* what that called */
    struct ftc_op op;
    struct ftc_actions actions; /* sends that are still to be carried out */
    size_t value_capacity;
    void *op_storage, *topology_storage;
    unsigned char *contribution, *published_value; /* value_capacity bytes each */

    uint32_t announced; /* attempt that the board shows */
    bool was_blocked;   /* some messages have been kept because sends were pending */
    struct ftc_crash_progress crash;

    struct ftc_pending *pending_first, *pending_last; /* nonblocking operations, in call order */
    uint32_t pending_idle;                            /* turns in which nothing happened */
    struct ftc_comm *pending_next;                    /* of all communicators that have some */

    struct ftc_comm *next; /* of all protected communicators */
};

/* Prepares the registry in MPI_Init; 0 or a negative errno. */
int ftc_comm_open(void);

/* The library's view of @comm, made at its first use; NULL if @comm is invalid. May give up the
 * library's lock for a while. */
struct ftc_comm *ftc_comm_get(MPI_Comm comm);

/* A communicator of all ranks that no MPI call uses: for the library's own synchronisation. */
struct ftc_comm *ftc_comm_internal(void);

/* One for the ranks of @group, of which this is one, that are in one call of MPI_Comm_create_group
 * of @parent with @tag. Any number of them may be dead, also of those of which nobody knows yet.
 * NULL without memory. To be released by each of them. */
struct ftc_comm *ftc_comm_for_call(MPI_Comm parent, MPI_Group group, int tag);
void ftc_comm_release(struct ftc_comm *c);

/* The protected communicator with @id, or NULL. */
struct ftc_comm *ftc_comm_find(uint64_t id);

/* Whether @id was a communicator that has been freed here not long ago. */
bool ftc_comm_was_freed(uint64_t id);

/* Makes room for operations with values of @value_bytes; 0 or -ENOMEM. */
int ftc_comm_reserve(struct ftc_comm *c, size_t value_bytes);

/* Leaves out the members that @failed lists, by index in member[]. */
void ftc_comm_exclude(struct ftc_comm *c, const struct ftc_failure_info *failed);

/* Index in member[] of the user's @rank; -1: left out. */
int ftc_comm_member(const struct ftc_comm *c, int rank);

#endif
