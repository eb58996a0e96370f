/* failures: the ranks that have died, in the words that notices and reports have for them. All of
 * it is on the board. */
#ifndef FTC_NOTICE_FAILURES_H
#define FTC_NOTICE_FAILURES_H

#include "board/board.h"

#include <stdio.h>

enum { FTC_FAILURE_TEXT = 256 };

/* "rank 3 (node2, pid 4711) killed by signal 9 (Killed)": @timeout_ms as for ftc_death_describe().
 */
void ftc_failure_name(const struct ftc_board *board, uint32_t world, int timeout_ms,
                      char text[FTC_FAILURE_TEXT]);

/* "MPI_Allreduce #78": the operation that first met the death; false if none has. */
bool ftc_failure_missed_in(const struct ftc_board *board, uint32_t world,
                           char text[FTC_FAILURE_TEXT]);

/* The line of a report: the same, when it was noticed, and when all had the result of that
 * operation. @site: where the program called it, "" if that is not known. */
void ftc_failure_write(FILE *f, const struct ftc_board *board, uint32_t world, int timeout_ms,
                       const char *site);

#endif
