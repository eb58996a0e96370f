/* record: a line of JSON for each reduction whose result is not of all ranks (setting record_file),
 * for those who work on results afterwards.
 *
 * Of a reduce the root writes it, of an allreduce the first survivor that has the result. If one
 * dies in these microseconds, the line may be missing, or there twice.
 */
#ifndef FTC_REPORT_RECORD_H
#define FTC_REPORT_RECORD_H

#include "call/call.h"
#include "communicator/communicator.h"

/* In MPI_Init: creates the file, and says if it cannot. One that is there must be a regular file of
 * this user without a second name, and no symbolic link. */
void ftc_record_open(void);

/* The operation on @c before @next_seq gave @call a result that is not of all ranks: of these
 * @contributors (see contributors.h). The caller holds the library's lock. */
void ftc_record_result(const struct ftc_call *call, const struct ftc_comm *c, uint32_t next_seq,
                       const void *contributors);

#endif
