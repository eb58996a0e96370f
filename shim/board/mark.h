/* mark: reads from a rank's marks on the board which unprotected call it is in, and whether that
 * needs a dead rank.
 *
 * The rank can write anything there, so nothing is used before it is checked. */
#ifndef FTC_BOARD_MARK_H
#define FTC_BOARD_MARK_H

#include "board.h"
#include "call/call.h"

/* What a mark says: a call that waits and needs a dead rank. */
struct ftc_mark {
    enum ftc_call_kind kind;
    uint64_t version;        /* one of its own for each call */
    uint64_t return_address; /* in the rank's process */
    uint64_t stack;          /* see ftc_callsite_beyond_mpi() */
    uint64_t since_ns;       /* seen like that since then */
    uint32_t dead;           /* lowest slot of the dead that it needs */
    uint32_t dead_count;     /* at least 1 */
    bool is_certain;         /* false: it may go on without them */
    bool is_poll;            /* calls of this kind, again and again */
    bool is_told;            /* of these deaths: nothing new unless the whole job stands still */
};

/* One per mark, zero at the start. */
struct ftc_mark_watch {
    uint64_t version;  /* 0: no call that needs a dead rank */
    uint64_t others;   /* of a poll: versions of the rank's other calls */
    uint64_t since_ns; /* seen like that since then */
};

/* When a look at marks is. A rank polls as long as its last look is not longer ago than the gap. */
struct ftc_mark_time {
    uint64_t now_ns, poll_gap_ns;
};

/* Looks at mark @index (below FTC_BOARD_MARKS) of @slot. True if the rank sits in one and the same
 * call that needs a dead rank, or polls in vain and does nothing else in MPI, since the look that
 * found it first; @mark is set then. */
bool ftc_mark_look(struct ftc_mark_watch *watch, const struct ftc_board *board, uint32_t slot,
                   uint32_t index, struct ftc_mark_time time, struct ftc_mark *mark);

/* A call that a mark shows, whoever is dead. */
struct ftc_mark_call {
    enum ftc_call_kind kind;
    uint64_t return_address, stack; /* as above */
};

/* Whether @slot is in a collective call on a communicator of exactly these @count slots, which
 * are different from each other, by its first mark: only with several threads it has others. */
bool ftc_mark_collective(const struct ftc_board *board, uint32_t slot, const uint32_t *member,
                         int count, struct ftc_mark_call *call);

/* What grows with each call of @slot that is marked or carried out here. */
uint64_t ftc_mark_versions(const struct ftc_board *board, uint32_t slot);

/* Zero at the start. */
struct ftc_still_watch {
    uint64_t versions; /* of all marks and calls, added up */
    uint64_t since_ns;
};

/* For how long all living ranks of the board have now been in calls that wait for others, or have
 * polled in vain. */
uint64_t ftc_still_look(struct ftc_still_watch *watch, const struct ftc_board *board,
                        struct ftc_mark_time time);

#endif
