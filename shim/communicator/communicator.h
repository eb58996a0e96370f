/* communicator: the library's data of a communicator, and its identity on all ranks (doc/design.md,
 * section 8).
 *
 * The engine numbers the members, which are the ranks that no allreduce has left out yet. Its rank
 * i is rank member[i] of the communicator. All ranks leave out the same ones after the same
 * operation, because the list is part of that operation's result. */
#ifndef FTC_COMMUNICATOR_COMMUNICATOR_H
#define FTC_COMMUNICATOR_COMMUNICATOR_H

#include "call/policy.h"
#include "engine/topology.h"
#include "library.h"
#include "mpi/mpi_library.h"

/* Silence of a peer, with monitor = timeout. */
struct ftc_silence {
    /* Last heartbeat that was read, and since when it has not changed. since_ns is 0 if none was
     * read, or if the next one that is read begins the silence anew. */
    uint64_t heartbeat, since_ns;
    uint64_t asked_ns; /* peer on another host: time of the last reply or first check */
};

/* Signature that no call has. Calls that can meet in one operation have equal signatures, each made
 * from a hash of what these calls have in common. */
enum { FTC_SIGNATURE_NONE = 2 };

static inline uint32_t ftc_signature(uint64_t hash)
{
    return (uint32_t)(hash >> 32) | 1;
}

/* Number of members that a waiting rank checks in each turn, for one reason why no message may come
 * from them. The next turn continues with the members after these, so that a turn costs the same
 * for any number of members. */
enum { FTC_COMM_CHECKS = 8 };
struct ftc_comm_checks {
    int next; /* index in member[] of the next to check */
};

struct ftc_comm {
    uint64_t id;                /* identity, equal on all ranks and unique in the job */
    enum ftc_fallback fallback; /* why calls go to native MPI; FTC_FALLBACK_NONE: protected */
    int size, rank;             /* the program's; on an intercommunicator over both groups */
    int remote, remote_size;    /* remote group's first rank and size; size 0: none */
    uint32_t *world;            /* by rank: rank in MPI_COMM_WORLD */
    uint32_t entry;             /* board entry in which this rank publishes */
    uint32_t seq;               /* number of the present or the next operation */
    uint32_t ended;             /* all living members have completed the operations before */
    int f;                      /* failures tolerated in one operation */

    int *member, member_count;   /* ranks that take part, ascending */
    int own_member;              /* index of this rank in member[] */
    int *member_of_world;        /* by world rank: index in member[]; -1: takes no part */
    int known_dead;              /* number of members that are dead but not left out yet */
    bool *dead;                  /* by index in member[] */
    struct ftc_silence *silence; /* by index in member[] */
    uint32_t deaths_seen;        /* deaths on the board when the members were last checked */
    struct ftc_comm_checks killed, silent, mismatched, ahead; /* one for each reason to check */
    int32_t *host; /* by index in member[]: number of the host (struct ftc_hosts) */
    struct ftc_topology topology;
    void *topology_storage;
    uint32_t numbering; /* number of times that the members were numbered */

    struct ftc_running *running; /* data of the owner of the callbacks */
    struct ftc_comm *next;       /* next in the registry's bucket */
};

/* Functions of the part of the library that keeps its own data with each protected communicator, in
 * c->running. */
struct ftc_comm_callbacks {
    int (*open)(struct ftc_comm *c);      /* sets c->running; returns 0 or a negative errno */
    void (*complete)(struct ftc_comm *c); /* called when c is freed: completes its operations; may
                                           * release the library's lock */
    void (*close)(struct ftc_comm *c);    /* frees c->running; called if open() has set it */
};

/* Prepares the registry in MPI_Init. The caller owns @callbacks, which must stay valid. Returns 0
 * or a negative errno. */
int ftc_comm_open(const struct ftc_comm_callbacks *callbacks);

/* Returns whether @c is an intercommunicator. Ranks of @c then count over both groups, first those
 * of the group with the lowest rank in MPI_COMM_WORLD. */
static inline bool ftc_comm_is_inter(const struct ftc_comm *c)
{
    return c->remote_size > 0;
}

/* Returns the first rank of this rank's own group. */
static inline int ftc_comm_local(const struct ftc_comm *c)
{
    return ftc_comm_is_inter(c) && c->remote == 0 ? c->remote_size : 0;
}

