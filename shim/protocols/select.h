/* select: which protocol carries out a collective call (doc/design.md, section 12).
 *
 * This is the only place where that is decided. The function is pure. All ranks of a correct
 * program know the same facts, so all of them select the same protocol without a message. A rank
 * chooses for itself only where its own block lies: in the messages, exposed on the board
 * (protocols/exposed.h), or in one or more parts (protocols/rounds.h). */
#ifndef FTC_PROTOCOLS_SELECT_H
#define FTC_PROTOCOLS_SELECT_H

#include "call/policy.h"

enum ftc_protocol {
    FTC_PROTOCOL_SINGLE,             /* one operation has all data: protocols/single.h */
    FTC_PROTOCOL_SINGLE_EXPOSED,     /* one operation; each rank exposes its block on the board */
    FTC_PROTOCOL_PIPELINED,          /* a vote after a data phase: protocols/pipelined.h */
    FTC_PROTOCOL_SEGMENTED,          /* an operation for each slice: protocols/segmented.h */
    FTC_PROTOCOL_ROUNDS_IN_MEMORY,   /* blocks through bulk memory: protocols/rounds.h */
    FTC_PROTOCOL_ROUNDS_IN_MESSAGES, /* the same through messages */
    FTC_PROTOCOL_NATIVE,             /* the program's MPI library carries out the call */
    FTC_PROTOCOL_ERROR,              /* the request gets an error */
    FTC_PROTOCOLS
};

struct ftc_select_facts {
    enum ftc_fallback
        obstacle; /* why one operation cannot carry out the call; FTC_FALLBACK_NONE: it can */
    bool has_turned_out; /* the result of the first operation says so; no rank knew before */

    bool is_protected;  /* large = protected */
    bool several_hosts; /* the job has ranks on more than one host */

    /* Facts of nonblocking and persistent calls; false for all others. */
    bool has_request;
    bool needs_packing; /* only MPI can read or write the data */
    bool unknown_size;  /* no rank knows how much the others send */
    bool fits_rounds;   /* max_bytes has at least a byte for each rank */

    bool can_expose;   /* blocking, with blocks of one size that all have room on the board */
    bool is_reduction; /* reduce or allreduce, in one group */
    bool is_blocking_broadcast; /* in one group */
    bool packs_elements;        /* elements at addresses: they are packed before they travel */
    bool commutative;           /* the operation of a reduction */
    bool fits_slot;             /* a block of the data phase has room in a slot of bulk memory */
    bool fits_part;             /* an element has room in a part of a large call */
};

/* Returns the first row that holds. A caller that learns from the result of an operation that the
 * data were too large asks again, with that fact. */
enum ftc_protocol ftc_select(const struct ftc_select_facts *f);

/* Whether the thread of the program packs the data when it begins a request, as other threads do
 * not call MPI. */
bool ftc_select_packing(const struct ftc_select_facts *f, enum ftc_protocol protocol);

/* Whether the protocol carries blocks in rounds. */
static inline bool ftc_protocol_is_rounds(enum ftc_protocol p)
{
    return p == FTC_PROTOCOL_ROUNDS_IN_MEMORY || p == FTC_PROTOCOL_ROUNDS_IN_MESSAGES;
}

#endif
