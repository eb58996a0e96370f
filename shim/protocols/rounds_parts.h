/* rounds_parts: what a rank gives to a call whose blocks take rounds (rounds.h), and what it takes
 * of the others, part by part. */
#ifndef FTC_PROTOCOLS_ROUNDS_PARTS_H
#define FTC_PROTOCOLS_ROUNDS_PARTS_H

#include "collective.h"
#include "progress/loop.h"
#include "reassembly.h"
#include "round_status.h"
#include "segments.h"

struct ftc_rounds_carrier;

/* The data of one rank. */
struct ftc_rounds_from {
    const unsigned char *data; /* its owner's memory, or what is kept */
    size_t bytes;
    struct ftc_reassembly kept;
    uint32_t note;
    bool is_whole;
};

struct ftc_rounds {
    struct ftc_prelude prelude; /* must be first */
    struct ftc_plan *plan;
    const struct ftc_rounds_carrier *carrier;
    struct ftc_round_status status; /* of the round: who has written, and what is left */
    bool has_memory, lacks_place;
    uint32_t round;
    uint32_t note;

    /* In memory: */
    bool is_ready; /* has written in this round */
    int place;     /* of this rank's in board/bulk.h; -1: none yet */
    uint32_t seq;

    /* In messages: */
    int givers;        /* ranks that have some left, which share the value of the next round */
    size_t part_bytes; /* the most that a rank writes in this round */

    const unsigned char *given; /* own block */
    unsigned char *own;         /* memory of it, if it goes in parts and was not packed */
    size_t bytes, written;      /* of it */

    int ranks; /* of the communicator, which may be gone when what is kept is freed */
    struct ftc_rounds_from *from; /* by rank */
    size_t kept_bytes;
};

/* The carrier of the data to other ranks: rounds_carrier.h. */
struct ftc_rounds_carrier {
    /* Whether a block of @bytes goes part by part out of private memory. */
    bool (*is_in_parts)(size_t bytes);
    /* Where others read this rank's block of @bytes, if it is not; NULL: there is no memory. */
    unsigned char *(*block)(struct ftc_rounds *p, size_t bytes);
    void (*request)(struct ftc_rounds *p, struct ftc_loop_request *request);
    /* After the operation: p->status. */
    void (*hear)(struct ftc_rounds *p);
    /* Takes what the others have written in this round. */
    void (*take)(struct ftc_rounds *p);
    void (*close)(struct ftc_rounds *p);
};

/* The data that one rank has written in one round. */
struct ftc_rounds_part {
    const unsigned char *data;
    size_t bytes, left; /* after it, at most */
    uint32_t note;
    bool stays; /* where it is, until this rank has shown that it has read */
};

/* Takes the block from whoever makes it; p->has_memory tells if there is none. */
void ftc_rounds_give(struct ftc_rounds *p);

/* Returns the flags of this rank in a round, after it has written. */
uint32_t ftc_rounds_flags(const struct ftc_rounds *p);

/* Whether @rank has written in this round, by p->status, and its block is not yet whole. */
bool ftc_rounds_brings(const struct ftc_rounds *p, int rank);

void ftc_rounds_take(struct ftc_rounds *p, int rank, const struct ftc_rounds_part *part);

/* ---- for composite.h ---- */

/* Where this rank's block of @bytes belongs; NULL without memory. */
void *ftc_rounds_block(struct ftc_rounds *p, size_t bytes);

/* After the last round. */
struct ftc_piece ftc_rounds_find(const struct ftc_rounds *p, int rank);
uint32_t ftc_rounds_note(const struct ftc_rounds *p, int rank);

#endif
