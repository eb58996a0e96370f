/* mark: a rank shows on the board which unprotected calls it is in, and others read there whether
 * one of these needs a dead rank.
 *
 * The rank can write anything there, so nothing is used before it is checked. */
#ifndef FTC_BOARD_MARK_H
#define FTC_BOARD_MARK_H

#include "board.h"
#include "call/call.h"
#include "seqlock.h"

/* What a call needs, if it is not one rank: all of a set; or some member of it, of whose death it
 * has been told. */
enum { FTC_BOARD_ALL = -1, FTC_BOARD_SOME = -2 };

/* ---- the rank itself: one writer of a mark at a time ---- */

/* The marks of @self, FTC_BOARD_MARKS of them. */
static inline struct ftc_board_mark *ftc_marks_of(const struct ftc_board *board, uint32_t self)
{
    return board->shared->rank[self].mark;
}

/* A call that begins. It needs @peer or has it in set @set (struct
 * ftc_board_mark). @stack is an address not far below that of @return_address on the stack.
 * @fallback is an enum ftc_fallback: why native MPI carries out a call that the library can carry
 * out. */
struct ftc_mark_start {
    enum ftc_call_kind kind;
    uint32_t set, fallback;
    int32_t peer;
    const void *return_address, *stack;
};

/* A reader that sees a part of the new call sees that the one before it has ended (the fence, with
 * that of FTC_SEQLOCK_IS_STILL: C11 7.17.4). */
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

/* It sends to @rank as well, which may be over before the rest of it. */
static inline void ftc_mark_also(struct ftc_board_mark *m, uint32_t rank)
{
    atomic_store_explicit(&m->also, rank + 1, memory_order_relaxed);
}

static inline void ftc_mark_end(struct ftc_board_mark *m)
{
    FTC_SEQLOCK_STEP(&m->version);
}

