/* board: the shared-memory segment of one host (doc/design.md, section 6).
 *
 * In a job on several hosts each host has a board, with a place for every rank of the job. This
 * host's agent (monitor/agent.h) writes the places of ranks of other hosts. They have no more than
 * replica.h transfers: state, death and progress.
 *
 * The board holds the state of each rank, the last allreduce that each rank published for
 * each communicator (doc/design.md, section 5, rules 1 to 5), and the message rings of
 * shim/transport. It is an unnamed memory file. The first rank of the host creates it. The others
 * open it through that process's file table, which the kernel allows to the same user only. Nothing
 * has to be removed when a job ends, however it ends.
 *
 * Any process of the job can write anywhere in the segment. Therefore a reader checks each index
 * and length before it uses them. The segment itself is sealed against shrinking.
 *
 * This header defines the sections of the segment and the data of each rank. Other folders use it
 * to make, open and pass on a board, and for addresses. Only this folder names the fields
 * (tests/boundaries). Each section has a file here with all its writers and readers: rank_state,
 * death, presence, end_of_job, recovery_record, failure_site, announcement, activity, mark,
 * publication, bulk, require_all, directory, replica, lease, trace. Four sections belong to files
 * elsewhere: messages (transport/), call sites (reporting/coverage_sites.h), exposed data
 * (protocols/exposed.h) and lifelines (system/lifeline.h). These files give the sizes of their
 * sections, but lifecycle/geometry.c gives that of exposed data.
 */
#ifndef FTC_BOARD_BOARD_H
#define FTC_BOARD_BOARD_H

#include "system/cores.h"
#include "system/lifeline.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Description of a call for other ranks. Messages to users name it if calls do not match. It stands
 * on the board, and goes with each message of the operation. */
struct ftc_note {
    uint32_t kind; /* enum ftc_call_kind */
    uint32_t signature;
    int64_t count;
    int32_t datatype, op; /* MPI handles in that process */
    int32_t root;
    uint32_t element_bytes, value_bytes; /* of the datatype; of all elements, with their gaps */
    /* Number of operations that the call is later than another one; earlier if negative. In the
     * note of a peer's mismatched call the other one is the own call. The number is not 0 if the
     * two calls of one operation are not both known. In a message that reports a mismatch the other
     * one is the operation of the message. 0 in all other notes. */
    int32_t ahead;
    uint64_t return_address; /* in that process */
};
enum { FTC_NOTE_WORDS = sizeof(struct ftc_note) / sizeof(uint64_t) };

/* Bytes of the note of a message in a ring, a cache line. The notes follow all messages. */
enum { FTC_BOARD_RING_NOTE_BYTES = 64 };

/* Calls that a rank is in and that the library carries out (activity.h). */
struct ftc_board_activity {
    _Atomic uint32_t version;         /* number of calls so far */
    _Atomic uint32_t inside;          /* number of calls that are under way */
    _Atomic uint32_t beside;          /* those of @inside during which the program continues */
    _Atomic uint32_t combining;       /* threads in functions of the program (MPI_Op_create) */
    _Atomic uint32_t is_last;         /* the rank is in MPI_Finalize */
    _Atomic uint64_t communicator_id; /* communicator of the last call */
    _Atomic uint64_t heartbeat;       /* monitor = timeout: grows while the rank waits in a call */
};

/* Number of marks of a rank for native calls, and of sets that name the ranks which these calls
 * need. A set changes only while its mark is not in use. The last mark, FTC_BOARD_POLL, is for
 * calls that only test. It stays from the first test that finds nothing until a test finds
 * something. */
enum {
    FTC_BOARD_CALLS = 4,
    FTC_BOARD_POLL = FTC_BOARD_CALLS,
    FTC_BOARD_MARKS,
    FTC_BOARD_SETS = 16 * FTC_BOARD_MARKS,
};