/* Returns the size of this rank's own group. */
static inline int ftc_comm_local_size(const struct ftc_comm *c)
{
    return c->size - c->remote_size;
}

/* Returns the rank that errors and warnings print for @rank. On an intercommunicator it is the one
 * in MPI_COMM_WORLD, because both groups know no other. */
static inline int ftc_comm_printed_rank(const struct ftc_comm *c, int rank)
{
    return ftc_comm_is_inter(c) ? (int)c->world[rank] : rank;
}

/* Returns the library's data of @comm, which are made at its first use and live as long as @comm.
 * Returns NULL if @comm is invalid, or without memory, which ends the job. Called with the
 * library's lock held, which it may release for a while. */
struct ftc_comm *ftc_comm_get(MPI_Comm comm);

/* Writes to @is_left_out, by rank of @comm, whether a collective operation has left that rank out
 * on this one. @size is the size of @comm. Returns false, and writes nothing, if no rank is left
 * out or @comm is an intercommunicator. Takes the library's lock. */
bool ftc_comm_left_out(MPI_Comm comm, bool *is_left_out, int size);

/* Returns the communicator of all ranks that the library uses for its own synchronisation, and that
 * no MPI call uses. Creates it in the first call. Returns NULL without memory or without a free
 * board entry. */
struct ftc_comm *ftc_comm_internal(void);

/* Creates a communicator for one call of MPI_Comm_create_group() on @parent with @tag, among the
 * ranks of @group, which includes the calling process. Any number of these ranks may be dead, even
 * if no rank knows of the deaths yet. Returns NULL without memory or without a free board entry. If
 * the communicator is not protected, its fallback says why. The caller releases it, and holds the
 * library's lock during both calls. */
struct ftc_comm *ftc_comm_for_call(MPI_Comm parent, MPI_Group group, int tag);
void ftc_comm_release(struct ftc_comm *c);

/* Creates a communicator as ftc_comm_for_call() does, for the two leaders, @group, of a call of
 * MPI_Intercomm_create() with the peer communicator @peer and @tag. */
struct ftc_comm *ftc_comm_for_leaders(MPI_Comm peer, MPI_Group group, int tag);

/* As above, but for the ranks of @group that make an intercommunicator by the call @number. Each
 * call has its own number (new_communicators/leaders.h). */
struct ftc_comm *ftc_comm_for_meeting(uint64_t number, MPI_Group group);

/* As above, but for the ranks of @group, which free the window @number (lineage.h). Each window has
 * its own number, or 0 if it is not known. */
struct ftc_comm *ftc_comm_for_window(uint64_t number, MPI_Group group);

/* As above, but for the members of the file @number, until the file is closed. */
struct ftc_comm *ftc_comm_for_file(uint64_t number, MPI_Group group);

/* As above, but for the operations of the persistent request, or of the call of
 * MPI_Intercomm_create(), @number (lineage.h) on the ranks of @of. */
struct ftc_comm *ftc_comm_for_request(uint64_t number, const struct ftc_comm *of);

/* Returns the protected communicator with @id, or NULL. */
struct ftc_comm *ftc_comm_find(uint64_t id);

/* Returns whether @id is that of one of the last 1024 communicators that were freed here. */
bool ftc_comm_was_freed(uint64_t id);

/* Leaves out the members that @failed lists by index in member[], and numbers the others anew. */
void ftc_comm_exclude(struct ftc_comm *c, const struct ftc_failure_info *failed);

/* Returns how many members a waiting rank checks in a turn. */
static inline int ftc_comm_check_count(const struct ftc_comm *c)
{
    return c->member_count < FTC_COMM_CHECKS ? c->member_count : FTC_COMM_CHECKS;
}

/* Returns the next member to check, as an index in member[]. */
static inline int ftc_comm_next_member(const struct ftc_comm *c, struct ftc_comm_checks *checks)
{
    int member = checks->next < c->member_count ? checks->next : 0;

    checks->next = member + 1;
    return member;
}

/* Returns the index of @rank in member[]; -1: left out. */
int ftc_comm_member(const struct ftc_comm *c, int rank);

#endif
