/* board: the shared-memory segment of one host (doc/design.md, section 6).
 *
 * Of a job on several hosts each has a board, with a place for every rank of the job. What stands
 * there of the ranks of other hosts is written by this host's agent (monitor/agent.h), and is no
 * more than replica.h has: state, death and how far they have come.
 *
 * The board holds the state of each rank, the last allreduce that each rank published for
 * each communicator (doc/design.md, section 5, rules 1 to 5), and the message rings of
 * shim/transport. It is an unnamed memory file: the first rank of the host creates it, the others
 * open it through that process's file table, which the kernel allows to the same user only. Nothing
 * has to be removed when a job ends, however it ends.
 *
 * Everything in the segment can be written by any process of the job. A reader therefore checks
 * each index and length before it uses them; the segment itself is sealed against shrinking.
 *
 * This header is the map of the segment: its sections, and what lies together in a rank. Others use
 * it to make, open and pass on a board, and for addresses. Its fields are named in this folder only
 * (tests/boundaries), where each section has a file with all that writes it and all that reads it
 * (rank_state, death, presence, end_of_job, recovery_record, failure_site, announcement, activity,
 * mark, publication, bulk, require_all, directory, replica, lease, trace). Three sections belong to
 * files elsewhere, which give their sizes: messages (transport/), call sites
 * (reporting/coverage_sites.h) and lifelines (system/lifeline.h).
 */
#ifndef FTC_BOARD_BOARD_H
#define FTC_BOARD_BOARD_H

#include "system/cores.h"
#include "system/lifeline.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a call says of itself to other ranks, for messages to people where calls do not match. It
 * stands on the board, and goes with each message of the operation. */
struct ftc_note {
    uint32_t kind; /* enum ftc_call_kind */
    uint32_t signature;
    int64_t count;
    int32_t datatype, op; /* MPI handles in that process */
    int32_t root;
    uint32_t element_bytes, value_bytes; /* of the datatype; of all elements, with their gaps */
    /* Operations after the one that is meant, whose call is not known any more; before it, if
     * negative, and in what tells of a mismatch: before the one that it is told in. */
    int32_t ahead;
    uint64_t return_address; /* in that process */
};
enum { FTC_NOTE_WORDS = sizeof(struct ftc_note) / sizeof(uint64_t) };

/* Of a message in a ring: the notes of all follow the messages, a cache line each. */
enum { FTC_BOARD_RING_NOTE_BYTES = 64 };

/* Whether a rank is still inside of a call that it carries out here. */
struct ftc_board_activity {
    _Atomic uint32_t version;         /* grows with each call */
    _Atomic uint32_t inside;          /* calls that are under way, */
    _Atomic uint32_t beside;          /* and those of them beside which the program goes on */
    _Atomic uint32_t combining;       /* threads in operations of the program (MPI_Op_create) */
    _Atomic uint32_t is_last;         /* it is in MPI_Finalize */
    _Atomic uint64_t communicator_id; /* of the last one */
    _Atomic uint64_t heartbeat;       /* monitor = timeout: grows while the rank waits in a call */
};

/* Marks of unprotected calls that a rank has, and sets of ranks that it has described to say what
 * they need. A set changes only while its mark is not in use. The last mark is of calls that only
 * look: it stays from the first that finds nothing until one finds something. */
enum {
    FTC_BOARD_CALLS = 4,
    FTC_BOARD_POLL = FTC_BOARD_CALLS,
    FTC_BOARD_MARKS,
    FTC_BOARD_SETS = 16 * FTC_BOARD_MARKS,
};

/* An unprotected call that a rank is in. */
struct ftc_board_mark {
    _Alignas(64) _Atomic uint64_t version; /* odd while the rank is in the call; grows with each */
    _Atomic uint32_t call;                 /* enum ftc_call_kind */
    _Atomic int32_t peer;            /* rank that the call needs, or a part of @set (mark.h) */
    _Atomic uint32_t set;            /* below FTC_BOARD_SETS */
    _Atomic uint32_t also;           /* rank + 1 of one more that it needs; 0: none */
    _Atomic uint32_t fallback;       /* enum ftc_fallback: why native MPI carries out the call */
    _Atomic uint64_t return_address; /* in that process */
    _Atomic uint64_t stack;          /* an address not far below where that is on the stack */
    _Atomic uint64_t polled_ns;      /* CLOCK_MONOTONIC of the last look of FTC_BOARD_POLL, */
    _Atomic uint64_t polls;          /* and how many there were */
};

