/* rounds: the protocol of blocks that are too large for messages (doc/design.md, section 12). The
 * operation of each round carries the set of the ranks that have written, in place of the blocks,
 * or, where ranks share no memory, the next parts of these. engine/rounds.h decides what comes
 * next, who has a block, and when memory may be written again. */
#ifndef FTC_PROTOCOLS_ROUNDS_H
#define FTC_PROTOCOLS_ROUNDS_H

#include "collective.h"
#include "engine/rounds.h"
#include "round_status.h"
#include "segments.h"

struct ftc_rounds_carrier;

/* The parts of one rank's block that have come: of segments those for this rank alone. */
struct ftc_reassembly {
    unsigned char *data; /* what matters here; from malloc() */
    size_t bytes, room;
    size_t looked_at; /* of segments: those up to here are for this rank */
};

/* The data of one rank. */
struct ftc_rounds_from {
    const unsigned char *data; /* its owner's memory, or what is kept */
    size_t bytes;
    struct ftc_reassembly kept;
    uint32_t note;
    struct ftc_rounds_source source;
};

struct ftc_rounds {
    struct ftc_prelude prelude; /* must be first */
    struct ftc_plan *plan;
    const struct ftc_rounds_carrier *carrier;
    struct ftc_round_status status; /* of the round: who has written, and what is left */
    bool has_memory, lacks_region;
    struct ftc_rounds_progress progress;

    /* In memory: */
    int region; /* of this rank's in board/bulk.h, from FTC_ROUNDS_WRITE on */
    uint32_t seq;

    /* In messages: */
    int givers;        /* ranks that have some left, which share the value of the next round */
    size_t part_bytes; /* the most that a rank writes in this round */

    const unsigned char *given; /* own block */
    unsigned char *own;         /* memory of it, if it goes in parts and was not packed */

    int ranks; /* of the communicator, which may be gone when what is kept is freed */
    struct ftc_rounds_from *from; /* by rank */
    size_t kept_bytes;
};

/* The carrier of the data to other ranks: bulk memory, or the messages of the rounds' operations.
 */
struct ftc_rounds_carrier {
    /* Returns room for this rank's block of @bytes; NULL: there is no memory. */
    unsigned char *(*block)(struct ftc_rounds *p, size_t bytes);
    /* After the operation: p->status. */
    void (*hear)(struct ftc_rounds *p);
    /* Takes what the others have written in this round. */
    void (*take)(struct ftc_rounds *p);
};

extern const struct ftc_protocol_steps ftc_rounds_in_memory, ftc_rounds_in_messages;

/* Returns the room for the value of a round in messages, of @ranks ranks. */
size_t ftc_rounds_room(int ranks);

/* The data that one rank has written in one round. */
struct ftc_rounds_part {
    const unsigned char *data;
    size_t bytes, left; /* after it, at most */
    uint32_t note;
    bool may_stay; /* where it is, until this rank has shown that it has read */
};

/* ---- for the carriers ---- */

/* Steps that both have in common. */
void ftc_rounds_open(struct ftc_plan *plan, const struct ftc_rounds_carrier *carrier);
int ftc_rounds_after(struct ftc_plan *plan);
void ftc_rounds_free(const struct ftc_plan *plan);

/* Returns private memory for a block of @bytes that goes in parts; NULL: there is none. */
unsigned char *ftc_rounds_own_block(struct ftc_rounds *p, size_t bytes);

/* Takes the block from whoever makes it; p->has_memory tells if there is none. */
void ftc_rounds_give(struct ftc_rounds *p);

/* Returns the flags of this rank in a round, after it has written. */
uint32_t ftc_rounds_flags(const struct ftc_rounds *p);

/* Whether @rank has written in this round, by p->status, and its block is not yet whole. */
bool ftc_rounds_brings(const struct ftc_rounds *p, int rank);

void ftc_rounds_take(struct ftc_rounds *p, int rank, const struct ftc_rounds_part *part);

#endif
