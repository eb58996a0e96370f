/* posted_parts: what a rank gives to a call whose blocks are posted (posted.h), and what it takes
 * of the others, part by part. */
#ifndef FTC_COLLECTIVES_POSTED_PARTS_H
#define FTC_COLLECTIVES_POSTED_PARTS_H

#include "collective.h"
#include "progress/loop.h"
#include "segments.h"
#include "store.h"
#include "tally.h"

struct ftc_posted_way;

/* The data of one rank. */
struct ftc_posted_from {
    const unsigned char *data; /* its owner's memory, or what is kept */
    size_t bytes;
    struct ftc_store kept;
    uint32_t note;
    bool is_whole;
};

struct ftc_posted {
    struct ftc_prelude prelude; /* must be first */
    struct ftc_plan *plan;
    const struct ftc_posted_way *way;
    struct ftc_tally tally; /* of the round: who has posted, and what is still to be */
    bool has_memory, lacks_place;
    uint32_t round;
    uint32_t note;

    /* In memory: */
    bool is_ready; /* posted in this round */
    int place;     /* of this rank's in board/bulk.h; -1: none yet */
    uint32_t seq;

    /* In messages: */
    int givers;        /* ranks that have some left, which share the value of the next round */
    size_t part_bytes; /* the most that a rank posts in this round */

    const unsigned char *given; /* own block */
    unsigned char *own;         /* memory of it, if it is posted in parts and not in a parcel */
    size_t bytes, posted;       /* of it */

    int ranks; /* of the communicator, which may be gone when what is kept is freed */
    struct ftc_posted_from *from; /* by rank */
    size_t kept_bytes;
};

/* By which blocks come to others: posted_way.h. */
struct ftc_posted_way {
    /* Whether a block of @bytes is posted out of private memory, part by part. */
    bool (*is_in_parts)(size_t bytes);
    /* Where others read this rank's block of @bytes, if it is not; NULL: there is no memory. */
    unsigned char *(*block)(struct ftc_posted *p, size_t bytes);
    void (*request)(struct ftc_posted *p, struct ftc_loop_request *request);
    /* After the operation: p->tally. */
    void (*hear)(struct ftc_posted *p);
    /* Takes what the others have posted in this round. */
    void (*take)(struct ftc_posted *p);
    void (*close)(struct ftc_posted *p);
};

/* The data that one rank has posted in one round. */
struct ftc_posted_part {
    const unsigned char *data;
    size_t bytes, left; /* after it, at most */
    uint32_t note;
    bool stays; /* where it is, until this rank has shown that it has read */
};

/* Takes the block from whoever makes it; p->has_memory tells if there is none. */
void ftc_posted_give(struct ftc_posted *p);

/* Returns the flags of this rank in a round, after it has posted. */
uint32_t ftc_posted_flags(const struct ftc_posted *p);

/* Whether @rank has posted in this round, by p->tally, what is not known to be whole. */
bool ftc_posted_brings(const struct ftc_posted *p, int rank);

void ftc_posted_take(struct ftc_posted *p, int rank, const struct ftc_posted_part *part);

/* ---- for composite.h ---- */

/* Where this rank's block of @bytes belongs; NULL without memory. */
void *ftc_posted_block(struct ftc_posted *p, size_t bytes);

/* After the last round. */
struct ftc_piece ftc_posted_find(const struct ftc_posted *p, int rank);
uint32_t ftc_posted_note(const struct ftc_posted *p, int rank);

#endif
