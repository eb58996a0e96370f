/* failures: text on the dead ranks for notices and reports. All facts are on the board, except what
 * the reporting process knows of its own program. */
#ifndef FTC_REPORTING_FAILURES_H
#define FTC_REPORTING_FAILURES_H

#include "board/board.h"
#include "mpi/callsite.h"
#include "system/json.h"

#include <stdio.h>

enum { FTC_FAILURE_TEXT = 256 };

/* Writes "rank 3 (node2, pid 4711) killed by signal 9 (Killed)", for dead rank @world. @timeout_ms
 * as for ftc_death_describe(). */
void ftc_failure_name(const struct ftc_board *board, uint32_t world, int timeout_ms,
                      char text[FTC_FAILURE_TEXT]);

/* Writes the operation that first met the death of @world: "MPI_Allreduce #78". Returns false if no
 * operation has met it. */
bool ftc_failure_missed_in(const struct ftc_board *board, uint32_t world,
                           char text[FTC_FAILURE_TEXT]);

/* Finds the name of the call site of the operation that first met the death of @world, and puts it
 * on the board. Has no effect if another process has claimed to do so, or if no living rank has
 * left the address of the site. Takes milliseconds with a large program. */
void ftc_failure_find_site(const struct ftc_board *board, uint32_t world);

/* Facts for the report on a dead rank. */
struct ftc_failure {
    const struct ftc_board *board;
    uint32_t world;
    int timeout_ms; /* the setting */
    /* Stack of the operation in which this process met the death. NULL, or depth 0: it met none. */
    const struct ftc_stack *stack;
    /* Whether that operation first met the death. If not, the call site of the one that did is
     * known only from the board, if at all. */
    bool was_in_it;
    bool is_full; /* the whole stack is reported, not only the call site */
};

/* Writes a line with the name, the operation and its call site, when the death was noticed, and
 * when all survivors had the result or the error, in us after the death. If the whole stack is
 * reported, a line for each of its call sites follows. */
void ftc_failure_write(FILE *f, const struct ftc_failure *failure);

/* Adds the facts that ftc_failure_write() writes as an object to the array that is open in @j. */
void ftc_failure_write_json(struct ftc_json *j, const struct ftc_failure *failure);

#endif
