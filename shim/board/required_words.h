/* required_words: words of setting require_all_at that have named a call of some rank, a bit each
 * (reporting/required_sites.h). */
#ifndef FTC_BOARD_REQUIRED_WORDS_H
#define FTC_BOARD_REQUIRED_WORDS_H

#include "board.h"

static inline void ftc_required_words_add(const struct ftc_board *board, uint64_t words)
{
    atomic_fetch_or(&board->shared->required_words, words);
}

static inline uint64_t ftc_required_words(const struct ftc_board *board)
{
    return atomic_load(&board->shared->required_words);
}

#endif
