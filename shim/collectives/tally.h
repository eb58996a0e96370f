/* tally: what the ranks of one of several operations say together: who they are, and how far the
 * call is (rounds.h, segmented.h); its flags also in the vote of a data phase (pipelined.h). */
#ifndef FTC_COLLECTIVES_TALLY_H
#define FTC_COLLECTIVES_TALLY_H

#include "board/board.h"
#include "value/rank_set.h"

enum ftc_tally_flag {
    FTC_TALLY_NO_MEMORY = 1,    /* somebody has none */
    FTC_TALLY_REQUIRES_ALL = 4, /* setting require_all_at names somebody's call site */
    FTC_TALLY_INCOMPLETE = 8,   /* somebody's data phase has not come to its end */
    FTC_TALLY_NO_PLACE = 16,    /* with the first: somebody is in too many operations at once */
};

struct ftc_tally {
    uint32_t flags; /* of anybody: enum ftc_tally_flag */
    uint32_t reserved;
    uint64_t left; /* bytes that are still to come, the most of all */
    uint64_t who[FTC_RANK_SET_WORDS(FTC_BOARD_RANKS_MAX)]; /* a set of ranks: those who speak */
};

/* Returns the bytes of a tally that travels, for @ranks ranks. */
size_t ftc_tally_bytes(int ranks);

/* Adds what @rank says. */
void ftc_tally_add(struct ftc_tally *t, int rank, uint32_t flags, uint64_t left);

/* Returns the tally of @rank alone. */
struct ftc_tally ftc_tally_of(int rank, uint32_t flags, uint64_t left);

/* @into = @into and @from, as they travel; any alignment. */
void ftc_tally_join(void *into, const void *from, int ranks);

struct ftc_tally ftc_tally_read(const void *from, int ranks);

#endif
