/* select: choice of the protocol that carries out a collective call (doc/design.md, section 12).
 *
 * No other file makes this choice. ftc_select() is a pure function. All ranks of a correct program
 * know the same facts, so all of them select the same protocol without a message. A rank chooses
 * alone only where its own block is: in the messages, exposed on the board (protocols/exposed.h),
 * or in one or more parts (protocols/rounds.h). */
#ifndef FTC_PROTOCOLS_SELECT_H
#define FTC_PROTOCOLS_SELECT_H

#include "call/policy.h"

enum ftc_protocol {
    FTC_PROTOCOL_SINGLE,             /* one operation carries all data: protocols/single.h */
    FTC_PROTOCOL_SINGLE_EXPOSED,     /* one operation; each rank exposes its block on the board */
    FTC_PROTOCOL_PIPELINED,          /* a vote after a data phase: protocols/pipelined.h */
    FTC_PROTOCOL_SEGMENTED,          /* an operation for each slice: protocols/segmented.h */
    FTC_PROTOCOL_ROUNDS_IN_MEMORY,   /* blocks through bulk memory: protocols/rounds.h */
    FTC_PROTOCOL_ROUNDS_IN_MESSAGES, /* blocks through messages: protocols/rounds.h */
    FTC_PROTOCOL_NATIVE,             /* the program's MPI library carries out the call */
    FTC_PROTOCOL_ERROR,              /* the request completes with an error */
    FTC_PROTOCOLS
};

struct ftc_select_facts {
    /* Reason why one operation cannot carry out the call; FTC_FALLBACK_NONE: it can. */
    enum ftc_fallback obstacle;
    bool has_turned_out; /* an operation's result showed the obstacle; no rank knew before */

    bool is_protected;  /* large = protected */
    bool several_hosts; /* the job has ranks on more than one host */

    /* Facts of nonblocking and persistent calls; false for all others. */
    bool has_request;
    bool needs_packing; /* only calls into MPI can read or write the data */
    bool unknown_size;  /* no rank knows how much the others send */
    bool fits_rounds;   /* max_bytes has at least a byte for each rank */

    bool can_expose;   /* blocking, with blocks of one size that all have room on the board */
    bool is_reduction; /* reduce or allreduce, in one group */
    bool is_blocking_broadcast; /* blocking, in one group */
    bool packs_elements;        /* elements are packed: at addresses, or between groups */
    bool commutative;           /* the operation of the reduction is commutative */
    bool fits_slot;             /* a block of the data phase fits a slot of bulk memory */
    bool fits_part;             /* an element fits a part of a large call */
};

/* Returns the protocol of a call. If the result of an operation shows that the data were too large,
 * the caller asks again with f->has_turned_out. */
enum ftc_protocol ftc_select(const struct ftc_select_facts *f);

/* Returns whether the program's thread packs the data when it begins a request, as other threads do
 * not call MPI. */
bool ftc_select_packing(const struct ftc_select_facts *f, enum ftc_protocol protocol);

/* Returns whether @p carries blocks in rounds. */
static inline bool ftc_protocol_is_rounds(enum ftc_protocol p)
{
    return p == FTC_PROTOCOL_ROUNDS_IN_MEMORY || p == FTC_PROTOCOL_ROUNDS_IN_MESSAGES;
}

#endif
