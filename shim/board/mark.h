/* mark: native calls that a rank is in, which it shows on the board. Other processes read whether
 * one of these calls needs a dead rank.
 *
 * The rank can write anything there, so readers check all values before they use them. */
#ifndef FTC_BOARD_MARK_H
#define FTC_BOARD_MARK_H

#include "board.h"
#include "call/call.h"
#include "seqlock.h"

/* Values of @peer for calls that do not need one certain rank. FTC_BOARD_ALL: the call needs all
 * ranks of the set. FTC_BOARD_SOME: it needs one of them, and the rank already knows which of them
 * are dead. */
enum { FTC_BOARD_ALL = -1, FTC_BOARD_SOME = -2 };

/* ---- the rank itself: one writer of a mark at a time ---- */

/* Returns the FTC_BOARD_MARKS marks of @self. */
static inline struct ftc_board_mark *ftc_marks_of(const struct ftc_board *board, uint32_t self)
{
    return board->shared->rank[self].mark;
}

/* Call that begins. @peer and @set name the ranks that it needs (struct ftc_board_mark). @stack is
 * an address not far below that of @return_address on the stack. @fallback is an enum ftc_fallback,
 * the reason why native MPI carries out a call that the library can carry out. */
struct ftc_mark_start {
    enum ftc_call_kind kind;
    uint32_t set, fallback;
    int32_t peer;
    const void *return_address, *stack;
};

/* Marks a call. A reader that sees a part of the new call also sees that the call before it has
 * ended (by the fence, with that of FTC_SEQLOCK_IS_STILL: C11 7.17.4). */
static inline void ftc_mark_begin(struct ftc_board_mark *m, struct ftc_mark_start s)
{
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&m->call, s.kind, memory_order_relaxed);
    atomic_store_explicit(&m->peer, s.peer, memory_order_relaxed);
    atomic_store_explicit(&m->set, s.set, memory_order_relaxed);
    atomic_store_explicit(&m->also, 0, memory_order_relaxed);
    atomic_store_explicit(&m->fallback, s.fallback, memory_order_relaxed);
    atomic_store_explicit(&m->return_address, (uint64_t)(uintptr_t)s.return_address,
                          memory_order_relaxed);
    atomic_store_explicit(&m->stack, (uint64_t)(uintptr_t)s.stack, memory_order_relaxed);
    FTC_SEQLOCK_STEP(&m->version);
}

/* Adds that the call also sends to @rank. The send may complete before the rest of the call. */
static inline void ftc_mark_also(struct ftc_board_mark *m, uint32_t rank)
{
    atomic_store_explicit(&m->also, rank + 1, memory_order_relaxed);
}

static inline void ftc_mark_end(struct ftc_board_mark *m)
{
    FTC_SEQLOCK_STEP(&m->version);
}