/* An operation: struct ftc_operation_id of recovery_record.h. */
struct ftc_board_operation {
    _Atomic uint64_t communicator_id; /* 0: none */
    _Atomic uint32_t call, seq;
};

/* How the survivors recovered from the death of a rank (recovery_record.h); times are
 * CLOCK_MONOTONIC. */
struct ftc_board_recovery {
    _Atomic int32_t noticed_by; /* world rank + 1 of the first that met the death in an operation;
                                   0: nobody; below: is about to say in which */
    struct ftc_board_operation met_in;
    _Atomic uint64_t noticed_ns;
    _Atomic uint64_t recovered_ns; /* when that returned at the last of them */
    _Atomic uint8_t is_error;      /* it returned an error */
};

/* From where the operation was called that first met the death of a rank (failure_site.h). */
enum { FTC_BOARD_SITE_TEXT = 244 };
struct ftc_board_failure_site {
    _Atomic uint64_t address; /* in the program of one that was in it; 0: not known */
    _Atomic uint32_t state;   /* of the name: failure_site.c */
    char name[FTC_BOARD_SITE_TEXT];
};

struct ftc_board_rank {
    _Alignas(64) _Atomic uint32_t state;
    _Atomic uint64_t death; /* cause, and value below it; valid once state is FTC_RANK_FAILED */
    _Atomic int32_t pid;
    _Atomic uint64_t death_time_ns; /* CLOCK_MONOTONIC */
    _Atomic uint64_t crashed_at;    /* offset + 1 in the library's code; 0: not there */
    _Atomic uint32_t forbidden;     /* deaths of it that end the job: rank_state.h */
    _Atomic uint8_t is_exhausted;   /* MPICH there cannot make communicators any more */
    _Atomic uint32_t presence;      /* enum ftc_presence */
    _Atomic uint8_t is_leaving;     /* the rank is telling the launcher that it is through */
    _Atomic uint32_t counted;       /* what presence.h has counted it as; 0: not yet */
    uint32_t host;                  /* number of its host; with its ports of directory.h */
    uint16_t link_port, query_port;
    uint64_t program, program_base;
    struct ftc_board_recovery recovery;
    _Atomic uint64_t announced;           /* of its death: announcement.c */
    _Atomic uint32_t notice;              /* number of that line; 0: none */
    _Atomic uint32_t settled;             /* deaths that its last operation with a result knew of */
    _Atomic uint64_t settled_ns;          /* CLOCK_MONOTONIC of that */
    struct ftc_board_operation failed_in; /* that operation, if it returned an error */
    _Atomic uint64_t waiting;             /* for other hosts: mark.h, ftc_still_show() */
    _Atomic uint64_t stirs; /* by its monitor process: mark.h, struct ftc_still_sight */
    _Atomic uint64_t sight_ns;
    _Atomic uint32_t share;
    _Atomic uint32_t is_stuck;
    _Atomic uint32_t entries_reach; /* publication.c */
    struct ftc_board_failure_site failure_site;
    _Alignas(64) struct ftc_lifeline life;
    _Alignas(64) struct ftc_board_activity activity;
    struct ftc_board_mark mark[FTC_BOARD_MARKS];
};

/* What a rank has published of one communicator (publication.h), without failed ranks and value. */
struct ftc_board_entry;
enum { FTC_BOARD_ENTRY_CALLS = 16, FTC_BOARD_ENTRY_BYTES = FTC_BOARD_ENTRY_CALLS * 64 + 64 };

/* The least that a place for messages to all members takes (transport/multicast.h). */
enum { FTC_BOARD_MULTICAST_BYTES = 128 };

enum { FTC_BOARD_RANKS_MAX = 4096 };

