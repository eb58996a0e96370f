/* trace_write: what all ranks have traced, as one JSON object in Chrome's trace event format
 * (ftcoll-report(5), TRACE has the fields).
 *
 * A process is a rank, a thread of it a communicator. Operations, attempts and phases are complete
 * events inside of each other; messages flows from one rank's phase to another's; a death, who
 * noticed it, and who had the result of an operation that met it, instants. */
#ifndef FTC_REPORTING_TRACE_WRITE_H
#define FTC_REPORTING_TRACE_WRITE_H

#include "board/board.h"

#include <stdbool.h>
#include <stdio.h>

struct ftc_trace_head {
    int f, timeout_ms; /* settings */
    bool is_early_end; /* the job is being ended: of the dead only those who were told of have
                          failed */
};

/* On a board that has rings. Returns 0 or a negative errno: -ENOMEM with nothing written, or why
 * not all of it is in @f, which is flushed. */
int ftc_trace_write(FILE *f, const struct ftc_board *board, const struct ftc_trace_head *head);

#endif