/* Of FTC_BOARD_POLL: the rank has looked again. */
static inline void ftc_mark_poll(struct ftc_board_mark *m, uint64_t now_ns)
{
    atomic_store_explicit(&m->polls, atomic_load_explicit(&m->polls, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    atomic_store_explicit(&m->polled_ns, now_ns, memory_order_relaxed);
}

/* ---- everybody ---- */

/* What a mark says: a call that waits and needs a dead rank. */
struct ftc_mark {
    enum ftc_call_kind kind;
    uint32_t fallback;       /* see struct ftc_mark_start; not checked */
    uint64_t version;        /* one of its own for each call */
    uint64_t return_address; /* in the rank's process */
    uint64_t stack;          /* see ftc_callsite_beyond_mpi() */
    uint64_t since_ns;       /* seen like that since then */
    uint32_t dead;           /* lowest rank of the dead that it needs */
    uint32_t dead_count;     /* at least 1 */
    bool is_certain;         /* false: it may go on without them */
    bool is_poll;            /* calls of this kind, again and again */
    bool is_told;            /* of these deaths: nothing new unless the whole job stands still */
};

/* One per mark, zero at the start. */
struct ftc_mark_watch {
    uint64_t version;  /* 0: no call that needs a dead rank */
    uint64_t others;   /* of a poll: versions of the rank's other calls; of a complete call: of the
                          other members' marks */
    uint64_t since_ns; /* seen like that since then */
};

/* When a look at marks is. A rank polls as long as its last look is not longer ago than the gap. */
struct ftc_mark_time {
    uint64_t now_ns; /* on a stopwatch (system/stopwatch.h), */
    uint64_t poll_gap_ns;
    uint64_t lost_ns; /* which have lost so much */
};

/* Looks at mark @index (below FTC_BOARD_MARKS) of @rank. True if the rank sits in one and the same
 * call that needs a dead rank, or polls in vain and does nothing else in MPI, since the look that
 * found it first; @mark is set then. */
bool ftc_mark_look(struct ftc_mark_watch *watch, const struct ftc_board *board, uint32_t rank,
                   uint32_t index, struct ftc_mark_time time, struct ftc_mark *mark);

/* True if all members of a native collective call that @rank sits in by its first mark live, and
 * sit in the same call, which is none that moves data to or from a file: it waits for nobody. The
 * first look that found it so is @mark's since_ns; no rank of @mark is dead. */
bool ftc_mark_look_complete(struct ftc_mark_watch *watch, const struct ftc_board *board,
                            uint32_t rank, struct ftc_mark_time time, struct ftc_mark *mark);

/* A call that a mark shows, whoever is dead. */
struct ftc_mark_call {
    enum ftc_call_kind kind;
    uint64_t return_address, stack; /* as above */
};

/* Whether @rank is in a collective call on a communicator of exactly these @count ranks, which
 * are different from each other, by its first mark: only with several threads it has others. */
bool ftc_mark_collective(const struct ftc_board *board, uint32_t rank, const uint32_t *member,
                         int count, struct ftc_mark_call *call);

/* What grows with each call of @rank that is marked or carried out here. */
uint64_t ftc_mark_versions(const struct ftc_board *board, uint32_t rank);

/* How often @rank has looked for something in vain. */
uint64_t ftc_mark_polls(const struct ftc_board *board, uint32_t rank);

/* Threads of @rank that are in calls, or call again and again to look for something. */
uint32_t ftc_mark_threads_inside(const struct ftc_board *board, uint32_t rank);

/* Any call that @rank waits in, whether native MPI carries it out or the library. */
struct ftc_mark_wait {
    enum ftc_call_kind kind; /* FTC_CALL_NONE: one that has no name */
    uint64_t return_address; /* 0: not known */
    uint64_t stack;          /* of a native call */
    bool is_poll;
};

/* Returns after how many milliseconds a protected call that makes a communicator leaves its native
 * part (new_communicators/participants.h). It then tries once more. */
static inline uint64_t ftc_mark_stuck_ms(int blocked_ms)
{
    enum { TIMES = 3, LEAST_MS = 1000 };

    return TIMES * (uint64_t)(blocked_ms > LEAST_MS ? blocked_ms : LEAST_MS);
}

/* False if @rank is in none. */
bool ftc_mark_wait_of(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time,
                      struct ftc_mark_wait *wait);

/* ---- the job as a whole ---- */

/* The result of one look of a monitor process at its rank. */
struct ftc_still_sight {
    bool stirs;     /* it does something that its marks do not show */
    uint32_t share; /* how much of the time it could run: this many of FTC_STILL_WHOLE */
};
enum { FTC_STILL_WHOLE = 1000, FTC_STILL_SIGHT_NS = 1000000000 };

/* To be called by the monitor process of @rank at each of its looks. */
void ftc_still_see(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time,
                   struct ftc_still_sight sight);

/* Zero at the start. */
struct ftc_still_watch {
    uint64_t versions; /* of all marks and calls, added up */
    uint64_t since_ns; /* when the last of them changed, or a rank was in no call */
    uint64_t last_ns;  /* of the last look */
    uint64_t still_ns;
};

/* Whether @rank, of this host, is in a call that waits for ranks of the job, or polls in vain. */
bool ftc_still_waits(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time);

/* Lets other hosts see that, and whether it is still the same call. True if that is news. */
bool ftc_still_show(const struct ftc_board *board, uint32_t rank, struct ftc_mark_time time);

/* For how long all living ranks of the job have now been in calls that wait for others, or have
 * polled in vain, and none has stirred: those of other hosts as far as it has been heard. Time
 * counts as far as each of them could run. */
uint64_t ftc_still_look(struct ftc_still_watch *watch, const struct ftc_board *board,
                        struct ftc_mark_time time);

/* The call of @rank has been reported, as one of a job that stands still; or that is over. */
void ftc_still_report(const struct ftc_board *board, uint32_t rank, bool is_reported);

/* Whether that is so for each living rank of this host. */
bool ftc_still_are_all_reported(const struct ftc_board *board);

#endif
