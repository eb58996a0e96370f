/* trace_file: the file of a host's trace (setting trace_file). The file is complete at any time,
 * and is replaced when there is more to write.
 *
 * It is written after a death, once all survivors have their results, and when the job ends,
 * however it ends. One process writes at a time (board/announcement.h), from rings that all
 * processes of the host can read. */
#ifndef FTC_REPORTING_TRACE_FILE_H
#define FTC_REPORTING_TRACE_FILE_H

#include "notice.h"

/* Writes the file once each living rank has ended an operation that knew of all deaths, unless
 * another process is writing it. Returns false as long as the file is still to be written. After
 * the first deaths (FTC_TRACE_PARTS) the file is written again only at the end of the job. */
bool ftc_trace_file_update(const struct ftc_notice *n);

/* Waits in MPI_Finalize until the living ranks of this host have finished their last operation, at
 * most one second. */
void ftc_trace_file_await_ranks(const struct ftc_notice *n);

/* Writes the file at the end of the job, unless another process has. Waits at most ten seconds for
 * another process that is writing it, because the caller may end the job, and so that process. */
void ftc_trace_file_finish(const struct ftc_notice *n);

#endif
