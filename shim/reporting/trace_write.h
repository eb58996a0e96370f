/* trace_write: writes the trace of all ranks of a host as one JSON object in Chrome's trace event
 * format (TRACE in ftcoll-report(5) has the fields).
 *
 * A process of the trace is a rank, a thread a communicator. Operations, attempts and phases are
 * complete events, one inside the other. Messages are flows from one rank's phase to another's.
 * Instants are a death, its notice by a rank, and the result of an operation that met it. */
#ifndef FTC_REPORTING_TRACE_WRITE_H
#define FTC_REPORTING_TRACE_WRITE_H

#include "board/board.h"

#include <stdbool.h>
#include <stdio.h>

struct ftc_trace_head {
    int f, timeout_ms; /* settings */
    bool is_early_end; /* the job is being ended: of the dead ranks only the reported ones have
                          failed */
};

/* Writes the trace of a board that has rings, and flushes @f. Returns 0 or a negative errno:
 * -ENOMEM with nothing written, or why @f does not have all of it. */
int ftc_trace_write(FILE *f, const struct ftc_board *board, const struct ftc_trace_head *head);

#endif