/* Counts a test that found nothing, in the mark FTC_BOARD_POLL. */
static inline void ftc_mark_poll(struct ftc_board_mark *m, uint64_t now_ns)
{
    atomic_store_explicit(&m->polls, atomic_load_explicit(&m->polls, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    atomic_store_explicit(&m->polled_ns, now_ns, memory_order_relaxed);
}

/* ---- all processes ---- */

/* Call that needs a dead rank, as a mark shows it. */
struct ftc_mark {
    enum ftc_call_kind kind;
    uint32_t fallback;       /* see struct ftc_mark_start; not checked */
    uint64_t version;        /* number that differs for each call of the mark */
    uint64_t return_address; /* in the rank's process */
    uint64_t stack;          /* see ftc_callsite_beyond_mpi() */
    uint64_t since_ns;       /* time of the look that found the call first */
    uint32_t dead;           /* lowest dead rank that the call needs */
    uint32_t dead_count;     /* dead ranks that it needs, at least 1 */
    bool is_certain;         /* false: the call may complete without them */
    bool is_poll;            /* the rank tests again and again by calls of this kind */
    bool is_reported;        /* the rank knows of these deaths: to be reported only if the whole job
                            stands still */
};

/* State of the looks at one mark. Zero at the start. */
struct ftc_mark_watch {
    uint64_t version;  /* 0: no call that needs a dead rank */
    uint64_t others;   /* for a poll: ftc_mark_versions() of the rank; for a complete call: the sum
                          of the versions of all members' marks */
    uint64_t since_ns; /* time of the look that found the call first */
};

/* Time of a look at marks. A rank polls as long as its last test is at most @poll_gap_ns ago. */
struct ftc_mark_time {
    uint64_t now_ns; /* on a stopwatch (system/stopwatch.h) */
    uint64_t poll_gap_ns;
    uint64_t lost_ns; /* time that the stopwatch has not counted */
};

/* Looks at mark @index (below FTC_BOARD_MARKS) of @rank. Returns whether the rank is in a call that
 * needs a dead rank, or tests in vain by calls that need one. @mark then describes the call. Its
 * since_ns is the time of the first look that found this same call, or such tests without other
 * calls in between. */
bool ftc_mark_look(struct ftc_mark_watch *watch, const struct ftc_board *board, uint32_t rank,
                   uint32_t index, struct ftc_mark_time time, struct ftc_mark *mark);

/* Looks at the first mark of @rank. Returns whether it is a native collective call in which all
 * members live and have arrived, so that it waits for no rank. Excluded are calls that may take
 * long: those on files but open, close and set_view, and synchronization of windows but
 * MPI_Win_fence. @mark then describes the call, with no dead rank and with since_ns as above. */
bool ftc_mark_look_complete(struct ftc_mark_watch *watch, const struct ftc_board *board,
                            uint32_t rank, struct ftc_mark_time time, struct ftc_mark *mark);

/* Call that a mark shows, whether it needs a dead rank or not. */
struct ftc_mark_call {
    enum ftc_call_kind kind;
    uint64_t return_address, stack; /* as in struct ftc_mark */
};

/* Returns whether the first mark of @rank is a collective call on a communicator of exactly the
 * @count ranks @member, which must differ. A rank has other marks only with several threads. */
bool ftc_mark_collective(const struct ftc_board *board, uint32_t rank, const uint32_t *member,
                         int count, struct ftc_mark_call *call);

/* Returns a number that grows with each call of @rank, marked or carried out by the library. */
uint64_t ftc_mark_versions(const struct ftc_board *board, uint32_t rank);

/* Returns how many tests of @rank have found nothing since the first death. */
uint64_t ftc_mark_polls(const struct ftc_board *board, uint32_t rank);

/* Returns the number of threads of @rank that are in calls, plus 1 if it tests in vain. */
uint32_t ftc_mark_threads_inside(const struct ftc_board *board, uint32_t rank);

/* Call that a rank waits in, carried out by native MPI or by the library. */
struct ftc_mark_wait {
    enum ftc_call_kind kind; /* FTC_CALL_NONE: not known */
    uint64_t return_address; /* 0: not known */
    uint64_t stack;          /* as in struct ftc_mark, for a native call; else 0 */
    bool is_poll;
};

/* Returns after how many milliseconds a protected call that makes a communicator leaves its native
 * part (new_communicators/participants.h). It then tries once more. */
static inline uint64_t ftc_mark_stuck_ms(int blocked_ms)
{
    enum { TIMES = 3, LEAST_MS = 1000 };

    return TIMES * (uint64_t)(blocked_ms > LEAST_MS ? blocked_ms : LEAST_MS);
}

/* Finds the call that @rank waits in. Returns false if it waits in none. */
bool ftc_mark_wait_of(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time,
                      struct ftc_mark_wait *wait);

/* ---- the job as a whole ---- */

/* Result of one look of a monitor process at its rank. */
struct ftc_still_sight {
    bool is_active; /* the rank does something that its marks do not show */
    uint32_t share; /* share of the time for which the rank could run; FTC_STILL_WHOLE: all */
};
enum { FTC_STILL_WHOLE = 1000, FTC_STILL_SIGHT_NS = 1000000000 };

/* Enters the result of a look at @rank. To be called by its monitor process at each look. */
void ftc_still_see(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time,
                   struct ftc_still_sight sight);

/* State of the looks at the whole job. Zero at the start. */
struct ftc_still_watch {
    uint64_t versions; /* sum over all ranks, which changes with each call */
    uint64_t since_ns; /* last time when it had changed, or a rank was in no call */
    uint64_t last_ns;  /* time of the last look */
    uint64_t still_ns; /* result of the last look */
};

/* Returns whether @rank, of this host, is in a call that waits for ranks of the job, or tests in
 * vain. */
bool ftc_still_waits(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time);

/* Shows other hosts whether @rank waits, and whether it is still in the same call. Returns whether
 * this differs from what they were shown last. */
bool ftc_still_show(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time);

/* Returns for how many nanoseconds the job has stood still: all living ranks are in calls that wait
 * for others, or test in vain, and none has begun or ended a call or had hidden activity
 * (ftc_still_see()). Ranks of other hosts count as their last updates show them. Only the share of
 * the time counts for which each rank of this host could run. */
uint64_t ftc_still_look(struct ftc_still_watch *watch, const struct ftc_board *board,
                        struct ftc_mark_time time);

/* Notes whether the monitor process of @rank finds that the job stands still, and so reports the
 * call of its rank. */
void ftc_still_report(const struct ftc_board *board, uint32_t rank, bool is_reported);

/* Returns whether the last ftc_still_report() for each living rank of this host was true. */
bool ftc_still_are_all_reported(const struct ftc_board *board);

#endif
