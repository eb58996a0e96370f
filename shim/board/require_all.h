/* require_all: set of the words of the setting require_all_at that have named a call of a rank. Bit
 * i stands for word i (reporting/required_sites.h). */
#ifndef FTC_BOARD_REQUIRE_ALL_H
#define FTC_BOARD_REQUIRE_ALL_H

#include "rank_state.h"

/* Adds @words to the set. Other hosts are sent a change. */
static inline void ftc_require_all_add(const struct ftc_board *board, uint64_t words)
{
    if ((words & ~atomic_fetch_or(&board->shared->require_all_matches, words)) != 0)
        ftc_board_signal_update(board);
}

/* Returns the set. */
static inline uint64_t ftc_require_all_matches(const struct ftc_board *board)
{
    return atomic_load(&board->shared->require_all_matches);
}

#endif
