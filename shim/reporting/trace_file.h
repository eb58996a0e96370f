/* trace_file: where the trace of the job goes (setting trace_file): to one file, which is whole at
 * any time, and replaced when there is more to tell.
 *
 * It is written after a death, once all survivors have their results, and when the job ends,
 * however it ends; by one process each time (board/announcement.h), from rings that all can reach.
 */
#ifndef FTC_REPORTING_TRACE_FILE_H
#define FTC_REPORTING_TRACE_FILE_H

#include "notice.h"

/* Once each living rank has ended an operation that knew of all deaths, unless somebody is at it;
 * false as long as that is to come. After the first deaths (FTC_TRACE_PARTS) it waits for the end.
 */
bool ftc_trace_file_update(const struct ftc_notice *n);

/* Until the living ranks are through with their last operation, in MPI_Finalize; a second at most.
 */
void ftc_trace_file_await_ranks(const struct ftc_notice *n);

/* The job ends. Waits ten seconds at most for another process that is writing the file: whoever
 * goes on may end the job, and so that process. */
void ftc_trace_file_finish(const struct ftc_notice *n);

#endif
