/* rounds: protocol of blocks that are too large for messages (doc/design.md, section 12). The
 * operation of each round carries the set of the ranks that have written, instead of their blocks.
 * Where ranks share no memory, it carries the next parts of the blocks. engine/rounds.h decides
 * what comes next, which ranks have a block, and when memory may be overwritten. */
#ifndef FTC_PROTOCOLS_ROUNDS_H
#define FTC_PROTOCOLS_ROUNDS_H

#include "collective.h"
#include "engine/rounds.h"
#include "round_status.h"
#include "segments.h"

struct ftc_rounds_carrier;

/* Parts of one rank's block that have arrived. If the block has segments, only those for this rank
 * are kept. */
struct ftc_reassembly {
    unsigned char *data; /* the kept parts; from malloc() */
    size_t bytes, room;
    size_t looked_at; /* of segments: bytes up to which all are for this rank */
};

/* Data of one rank. */
struct ftc_rounds_from {
    const unsigned char *data; /* in the memory of their owner, or in kept */
    size_t bytes;
    struct ftc_reassembly kept;
    uint32_t note;
    struct ftc_rounds_source source;
};

struct ftc_rounds {
    struct ftc_prelude prelude; /* must be first */
    struct ftc_plan *plan;
    const struct ftc_rounds_carrier *carrier;
    struct ftc_round_status status; /* ranks that have written in the round, and data left */
    bool has_memory, lacks_region;
    struct ftc_rounds_progress progress;

    /* Fields of rounds in bulk memory. */
    int region; /* region of this rank in board/bulk.h, from FTC_ROUNDS_WRITE on */
    uint32_t seq;

    /* Fields of rounds in messages. */
    int givers;        /* ranks with data left, which share the value of the next round */
    size_t part_bytes; /* the most bytes that a rank writes in this round */

    const unsigned char *given; /* block of this rank */
    unsigned char *own;         /* memory of that block, if it goes in parts and was not packed */

    int ranks;                    /* size of the communicator, which may be freed before from */
    struct ftc_rounds_from *from; /* data of each rank */
    size_t kept_bytes;            /* memory of the call, which ftc_limits_memory_bytes() bounds */
};

/* Carrier of the data to other ranks: bulk memory, or the messages of the rounds' operations. */
struct ftc_rounds_carrier {
    /* Returns memory for this rank's block of @bytes; NULL: there is none. */
    unsigned char *(*block)(struct ftc_rounds *p, size_t bytes);
    /* Sets p->status from the result of the operation. */
    void (*hear)(struct ftc_rounds *p);
    /* Takes the data that the ranks have written in this round. */
    void (*take)(struct ftc_rounds *p);
};

extern const struct ftc_protocol_steps ftc_rounds_in_memory, ftc_rounds_in_messages;

/* Returns the bytes of the value of a round in messages, at most, for @ranks ranks. */
size_t ftc_rounds_room(int ranks);

/* Data that one rank has written in one round. */
struct ftc_rounds_part {
    const unsigned char *data;
    size_t bytes, left; /* left: bytes of the block after this part, at most */
    uint32_t note;
    bool may_stay; /* data stay valid until this rank shows that it has read them */
};

/* ---- for the carriers ---- */

/* Begins, continues and frees a call: steps that both carriers share. */
void ftc_rounds_open(struct ftc_plan *plan, const struct ftc_rounds_carrier *carrier);
int ftc_rounds_after(struct ftc_plan *plan);
void ftc_rounds_free(const struct ftc_plan *plan);

/* Returns private memory for this rank's block of @bytes, which goes in parts. Returns NULL if
 * there is none. */
unsigned char *ftc_rounds_own_block(struct ftc_rounds *p, size_t bytes);

/* Gets this rank's block by ftc_packed_give(). Clears p->has_memory if there is no memory for
 * it. */
void ftc_rounds_give(struct ftc_rounds *p);

/* Returns the flags of this rank in a round (enum ftc_round_flag), after it has written. */
uint32_t ftc_rounds_flags(const struct ftc_rounds *p);

/* Returns whether @rank has written in this round, by p->status, and its block is not complete
 * yet. */
bool ftc_rounds_brings(const struct ftc_rounds *p, int rank);

/* Takes @part of the block of @rank: keeps a copy, or remembers where the data stay. */
void ftc_rounds_take(struct ftc_rounds *p, int rank, const struct ftc_rounds_part *part);

#endif
