/* coverage_report: the part of a report on the program's call sites (setting report = coverage). It
 * lists each call site and gives a verdict on the program: whether its MPI calls would wait for a
 * dead rank, end the job or return errors, which settings would improve that, and on which
 * conditions the rest depends. */
#ifndef FTC_REPORTING_COVERAGE_REPORT_H
#define FTC_REPORTING_COVERAGE_REPORT_H

#include "notice.h"
#include "system/json.h"

#include <stdio.h>

/* Writes the call sites and verdicts as lines, or a line that says that there is no memory for
 * them. */
void ftc_coverage_report_write(FILE *f, const struct ftc_notice *n);

/* Adds the call sites and verdicts as member "coverage"; null without memory. */
void ftc_coverage_report_write_json(struct ftc_json *j, const struct ftc_notice *n);

#endif