struct ftc_board_geometry {
    uint32_t ranks;              /* of the job; the index of a rank is that in MPI_COMM_WORLD */
    uint32_t entries;            /* communicators a rank can have published results of */
    uint32_t entry_stride_bytes; /* header, failed ranks and value of one entry */
    uint32_t multicast_bytes;    /* of each of an entry's places for messages to all members */
    uint32_t ring_depth;         /* messages in flight from one rank to another; a power of two */
    uint32_t message_stride_bytes;
    uint32_t sites_bytes; /* of a rank's call sites (reporting/coverage_sites.h); 0: not reported */
    uint32_t exposed_bytes; /* of each of a rank's places for data that it exposes (exposed.h); 0:
                               none */
    uint32_t bulk_bytes;    /* of what a rank shows of its large data (bulk.h); 0: there are none */
    uint32_t region_bytes;  /* of each of its places for them, in pages */
    uint32_t trace_bytes;   /* of a rank's ring of events (trace.h); 0: nothing is traced */
    uint32_t other_hosts;   /* of the job; 0: this one alone */
    uint32_t host;          /* number of the one whose board this is */
};
enum { FTC_BOARD_HOSTS_MAX = 64, FTC_BOARD_MULTICASTS = 2, FTC_BOARD_EXPOSED = 4 };

/* The rest of the segment is WINDOWS: so many entries of all ranks are one, with their places for
 * messages to all members, and so is a place for large data of all ranks. */
enum { FTC_BOARD_GROUP = 64, FTC_BOARD_REGIONS = 16 };

/* What is known of a host (directory.h). */
enum { FTC_BOARD_HOST_NAME = 64, FTC_BOARD_ADDRESS_BYTES = 16 };
struct ftc_board_host {
    char name[FTC_BOARD_HOST_NAME];
    unsigned char address[FTC_BOARD_ADDRESS_BYTES]; /* as of IPv6; of IPv4 the first four bytes */
    uint32_t family;                                /* AF_INET or AF_INET6 */
    _Atomic uint32_t is_heard;                      /* its news come in (agent.h) */
};

struct ftc_board_shared {
    uint64_t magic;
    uint64_t key[2]; /* drawn at random by the creator; a wrong segment is refused */
    struct ftc_board_geometry geometry;
    _Atomic uint64_t cores[FTC_CORES_WORDS]; /* those that any of the ranks may run on */
    _Alignas(64) _Atomic uint32_t ready; /* ranks whose MPI_Init has nothing native left to do */
    _Atomic uint32_t refused;            /* those that cannot be protected */
    _Alignas(
        64) _Atomic uint32_t deaths; /* grows with each death: one load tells that there is news */
    _Atomic uint32_t ending;         /* enum ftc_ending, and who says it: end_of_job.c */
    _Atomic uint64_t require_all_matches; /* of setting require_all_at that have named a call:
                                             required_sites.h */
    _Atomic uint64_t recovery_announced, report_announced; /* announcement.c */
    _Atomic uint64_t line_announced;                       /* likewise */
    _Atomic uint32_t notices, recoveries;                  /* lines on either that were numbered */
    _Atomic uint32_t news; /* grows with what other hosts have to know */
    uint64_t job_key[2];   /* of the connections between hosts */
    struct ftc_hold agent; /* held by this host's agent */
    struct ftc_board_host host[FTC_BOARD_HOSTS_MAX];
    _Atomic uint64_t lease_until_ns, lost_hosts; /* lease.h: CLOCK_BOOTTIME; a set of hosts */
    _Atomic int64_t lease_ahead_ns;              /* ftc_clock_ahead_ns() when it was given */
    _Atomic uint32_t lease_terms, lease_told;    /* enum ftc_lease_terms; the end of it is told */
    _Atomic uint64_t losses_told;                /* of lost_hosts, by this one */
    _Atomic uint32_t lease_is_awaited;           /* mpiexec alone is silent: the ranks wait on */
    _Atomic uint64_t trace_announced;            /* announcement.c */
    _Atomic uint32_t trace_file;                 /* number of the file + 1; 0: none */
    _Alignas(64) struct ftc_board_rank rank[];
};

struct ftc_board {
    struct ftc_board_shared *shared; /* NULL: not open */
    struct ftc_board_geometry geometry;
    _Atomic(unsigned char *) *window; /* each is mapped at its first use; NULL: not yet */
    size_t size_bytes;                /* mapped from the beginning on */
    int fd;                           /* -1: not open */
    uint64_t file;                    /* its inode: the program may have closed the descriptor */
};

/* Has @function called where a window cannot be mapped: the process cannot go on, and the function
 * must not return. Without one the process stops. */
void ftc_board_on_no_room(void (*function)(void));

/* Creates the segment and draws its key. Returns 0 or a negative errno. */
int ftc_board_create(struct ftc_board *board, const struct ftc_board_geometry *geometry);

