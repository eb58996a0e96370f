/* coverage_report: what a report says of the program's call sites (setting report = coverage): each
 * of them, and a verdict of the program: whether its MPI calls wait for a dead rank, end the job or
 * return errors, with which settings it is better off, and on what the rest depends. */
#ifndef FTC_REPORTING_COVERAGE_REPORT_H
#define FTC_REPORTING_COVERAGE_REPORT_H

#include "notice.h"
#include "system/json.h"

#include <stdio.h>

/* Writes the lines. */
void ftc_coverage_report_write(FILE *f, const struct ftc_notice *n);

/* Writes them as member "coverage"; null without memory. */
void ftc_coverage_report_write_json(struct ftc_json *j, const struct ftc_notice *n);

#endif
