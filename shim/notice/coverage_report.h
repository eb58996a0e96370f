/* coverage_report: what a report says of the program's call sites (setting report = coverage): each
 * of them, and a verdict of the program: whether its MPI calls wait for a dead rank, end the job or
 * return errors, with which settings it is better off, and on what the rest depends. */
#ifndef FTC_NOTICE_COVERAGE_REPORT_H
#define FTC_NOTICE_COVERAGE_REPORT_H

#include "board/board.h"
#include "system/json.h"

#include <stdio.h>

/* The best verdict: no more is known. */
#define FTC_COVERAGE_NO_WAIT                                                                       \
    "its MPI calls do not wait (up to the message sizes and call sites seen)"
#define FTC_COVERAGE_REHEARSE "whether it ends, and with what answer, is the program's: rehearse it"

/* The lines. @ends_blocked: who waits for ever is ended (on_blocked = abort). */
void ftc_coverage_report_write(FILE *f, const struct ftc_board *board, bool ends_blocked);

/* The same as member "coverage"; null without memory. */
void ftc_coverage_report_write_json(struct ftc_json *j, const struct ftc_board *board,
                                    bool ends_blocked);

#endif
