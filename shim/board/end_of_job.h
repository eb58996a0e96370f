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

/* Whether somebody has said that the job ends: who dies from here on has not failed. What was said
 * by a monitor process that has ended before it could end the job does not count, nor what another
 * host has said and was lost then. */
bool ftc_end_of_job_is_said(const struct ftc_board *board);

/* Whether that has been told: no rank is looked after any more. */
bool ftc_end_of_job_is_now(const struct ftc_board *board);

/* True for the one that is to say why the job ends, and to end it: the monitor process of @by; of a
 * rank of another host it is one there. */
bool ftc_end_of_job_claim(const struct ftc_board *board, uint32_t by);

void ftc_end_of_job_begin(const struct ftc_board *board);

/* ---- for other hosts ---- */

/* Whether it is said on this one. */
bool ftc_end_of_job_is_said_here(const struct ftc_board *board);

/* Nobody on @host says it, or no more. */
void ftc_end_of_job_is_not_said_on(const struct ftc_board *board, uint32_t host);

#endif
