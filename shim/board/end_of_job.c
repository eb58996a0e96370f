#include "end_of_job.h"

#include "lease.h"

/* Layout of the word: enum ftc_ending, and above it 1 + the rank whose monitor process claims. */
enum { STATE_BITS = 2, STATE_MASK = (1 << STATE_BITS) - 1 };

static bool is_said_in(uint32_t word)
{
    return (word & STATE_MASK) == FTC_ENDING_SAID;
}

/* Returns the rank whose monitor process claims, or UINT32_MAX if there is no claim. */
static uint32_t sayer_in(uint32_t word)
{
    return (word >> STATE_BITS) - 1;
}

static bool is_at_it(const struct ftc_board *board, uint32_t word)
{
    uint32_t by = sayer_in(word);

    if (!is_said_in(word) || by >= board->geometry.ranks)
        return false;
    return ftc_board_is_here(board, by) ? !ftc_lifeline_is_unguarded(ftc_board_lifeline(board, by))
                                        : !ftc_lease_is_lost(board, ftc_board_host(board, by));
}

static bool is_now_in(uint32_t word)
{
    return (word & STATE_MASK) == FTC_ENDING_NOW;
}

bool ftc_end_of_job_is_said(const struct ftc_board *board)
{
    uint32_t word = atomic_load(&board->shared->ending);

    return is_now_in(word) || is_at_it(board, word);
}

bool ftc_end_of_job_is_now(const struct ftc_board *board)
{
    return is_now_in(atomic_load(&board->shared->ending));
}

bool ftc_end_of_job_claim(const struct ftc_board *board, uint32_t by)
{
    uint32_t word = atomic_load(&board->shared->ending);

    do {
        if (is_now_in(word) || is_at_it(board, word))
            return false;
    } while (!atomic_compare_exchange_weak(&board->shared->ending, &word,
                                           FTC_ENDING_SAID | (by + 1) << STATE_BITS));
    ftc_board_signal_update(board);
    return true;
}

void ftc_end_of_job_begin(const struct ftc_board *board)
{
    if (!is_now_in(atomic_exchange(&board->shared->ending, FTC_ENDING_NOW)))
        ftc_board_signal_update(board);
}

bool ftc_end_of_job_is_said_here(const struct ftc_board *board)
{
    uint32_t word = atomic_load(&board->shared->ending);

    return is_at_it(board, word) && ftc_board_is_here(board, sayer_in(word));
}

void ftc_end_of_job_is_not_said_on(const struct ftc_board *board, uint32_t host)
{
    uint32_t word = atomic_load(&board->shared->ending), by = sayer_in(word);

    if (is_said_in(word) && by < board->geometry.ranks && ftc_board_host(board, by) == host)
        atomic_compare_exchange_strong(&board->shared->ending, &word, FTC_ENDING_NOT);
}