/* Mark of a native call that a rank is in. */
struct ftc_board_mark {
    _Alignas(64) _Atomic uint64_t version; /* odd while the rank is in a call; grows with each */
    _Atomic uint32_t call;                 /* enum ftc_call_kind */
    _Atomic int32_t peer;            /* rank that the call needs, or all or some of @set (mark.h) */
    _Atomic uint32_t set;            /* number of the set, below FTC_BOARD_SETS */
    _Atomic uint32_t also;           /* 1 + another rank that the call needs; 0: none */
    _Atomic uint32_t fallback;       /* enum ftc_fallback: why native MPI carries out the call */
    _Atomic uint64_t return_address; /* in that process */
    _Atomic uint64_t stack;          /* address not far below that of return_address on the stack */
    _Atomic uint64_t polled_ns;      /* FTC_BOARD_POLL: CLOCK_MONOTONIC of the last test */
    _Atomic uint64_t polls;          /* FTC_BOARD_POLL: number of tests */
};

/* Operation, as struct ftc_operation_id of recovery_record.h. */
struct ftc_board_operation {
    _Atomic uint64_t communicator_id; /* 0: none */
    _Atomic uint32_t call, seq;
};

/* Recovery of the survivors from the death of a rank (recovery_record.h). Times are
 * CLOCK_MONOTONIC. */
struct ftc_board_recovery {
    _Atomic int32_t noticed_by; /* 1 + world rank of the first that met the death in an operation;
                                   0: none; negative: that rank is about to write @met_in */
    struct ftc_board_operation met_in;
    _Atomic uint64_t noticed_ns;
    _Atomic uint64_t recovered_ns; /* time when @met_in returned at the last survivor */
    _Atomic uint8_t is_error;      /* @met_in returned an error */
};

/* Call site of the operation that first met the death of a rank (failure_site.h). */
enum { FTC_BOARD_SITE_TEXT = 244 };
struct ftc_board_failure_site {
    _Atomic uint64_t address; /* address in a survivor, and its rank (failure_site.c); 0: none */
    _Atomic uint32_t state;   /* state of the name (failure_site.c) */
    char name[FTC_BOARD_SITE_TEXT];
};

struct ftc_board_rank {
    _Alignas(64) _Atomic uint32_t state;
    _Atomic uint64_t death; /* cause << 32 | value; valid once state is FTC_RANK_FAILED */
    _Atomic int32_t pid;
    _Atomic uint64_t death_time_ns; /* CLOCK_MONOTONIC */
    _Atomic uint64_t crashed_at;    /* 1 + offset in the library's code; 0: no crash there */
    _Atomic uint32_t forbidden;     /* deaths of the rank that end the job (rank_state.h) */
    _Atomic uint8_t is_exhausted;   /* MPICH there cannot make communicators any more */
    _Atomic uint32_t presence;      /* enum ftc_presence */
    _Atomic uint8_t is_leaving;     /* the rank is reporting its end to the launcher */
    _Atomic uint32_t counted;       /* enum ftc_counted (presence.h) */
    uint32_t host;                  /* number of its host; this and the next four: directory.h */
    uint16_t link_port, query_port;
    uint64_t program, program_base;
    struct ftc_board_recovery recovery;
    _Atomic uint64_t announced;           /* announcement of the death (announcement.c) */
    _Atomic uint32_t notice;              /* number of the line on the death; 0: none */
    _Atomic uint32_t settled;             /* deaths that its last operation with a result knew of */
    _Atomic uint64_t settled_ns;          /* CLOCK_MONOTONIC of the end of that operation */
    struct ftc_board_operation failed_in; /* that operation, if it returned an error */
    _Atomic uint64_t waiting;             /* for other hosts: ftc_still_show() of mark.h */
    _Atomic uint64_t hidden_activity; /* this and the next two: struct ftc_still_sight of mark.h */
    _Atomic uint64_t sight_ns;
    _Atomic uint32_t share;
    _Atomic uint32_t is_stuck;      /* ftc_still_report() of mark.h */
    _Atomic uint32_t entries_reach; /* publication.c */
    struct ftc_board_failure_site failure_site;
    _Alignas(64) struct ftc_lifeline life;
    _Alignas(64) struct ftc_board_activity activity;
    struct ftc_board_mark mark[FTC_BOARD_MARKS];
};

/* Publications of a rank for one communicator (publication.h), and their size without failed ranks
 * and value. */
