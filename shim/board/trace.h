/* trace: what each rank has done last in operations, a ring of events a rank (setting trace_file).
 *
 * A rank writes its own ring, and nobody else's; anybody may read it, also after its death. A ring
 * has parts. Each holds the newest events that were written while it was the one in use; a rank
 * goes on to the next part when it is through with a death (ftc_trace_keep()), so what happened
 * then stays, however much comes after it. The last part is used for good.
 *
 * An event is complete when the count of its part says so; one that is being overwritten while
 * somebody reads it is not believed. */
#ifndef FTC_BOARD_TRACE_H
#define FTC_BOARD_TRACE_H

#include "board.h"
#include "system/ticks.h"

enum ftc_trace_kind {
    FTC_TRACE_NONE = 0,
    FTC_TRACE_BEGIN,    /* of an operation; what: enum ftc_call_kind, number: bytes of the value,
                           peer: members */
    FTC_TRACE_PHASE,    /* what: enum ftc_phase; attempt; peer: its root, or FTC_TRACE_NOBODY */
    FTC_TRACE_SENT,     /* to peer; what: enum ftc_message_kind; attempt, number: step */
    FTC_TRACE_RECEIVED, /* from peer; likewise */
    FTC_TRACE_NOTICED,  /* the death of peer */
    FTC_TRACE_TAKEN, /* peer's published result, in the place of a message; attempt: that decided it
                      */
    FTC_TRACE_END,   /* what: enum ftc_verdict; attempt: that decided it; number: left out */
    FTC_TRACE_MOMENT, /* no event: ticks were communicator_id in nanoseconds of CLOCK_MONOTONIC */
};

enum { FTC_TRACE_NOBODY = 0xffff };
_Static_assert((int)FTC_BOARD_RANKS_MAX < (int)FTC_TRACE_NOBODY, "a rank fits");

struct ftc_trace_event {
    uint64_t ticks; /* of ftc_ticks() */
    uint64_t communicator_id;
    uint32_t seq; /* of the operation in the communicator */
    uint32_t number;
    uint16_t peer; /* world rank */
    uint16_t attempt;
    uint8_t kind, what;
};

/* In the ring: ticks, communicator_id, and two words of the others. */
enum { FTC_TRACE_EVENT_WORDS = 4, FTC_TRACE_PARTS = 8 };

/* The writing end: this rank's alone. */
struct ftc_trace {
    _Atomic uint64_t *count;  /* of events that were written to the part in use */
    _Atomic uint64_t *events; /* of that part */
    uint64_t written, mask;
    uint64_t now; /* what events get for their time: ftc_trace_look_at_clock() */
    bool are_cycles;
    void *ring;
    uint32_t part;
};

/* Bytes of a rank's ring in a job of so many, for struct ftc_board_geometry. */
uint32_t ftc_trace_bytes(uint32_t ranks);

/* Whether this board has rings. */
bool ftc_trace_is_on(const struct ftc_board *board);

/* ---- the writing rank ---- */

/* The board has rings, and stays open. */
void ftc_trace_open(struct ftc_trace *t, const struct ftc_board *board, uint32_t self);

static inline void ftc_trace_look_at_clock(struct ftc_trace *t)
{
    t->now = ftc_ticks(t->are_cycles);
}

/* Adds @e, at the time of the last look at the clock. Whoever sees a part of it sees by the count
 * that the event before it in this place is gone. */
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

/* What is in the ring now stays there, as long as there are parts left to go on in. */
void ftc_trace_keep(struct ftc_trace *t);

/* This rank adds no more events. */
void ftc_trace_end(struct ftc_trace *t);

/* ---- who reads ---- */

/* Most events that a rank's ring holds. */
size_t ftc_trace_capacity(const struct ftc_board *board);

/* Copies those of @rank, oldest first, to @event, which has room for the capacity. Any process may
 * have written them: kind, what and peer are to be checked. */
size_t ftc_trace_read(const struct ftc_board *board, uint32_t rank, struct ftc_trace_event *event);

/* When @rank has opened its ring, and what its ticks are; false: it has not. */
bool ftc_trace_start(const struct ftc_board *board, uint32_t rank, struct ftc_moment *start,
                     bool *are_cycles);

bool ftc_trace_has_ended(const struct ftc_board *board, uint32_t rank);

/* Number of the file that the trace has been written to: 0 is the one that setting trace_file
 * names; -1: there is none yet. */
int ftc_trace_file_number(const struct ftc_board *board);
void ftc_trace_set_file_number(const struct ftc_board *board, int number);

#endif
