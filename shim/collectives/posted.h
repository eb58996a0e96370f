/* posted: a value of blocks that is too large for messages (setting large; doc/design.md, section
 * 12).
 *
 * Each rank POSTS its block: it puts it into its bulk memory, where all others can read it. Then
 * the operation carries, instead of the blocks, who has: so who is in the result is agreed on as
 * for a small one, and a rank that dies before is simply not in it. Nobody does anything again.
 * Behind the operation each takes what it needs; whoever has posted keeps that memory as it is
 * until all have (board/bulk.h, ftc_bulk_leave()).
 *
 * What has no room there comes in ROUNDS, an operation each, until nobody has any left; nothing
 * changes in the program's memory before the last. A block is in the result if the round with its
 * end is. The halves of the memory take turns: whoever votes in a round has taken the one before.
 *
 * With ranks on several hosts there is no such memory. There the operation of a round carries what
 * each rank posts in it, and what is said of rounds holds as it is.
 */
#ifndef FTC_COLLECTIVES_POSTED_H
#define FTC_COLLECTIVES_POSTED_H

#include "board/board.h"
#include "collective.h"
#include "letters.h"
#include "progress/drive.h"

enum ftc_posted_flag {
    FTC_POSTED_NO_MEMORY = 1, /* somebody has none */
    FTC_POSTED_TOO_LARGE = 2, /* somebody has a piece that is too large for a call into MPI */
};

/* What the operation is about. */
struct ftc_posted_vote {
    uint32_t flags; /* of anybody: enum ftc_posted_flag */
    uint32_t reserved;
    uint64_t left;                          /* bytes that are still to be posted, the most of all */
    uint64_t who[FTC_BOARD_RANKS_MAX / 64]; /* have posted: bits by rank */
};

struct ftc_posted_way; /* by which blocks come to others: posted_way.h */

/* What one rank has given. */
struct ftc_posted_from {
    const unsigned char *data;
    size_t bytes;
    unsigned char *kept; /* if not its owner's memory */
    size_t room;
    size_t looked_at; /* of letters: those up to here are for this rank */
    uint32_t note;
    bool is_whole;
};

struct ftc_posted {
    struct ftc_prelude prelude; /* must be first */
    struct ftc_plan *plan;
    const struct ftc_posted_way *way;
    struct ftc_posted_vote vote;
    bool is_again; /* another round follows */
    bool has_memory, is_too_large;
    uint32_t round;
    uint32_t note;

    /* In memory: */
    bool is_ready; /* posted in this round */
    int place;     /* of this rank's in board/bulk.h; -1: none yet */
    uint32_t seq;

    /* In messages: */
    int givers; /* ranks that have some left, which share the value of the next round */

    const unsigned char *given; /* own block */
    unsigned char *own;         /* memory of it, if it has no room to be posted at once */
    size_t bytes, posted;       /* of it */

    struct ftc_posted_from *from; /* by rank */
    size_t kept_bytes;
};

/* Whether the call of @plan, which is not carried out in messages because of @pass, is carried out
 * so. Pure, as the policy: the same on all ranks. */
bool ftc_posted_can(const struct ftc_plan *plan, enum ftc_pass pass);

/* Begins with the call of @plan, which stays until the end. */
void ftc_posted_open(struct ftc_posted *p, struct ftc_plan *plan);

/* Room for the value of a round that carries blocks, of @ranks ranks. */
size_t ftc_posted_room(int ranks);

/* The operation of a round. That memory for the data is lacking is in the vote; without memory for
 * the operation itself there is no contribution. */
void ftc_posted_request(struct ftc_posted *p, struct ftc_drive_request *request);

/* After it. Returns an MPI error code; with p->is_again it is not over. */
int ftc_posted_deliver(struct ftc_posted *p);

/* The last round is over, with a result or without; of that, what has been taken stays until
 * ftc_posted_free(). */
void ftc_posted_close(struct ftc_posted *p);
void ftc_posted_free(struct ftc_posted *p);

/* ---- for composite.h ---- */

/* Where this rank's block of @bytes belongs; NULL without memory. */
void *ftc_posted_block(struct ftc_posted *p, size_t bytes);

/* After the last round. */
struct ftc_piece ftc_posted_find(const struct ftc_posted *p, int rank);
uint32_t ftc_posted_note(const struct ftc_posted *p, int rank);

#endif
