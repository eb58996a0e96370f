/* last_report: the report of a job that ends before MPI_Finalize can write one: what is on the
 * board of the ranks that have failed. */
#ifndef FTC_NOTICE_LAST_REPORT_H
#define FTC_NOTICE_LAST_REPORT_H

#include "notice.h"

/* The report, if there is something to report that nobody else has: which ranks failed, how, and
 * that the job ended before MPI_Finalize returned. Waits a second at most until it is said of
 * all the dead whether they have failed, and six for another process that is writing the report, or
 * for the reader of what this one has written to standard error. False if there is nothing to
 * report. */
bool ftc_last_report_write(const struct ftc_notice *n);

#endif
