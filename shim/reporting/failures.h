/* failures: the ranks that have died, in the words that notices and reports have for them. All of
 * it is on the board, but for what the process that reports knows of its own program. */
#ifndef FTC_REPORTING_FAILURES_H
#define FTC_REPORTING_FAILURES_H

#include "board/board.h"
#include "mpi/callsite.h"
#include "system/json.h"

#include <stdio.h>

enum { FTC_FAILURE_TEXT = 256 };

/* "rank 3 (node2, pid 4711) killed by signal 9 (Killed)": @timeout_ms as for ftc_death_describe().
 */
void ftc_failure_name(const struct ftc_board *board, uint32_t world, int timeout_ms,
                      char text[FTC_FAILURE_TEXT]);

/* "MPI_Allreduce #78": the operation that first met the death; false if none has. */
bool ftc_failure_missed_in(const struct ftc_board *board, uint32_t world,
                           char text[FTC_FAILURE_TEXT]);

/* Finds the name of the place from where that operation was called, if nobody else has or is at it,
 * and puts it on the board. Takes milliseconds with a large program. */
void ftc_failure_find_site(const struct ftc_board *board, uint32_t world);

/* What a report says of a dead rank. */
struct ftc_failure {
    const struct ftc_board *board;
    uint32_t world;
    int timeout_ms;                /* the setting */
    const struct ftc_stack *stack; /* from where this process's program called the operation in
                                      which it met the death; NULL, or depth 0: it has met none */
    bool was_in_it;                /* that is the operation that first met it; else only the board
                                      knows from where that was called, if anybody does */
    bool is_full;                  /* the whole stack is told, and not its first place alone */
};

/* Writes the line: the name, the operation and its place, when it was noticed, and when all
 * survivors had the result or the error; with a line for each place of a stack that is told. */
void ftc_failure_write(FILE *f, const struct ftc_failure *failure);

/* The same as an element of an array. */
void ftc_failure_write_json(struct ftc_json *j, const struct ftc_failure *failure);

#endif
