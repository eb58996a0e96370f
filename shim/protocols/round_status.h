/* round_status: statements of the ranks in one of several operations: which ranks take part, and
 * how far the call is (rounds.h, segmented.h). The vote of a data phase uses its flags too
 * (pipelined.h). */
#ifndef FTC_PROTOCOLS_ROUND_STATUS_H
#define FTC_PROTOCOLS_ROUND_STATUS_H

#include "board/board.h"
#include "value/rank_set.h"

enum ftc_round_flag {
    FTC_ROUND_NO_MEMORY = 1,    /* a rank has no memory */
    FTC_ROUND_REQUIRES_ALL = 4, /* setting require_all_at names the call site of a rank */
    FTC_ROUND_INCOMPLETE = 8,   /* the data phase of a rank is not complete */
    FTC_ROUND_NO_REGION = 16,   /* with NO_MEMORY: a rank is in too many operations at once */
};

struct ftc_round_status {
    uint32_t flags; /* flags of all ranks together: enum ftc_round_flag */
    uint32_t reserved;
    /* Largest amount of data that a rank has still to give: bytes, or parts in
     * rounds_messages.c. */
    uint64_t left;
    uint64_t who[FTC_RANK_SET_WORDS(FTC_BOARD_RANKS_MAX)]; /* set of the ranks that take part */
};

/* Returns the bytes of a status in a message, for @ranks ranks. */
size_t ftc_round_status_bytes(int ranks);

/* Adds the statement of @rank. */
void ftc_round_status_add(struct ftc_round_status *t, int rank, uint32_t flags, uint64_t left);

/* Returns the status of @rank alone. */
struct ftc_round_status ftc_round_status_of(int rank, uint32_t flags, uint64_t left);

/* Joins @from to @into. Both are as in messages, with any alignment. */
void ftc_round_status_join(void *into, const void *from, int ranks);

struct ftc_round_status ftc_round_status_read(const void *from, int ranks);

#endif