/* Opens the segment that process @pid holds as descriptor @fd; fails with -EACCES unless it belongs
 * to this user, is sealed, has the size its geometry calls for and carries @key. */
int ftc_board_open(struct ftc_board *board, int pid, int fd, const uint64_t key[2]);

/* Opens the segment behind @fd, which is taken over or closed, with the same checks. */
int ftc_board_take(struct ftc_board *board, int fd, const uint64_t key[2]);

/* Maps the segment behind @fd (taken over on success), with the same checks but the key. */
int ftc_board_map(struct ftc_board *board, int fd);

void ftc_board_close(struct ftc_board *board);

/* Returns the bytes that a process maps of such a board if its program has few communicators, and
 * large data in one call at a time. */
size_t ftc_board_usual_bytes(const struct ftc_board_geometry *geometry);

static inline bool ftc_board_is_open(const struct ftc_board *board)
{
    return board->shared != NULL;
}

/* What ftc_board_open() asks for. */
void ftc_board_key(const struct ftc_board *board, uint64_t key[2]);

/* Addresses inside the segment; the indices must be below the geometry's counts. */
unsigned char *ftc_board_map_window(const struct ftc_board *board, uint32_t number);

static inline unsigned char *ftc_board_window(const struct ftc_board *board, uint32_t number)
{
    unsigned char *window = atomic_load_explicit(&board->window[number], memory_order_acquire);

    return window ? window : ftc_board_map_window(board, number);
}

static inline struct ftc_board_entry *ftc_board_entry(const struct ftc_board *board, uint32_t rank,
                                                      uint32_t entry)
{
    size_t index = (size_t)rank * FTC_BOARD_GROUP + entry % FTC_BOARD_GROUP;

    return (struct ftc_board_entry *)(void *)(ftc_board_window(board, entry / FTC_BOARD_GROUP) +
                                              index * board->geometry.entry_stride_bytes);
}

/* A place for messages to all members of the communicator of an entry (transport/multicast.h).
 * Those of all ranks lie together, as each rank reads those of all others, which mostly have the
 * same entry for it. */
static inline void *ftc_board_multicast(const struct ftc_board *board, uint32_t rank,
                                        uint32_t entry, uint32_t place)
{
    const struct ftc_board_geometry *g = &board->geometry;
    size_t entries_bytes = (size_t)g->ranks * FTC_BOARD_GROUP * g->entry_stride_bytes;
    size_t index = (size_t)(entry % FTC_BOARD_GROUP) * FTC_BOARD_MULTICASTS + place;

    return ftc_board_window(board, entry / FTC_BOARD_GROUP) + entries_bytes +
           (index * g->ranks + rank) * g->multicast_bytes;
}

/* The same of an address for place 0. */
static inline const void *ftc_board_next_multicast(const struct ftc_board *board, const void *first,
                                                   uint32_t place)
{
    const struct ftc_board_geometry *g = &board->geometry;

    return (const char *)first + (size_t)place * g->ranks * g->multicast_bytes;
}

void *ftc_board_ring(const struct ftc_board *board, uint32_t to, uint32_t from);
_Atomic uint64_t *ftc_board_set(const struct ftc_board *board, uint32_t rank, uint32_t set);
void *ftc_board_sites(const struct ftc_board *board, uint32_t rank);
unsigned char *ftc_board_exposed(const struct ftc_board *board, uint32_t rank, uint32_t place);
void *ftc_board_bulk(const struct ftc_board *board, uint32_t rank);
unsigned char *ftc_board_region(const struct ftc_board *board, uint32_t rank, uint32_t place);
void *ftc_board_trace(const struct ftc_board *board, uint32_t rank);

static inline struct ftc_lifeline *ftc_board_lifeline(const struct ftc_board *board, uint32_t rank)
{
    return &board->shared->rank[rank].life;
}

/* Returns the size of a board. */
size_t ftc_board_bytes(const struct ftc_board_geometry *geometry);

size_t ftc_board_ring_bytes(const struct ftc_board_geometry *geometry);

/* The bell of @rank, which others ring: word 0 says which of the words that follow are not
 * zero, and those, a set of ranks, who has rung. */
_Atomic uint64_t *ftc_board_bell(const struct ftc_board *board, uint32_t rank);

/* Words of a set: rank i is bit i % 64 of word i / 64. */
uint32_t ftc_board_set_words(const struct ftc_board_geometry *geometry);

#endif
