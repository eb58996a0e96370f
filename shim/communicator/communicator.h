/* communicator: what the library knows about a communicator, and its identity on all ranks
 * (doc/design.md, section 8).
 *
 * The engine numbers the members that no allreduce has left out yet: its rank i is the user's rank
 * member[i]. All ranks leave out the same ones after the same operation, because the list is part
 * of that operation's result.
 */
#ifndef FTC_COMMUNICATOR_COMMUNICATOR_H
#define FTC_COMMUNICATOR_COMMUNICATOR_H

#include "call/policy.h"
#include "engine/topology.h"
#include "library.h"
#include "mpi/mpi_library.h"

/* monitor = timeout: since when a peer has shown no sign of life. */
struct ftc_silence {
    uint64_t heartbeat, since_ns;
    uint64_t asked_ns; /* on another host: when it was asked for that */
};

/* Calls that can meet in one operation have the same signature, made from a hash of what they have
 * in common; no call has FTC_SIGNATURE_NONE. */
enum { FTC_SIGNATURE_NONE = 2 };

static inline uint32_t ftc_signature(uint64_t hash)
{
    return (uint32_t)(hash >> 32) | 1;
}

/* A rank that waits looks in each turn at so many of the members from which no message may come,
 * and goes on from there in the next turn: a turn costs no more among many. */
enum { FTC_COMM_LOOKS = 8 };
struct ftc_comm_looks {
    int next; /* index in member[] */
};

struct ftc_comm {
    uint64_t id;                /* the same on all ranks, unique in the job */
    enum ftc_fallback fallback; /* why calls go to native MPI; FTC_FALLBACK_NONE: protected */
    int size, rank;          /* the user's; of an intercommunicator those of both groups together */
    int remote, remote_size; /* where the remote group's begin, and how many; 0: there is none */
    uint32_t *world;         /* by rank: its rank in MPI_COMM_WORLD */
    uint32_t entry;          /* where this rank publishes on the board */
    uint32_t seq;            /* of the next operation */
    uint32_t ended;          /* operations before this one have been ended by all that live */
    int f;                   /* failures tolerated in one operation */

    int *member, member_count;   /* user's ranks that take part, ascending */
    int own_member;              /* index of this rank in member[] */
    int *member_of_world;        /* by world rank; -1: takes no part */
    int known_dead;              /* members that are dead, but not left out yet */
    bool *dead;                  /* by index in member[] */
    struct ftc_silence *silence; /* by index in member[] */
    uint32_t deaths_seen;        /* board count when the members were last looked at */
    struct ftc_comm_looks killed, silent, mismatched, gone_on; /* for one reason each */
    int32_t *host; /* by index in member[]; of struct ftc_hosts */
    struct ftc_topology topology;
    void *topology_storage;
    uint32_t numbering; /* grows whenever the members are numbered anew */

    struct ftc_running *running; /* what the room above keeps of it (struct ftc_comm_keeper) */
    struct ftc_comm *next;       /* of all protected communicators */
};

/* Functions of the room above, which keeps data of each protected communicator. */
struct ftc_comm_keeper {
    int (*open)(struct ftc_comm *c);      /* 0 or a negative errno */
    void (*complete)(struct ftc_comm *c); /* the program frees it; may give up the library's lock */
    void (*close)(struct ftc_comm *c);    /* if open() has set c->running */
};

/* Prepares the registry in MPI_Init; 0 or a negative errno. */
int ftc_comm_open(const struct ftc_comm_keeper *keeper);

/* The ranks of an intercommunicator's groups are numbered one behind the other here, those of the
 * group with the lowest rank of MPI_COMM_WORLD first. */
static inline bool ftc_comm_is_inter(const struct ftc_comm *c)
{
    return c->remote_size > 0;
}

/* The first of this rank's own group, and how many there are. */
static inline int ftc_comm_local(const struct ftc_comm *c)
{
    return ftc_comm_is_inter(c) && c->remote == 0 ? c->remote_size : 0;
}

static inline int ftc_comm_local_size(const struct ftc_comm *c)
{
    return c->size - c->remote_size;
}

/* Returns the rank that errors and warnings name: on two groups the one in MPI_COMM_WORLD, as both
 * know no other. */
static inline int ftc_comm_printed_rank(const struct ftc_comm *c, int rank)
{
    return ftc_comm_is_inter(c) ? (int)c->world[rank] : rank;
}

/* The library's view of @comm, made at its first use; NULL if @comm is invalid. May give up the
 * library's lock for a while. */
struct ftc_comm *ftc_comm_get(MPI_Comm comm);

/* Fills @is_left_out, by rank of @comm, of which there are @size: whether a collective operation
 * has left that rank out here. False if none has left out any, or @comm is an intercommunicator.
 * Takes the library's lock. */
bool ftc_comm_left_out(MPI_Comm comm, bool *is_left_out, int size);

/* A communicator of all ranks that no MPI call uses: for the library's own synchronisation. */
struct ftc_comm *ftc_comm_internal(void);

/* One for the ranks of @group, of which this is one, that are in one call of MPI_Comm_create_group
 * of @parent with @tag. Any number of them may be dead, also of those of which nobody knows yet.
 * NULL without memory. To be released by each of them. */
struct ftc_comm *ftc_comm_for_call(MPI_Comm parent, MPI_Group group, int tag);
void ftc_comm_release(struct ftc_comm *c);

/* As above, for the two leaders, @group, of a call of MPI_Intercomm_create on @peer with @tag. */
struct ftc_comm *ftc_comm_for_leaders(MPI_Comm peer, MPI_Group group, int tag);

/* As above, for the ranks of @group that make an intercommunicator by the call @number. Each call
 * has one (new_communicators/leaders.h). */
struct ftc_comm *ftc_comm_for_meeting(uint64_t number, MPI_Group group);

/* As above, for the ranks that free the window @number (lineage.h), whose group is @group. Each
 * call has a number of its own, or 0. */
struct ftc_comm *ftc_comm_for_window(uint64_t number, MPI_Group group);

/* As above, for the members of the file @number, until it is closed. */
struct ftc_comm *ftc_comm_for_file(uint64_t number, MPI_Group group);

/* As above, for the operations of the persistent request @number (lineage.h) of the ranks of @of.
 */
struct ftc_comm *ftc_comm_for_request(uint64_t number, const struct ftc_comm *of);

/* The protected communicator with @id, or NULL. */
struct ftc_comm *ftc_comm_find(uint64_t id);

/* Whether @id was a communicator that has been freed here not long ago. */
bool ftc_comm_was_freed(uint64_t id);

/* Leaves out the members that @failed lists, by index in member[]. */
void ftc_comm_exclude(struct ftc_comm *c, const struct ftc_failure_info *failed);

/* How many looks a turn has, and the next of them, as an index in member[]. */
static inline int ftc_comm_looks(const struct ftc_comm *c)
{
    return c->member_count < FTC_COMM_LOOKS ? c->member_count : FTC_COMM_LOOKS;
}

static inline int ftc_comm_look(const struct ftc_comm *c, struct ftc_comm_looks *looks)
{
    int member = looks->next < c->member_count ? looks->next : 0;

    looks->next = member + 1;
    return member;
}

/* Index in member[] of the user's @rank; -1: left out. */
int ftc_comm_member(const struct ftc_comm *c, int rank);

#endif