struct ftc_board_entry;
enum { FTC_BOARD_ENTRY_CALLS = 16, FTC_BOARD_ENTRY_BYTES = FTC_BOARD_ENTRY_CALLS * 64 + 64 };

/* Smallest size of a place for messages to all members (transport/multicast.h). */
enum { FTC_BOARD_MULTICAST_BYTES = 128 };

enum { FTC_BOARD_RANKS_MAX = 4096 };

struct ftc_board_geometry {
    uint32_t ranks;              /* ranks of the job; indices are ranks in MPI_COMM_WORLD */
    uint32_t entries;            /* communicators for which a rank can publish */
    uint32_t entry_stride_bytes; /* header, failed ranks and value of one entry */
    uint32_t multicast_bytes;    /* each of an entry's places for messages to all members */
    uint32_t ring_depth;         /* messages in flight from one rank to another; a power of two */
    uint32_t message_stride_bytes;
    uint32_t sites_bytes;   /* a rank's call sites (reporting/coverage_sites.h); 0: not reported */
    uint32_t exposed_bytes; /* each of a rank's places for exposed data (protocols/exposed.h); 0:
                               none */
    uint32_t bulk_bytes;    /* a rank's progress words for large data (bulk.h); 0: none */
    uint32_t region_bytes;  /* each of a rank's places for large data, in whole pages */
    uint32_t trace_bytes;   /* a rank's ring of events (trace.h); 0: no trace */
    uint32_t other_hosts;   /* number of other hosts of the job */
    uint32_t host;          /* number of this board's host */
};
enum { FTC_BOARD_HOSTS_MAX = 64, FTC_BOARD_MULTICASTS = 2, FTC_BOARD_EXPOSED = 4 };

/* Sizes of windows. The end of the segment consists of windows, which processes map when they first
 * use them. A window has either FTC_BOARD_GROUP entries of all ranks with their places for messages
 * to all members, or one of FTC_BOARD_REGIONS places for large data of all ranks. */
enum { FTC_BOARD_GROUP = 64, FTC_BOARD_REGIONS = 16 };

/* Name and address of a host (directory.h). */
enum { FTC_BOARD_HOST_NAME = 64, FTC_BOARD_ADDRESS_BYTES = 16 };
struct ftc_board_host {
    char name[FTC_BOARD_HOST_NAME];
    unsigned char address[FTC_BOARD_ADDRESS_BYTES]; /* 16 bytes for IPv6, the first 4 for IPv4 */
    uint32_t family;                                /* AF_INET or AF_INET6 */
    _Atomic uint32_t is_heard;                      /* its updates have reached this host */
};

struct ftc_board_shared {
    uint64_t magic;
    uint64_t key[2]; /* random number of the creator, by which others recognize the segment */
    struct ftc_board_geometry geometry;
    _Atomic uint64_t cores[FTC_CORES_WORDS]; /* set of cores that any of the ranks may run on */
    _Alignas(64) _Atomic uint32_t ready;     /* ranks counted as prepared (presence.h) */
    _Atomic uint32_t refused;                /* ranks counted as refused */
    _Alignas(64) _Atomic uint32_t deaths;    /* number of deaths: one load shows that a rank died */
    _Atomic uint32_t ending;                 /* enum ftc_ending, and its claimant (end_of_job.c) */
    _Atomic uint64_t require_all_matches; /* words of setting require_all_at that have named a call
                                             (require_all.h) */
    _Atomic uint64_t recovery_announced, report_announced; /* announcement.c */
    _Atomic uint64_t line_announced;                       /* announcement.c */
    _Atomic uint32_t notices, recoveries; /* numbers drawn for lines on deaths, on recoveries */
    _Atomic uint32_t updates;             /* grows with each change that other hosts have to know */
    uint64_t job_key[2];                  /* key of the connections between hosts */
    struct ftc_hold agent;                /* lock that this host's agent holds */
    struct ftc_board_host host[FTC_BOARD_HOSTS_MAX];
    _Atomic uint64_t lease_until_ns, lost_hosts; /* lease.h: CLOCK_BOOTTIME; a set of hosts */
    _Atomic int64_t lease_ahead_ns;              /* ftc_clock_ahead_ns() when it was granted */
    _Atomic uint32_t lease_terms,
        lease_end_announced;           /* enum ftc_lease_terms; 1: its end is reported */
    _Atomic uint64_t losses_announced; /* lost hosts whose deaths this host reported */
    _Atomic uint32_t lease_is_awaited; /* only mpiexec is silent: the ranks wait */
    _Atomic uint64_t trace_announced;  /* announcement.c */
    _Atomic uint32_t trace_file;       /* 1 + number of the file; 0: none */
    _Alignas(64) struct ftc_board_rank rank[];
};

