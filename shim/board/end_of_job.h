/* end_of_job: progress of the end of a job that a monitor process or MPI_Abort() ends. */
#ifndef FTC_BOARD_END_OF_JOB_H
#define FTC_BOARD_END_OF_JOB_H

#include "rank_state.h"

/* Progress of the end of the job. */
enum ftc_ending {
    FTC_ENDING_NOT = 0,
    FTC_ENDING_SAID, /* a process prints the reason: ranks that die from now on have not failed */
    FTC_ENDING_NOW,  /* the reason is printed: the job ends, and no rank is observed any more */
};

/* Returns whether a process has claimed the end of the job, or begun it. Ranks that die from then
 * on have not failed. A claim does not count once its monitor process has ended, or once its host
 * is lost, unless the end has begun. */
bool ftc_end_of_job_is_said(const struct ftc_board *board);

/* Returns whether the end of the job has begun. */
bool ftc_end_of_job_is_now(const struct ftc_board *board);

/* Claims the end of the job for the monitor process of @by. Returns true if that process has to
 * print the reason and end the job. For a rank of another host, this notes the claim made there. */
bool ftc_end_of_job_claim(const struct ftc_board *board, uint32_t by);

/* Notes that the end of the job begins: the reason is printed. */
void ftc_end_of_job_begin(const struct ftc_board *board);

/* ---- for other hosts ---- */

/* Returns whether a monitor process of this host has claimed the end of the job. */
bool ftc_end_of_job_is_said_here(const struct ftc_board *board);

/* Removes the claim of a monitor process of @host, if there is one. */
void ftc_end_of_job_is_not_said_on(const struct ftc_board *board, uint32_t host);

#endif
