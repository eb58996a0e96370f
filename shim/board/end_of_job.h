/* end_of_job: how far the end of a job has come that a monitor process or MPI_Abort ends. */
#ifndef FTC_BOARD_END_OF_JOB_H
#define FTC_BOARD_END_OF_JOB_H

#include "rank_state.h"

/* How far the end of a job has come that a monitor process or MPI_Abort ends. */
enum ftc_ending {
    FTC_ENDING_NOT = 0,
    FTC_ENDING_SAID, /* somebody says why: who dies from here on has not failed */
    FTC_ENDING_NOW,  /* that has been said: no rank is looked after any more */
};

/* Whether somebody has said that the job ends: who dies from here on has not failed. */
static inline bool ftc_end_of_job_is_said(const struct ftc_board *board)
{
    return atomic_load(&board->shared->ending) != FTC_ENDING_NOT;
}

/* Whether that has been told: no rank is looked after any more. */
static inline bool ftc_end_of_job_is_now(const struct ftc_board *board)
{
    return atomic_load(&board->shared->ending) == FTC_ENDING_NOW;
}

/* True for the one that is to say why the job ends. */
static inline bool ftc_end_of_job_claim(const struct ftc_board *board)
{
    uint32_t none = FTC_ENDING_NOT;

    return atomic_compare_exchange_strong(&board->shared->ending, &none, FTC_ENDING_SAID);
}

static inline void ftc_end_of_job_begin(const struct ftc_board *board)
{
    atomic_store(&board->shared->ending, FTC_ENDING_NOW);
    ftc_board_ring_news(board);
}

#endif