struct ftc_board {
    struct ftc_board_shared *shared; /* NULL: not open */
    struct ftc_board_geometry geometry;
    _Atomic(unsigned char *) *window; /* windows, mapped at their first use; NULL: not yet */
    size_t size_bytes;                /* bytes at @shared, all but the windows */
    int fd;                           /* -1: not open */
    uint64_t file;                    /* inode of @fd, which the program may have closed */
};

/* Sets the function to call if a window cannot be mapped. The process cannot continue then, and
 * @function must not return. If none is set, the process traps. */
void ftc_board_on_no_room(void (*function)(void));

/* Creates the segment and draws its key. Returns 0 or a negative errno. */
int ftc_board_create(struct ftc_board *board, const struct ftc_board_geometry *geometry);

/* Opens the segment that process @pid has open as descriptor @fd. Returns 0 or a negative errno:
 * -EACCES unless the segment belongs to this user, is sealed, has the size that its geometry
 * requires and has the key @key. */
int ftc_board_open(struct ftc_board *board, int pid, int fd, const uint64_t key[2]);

/* As above, but opens the segment of the descriptor @fd of this process. The board then owns @fd;
 * on an error @fd is closed. */
int ftc_board_take(struct ftc_board *board, int fd, const uint64_t key[2]);

/* As above, but does not check the key, and leaves @fd open on an error. */
int ftc_board_map(struct ftc_board *board, int fd);

void ftc_board_close(struct ftc_board *board);

/* Returns how many bytes of such a board a process maps if its program has few communicators, and
 * makes one call with large data at a time. */
size_t ftc_board_usual_bytes(const struct ftc_board_geometry *geometry);

static inline bool ftc_board_is_open(const struct ftc_board *board)
{
    return board->shared != NULL;
}

/* Copies the key of the board, for ftc_board_open(). */
void ftc_board_key(const struct ftc_board *board, uint64_t key[2]);

/* ---- addresses inside the segment; indices must be below the geometry's counts ---- */

/* Maps a window that is not mapped yet and returns its address. */
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

/* Returns a place of @rank for messages to all members of the communicator of @entry
 * (transport/multicast.h). The places of all ranks are adjacent, because each rank reads those of
 * all others, and the ranks mostly have the same entry for a communicator. */
static inline void *ftc_board_multicast(const struct ftc_board *board, uint32_t rank,
                                        uint32_t entry, uint32_t place)
{
    const struct ftc_board_geometry *g = &board->geometry;
    size_t entries_bytes = (size_t)g->ranks * FTC_BOARD_GROUP * g->entry_stride_bytes;
    size_t index = (size_t)(entry % FTC_BOARD_GROUP) * FTC_BOARD_MULTICASTS + place;

    return ftc_board_window(board, entry / FTC_BOARD_GROUP) + entries_bytes +
           (index * g->ranks + rank) * g->multicast_bytes;
}

/* As above, for place @place of the rank and entry whose place 0 is @first. */
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

/* Returns the pending senders of @rank. The words after the first are the set of ranks that have
 * sent a message to @rank since it last took them from the set. Bit i of the first word says that
 * word i of the set is not zero. */
_Atomic uint64_t *ftc_board_pending_senders(const struct ftc_board *board, uint32_t rank);

/* Returns the number of words of a set of ranks: rank i is bit i % 64 of word i / 64. */
uint32_t ftc_board_set_words(const struct ftc_board_geometry *geometry);

#endif
