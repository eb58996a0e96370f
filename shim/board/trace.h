/* trace: events of operations, in a ring of each rank (setting trace_file).
 *
 * A rank writes only its own ring. Any process may read it, also after the death of the rank. A
 * ring has parts. Each part keeps the newest events that were written while it was in use. A rank
 * moves on to the next part after it has recovered from a death (ftc_trace_keep()), so later events
 * do not overwrite those of the recovery. The last part stays in use until the end.
 *
 * An event is complete when the count of its part includes it. A reader drops events that may
 * have been overwritten while it read them. */
#ifndef FTC_BOARD_TRACE_H
#define FTC_BOARD_TRACE_H

#include "board.h"
#include "system/ticks.h"

enum ftc_trace_kind {
    FTC_TRACE_NONE = 0,
    FTC_TRACE_BEGIN,    /* start of an operation; what: enum ftc_call_kind; number: bytes of the
                           value; peer: number of members */
    FTC_TRACE_PHASE,    /* start of a phase; what: enum ftc_phase; attempt; peer: root of the
                           attempt, or FTC_TRACE_NOBODY */
    FTC_TRACE_SENT,     /* message to peer; what: enum ftc_message_kind; attempt; number: step */
    FTC_TRACE_RECEIVED, /* message from peer; other fields as for FTC_TRACE_SENT */
    FTC_TRACE_NOTICED,  /* death of peer, noticed by this rank */
    FTC_TRACE_TAKEN,    /* published result of peer, taken in place of a message; attempt: the one
                           that decided it */
    FTC_TRACE_END,      /* end of an operation; what: enum ftc_verdict; attempt: the one that
                           decided the result; number: ranks that the result excludes */
    FTC_TRACE_MOMENT,   /* pair of clock readings, no event: communicator_id is CLOCK_MONOTONIC in
                           nanoseconds at the time ticks */
};

enum { FTC_TRACE_NOBODY = 0xffff };
_Static_assert((int)FTC_BOARD_RANKS_MAX < (int)FTC_TRACE_NOBODY, "a rank fits");

struct ftc_trace_event {
    uint64_t ticks; /* ftc_ticks() */
    uint64_t communicator_id;
    uint32_t seq; /* number of the operation in the communicator */
    uint32_t number;
    uint16_t peer; /* world rank */
    uint16_t attempt;
    uint8_t kind, what;
};

/* Size of an event in the ring: ticks, communicator_id, and two words with the other fields. */
enum { FTC_TRACE_EVENT_WORDS = 4, FTC_TRACE_PARTS = 8 };

/* State of the writing rank. */
struct ftc_trace {
    _Atomic uint64_t *count;  /* number of events written to the part in use, on the board */
    _Atomic uint64_t *events; /* events of that part */
    uint64_t written, mask;
    uint64_t now; /* time of new events, read by ftc_trace_look_at_clock() */
    bool are_cycles;
    void *ring;
    uint32_t part;
};

/* Returns the size of a rank's ring in a job of @ranks ranks, for struct ftc_board_geometry. */
uint32_t ftc_trace_bytes(uint32_t ranks);

/* Returns whether this board has rings. */
bool ftc_trace_is_on(const struct ftc_board *board);

/* ---- the writing rank ---- */

/* Opens the ring of @self. The board must have rings and stay open. */
void ftc_trace_open(struct ftc_trace *t, const struct ftc_board *board, uint32_t self);

static inline void ftc_trace_look_at_clock(struct ftc_trace *t)
{
    t->now = ftc_ticks(t->are_cycles);
}

/* Adds @e with the time of the last ftc_trace_look_at_clock(). A reader that sees a part of it also
 * sees a count that shows that the older event in this place is gone. */
static inline void ftc_trace_add(struct ftc_trace *t, struct ftc_trace_event e)
{
    _Atomic uint64_t *place = t->events + (t->written & t->mask) * FTC_TRACE_EVENT_WORDS;
    uint64_t rest =
        e.peer | (uint64_t)e.attempt << 16 | (uint64_t)e.kind << 32 | (uint64_t)e.what << 40;

    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&place[0], t->now, memory_order_relaxed);
    atomic_store_explicit(&place[1], e.communicator_id, memory_order_relaxed);
    atomic_store_explicit(&place[2], e.seq | (uint64_t)e.number << 32, memory_order_relaxed);
    atomic_store_explicit(&place[3], rest, memory_order_relaxed);
    atomic_store_explicit(t->count, ++t->written, memory_order_release);
}

/* Moves on to the next part, so that the events in this part are kept. Has no effect in the last
 * part. */
void ftc_trace_keep(struct ftc_trace *t);

/* Notes that this rank adds no more events. */
void ftc_trace_end(struct ftc_trace *t);

/* ---- readers ---- */

/* Returns the number of events for which a rank's ring has room. */
size_t ftc_trace_capacity(const struct ftc_board *board);

/* Copies the events of @rank to @event, which has room for the capacity, oldest first. Returns
 * their number. Any process may have written them, so the caller checks kind, what and peer. */
size_t ftc_trace_read(const struct ftc_board *board, uint32_t rank, struct ftc_trace_event *event);

/* Finds the time when @rank opened its ring, and whether its ticks are processor cycles. Returns
 * false if it has not opened it. */
bool ftc_trace_start(const struct ftc_board *board, uint32_t rank, struct ftc_moment *start,
                     bool *are_cycles);

bool ftc_trace_has_ended(const struct ftc_board *board, uint32_t rank);

/* Returns the number of the file that the trace has been written to: 0 for the one that the setting
 * trace_file names, -1 if there is none yet. */
int ftc_trace_file_number(const struct ftc_board *board);
void ftc_trace_set_file_number(const struct ftc_board *board, int number);

#endif
