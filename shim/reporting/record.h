/* record: a line of JSON for each reduction whose result is not of all ranks (setting record_file),
 * for those who work on results afterwards.
 *
 * Of a reduce the root writes it, of an allreduce the first survivor that has the result. If one
 * dies in these microseconds, the line may be missing, or there twice.
 */
#ifndef FTC_REPORTING_RECORD_H
#define FTC_REPORTING_RECORD_H

#include "call/call.h"
#include "notice.h"

/* An operation whose result is not of all ranks. */
struct ftc_record {
    const struct ftc_call *call;
    uint64_t communicator; /* its identity */
    int size, rank;
    const uint32_t *world;    /* by rank: its rank in MPI_COMM_WORLD */
    uint32_t next_seq;        /* of the operation after it */
    const void *contributors; /* of the result (value/contributors.h) */
};

/* In MPI_Init: creates the file, and reports if that fails. One that is there must be a regular
 * file of this user without a second name, and no symbolic link. */
void ftc_record_open(const struct ftc_notice *n);

/* Writes the line, if it is for this rank. The caller holds the library's lock. */
void ftc_record_write(const struct ftc_notice *n, const struct ftc_record *r);

#endif
