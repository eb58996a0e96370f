/* record: a line of JSON for each reduction whose result lacks ranks (setting record_file), for
 * users who evaluate results afterwards.
 *
 * The root writes the line of a reduce. The first survivor that has the result writes that of an
 * allreduce; on several hosts, the first one on the host of the communicator's first living rank.
 * If the writer dies in these microseconds, the line may be missing or written twice. */
#ifndef FTC_REPORTING_RECORD_H
#define FTC_REPORTING_RECORD_H

#include "call/call.h"
#include "notice.h"

/* Operation whose result lacks ranks. */
struct ftc_record {
    const struct ftc_call *call;
    uint64_t communicator; /* identity of the communicator */
    int size, rank;
    const uint32_t *world;    /* by rank: rank in MPI_COMM_WORLD */
    uint32_t next_seq;        /* number of the next operation */
    const void *contributors; /* ranks in the result (value/contributors.h) */
};

/* Prepares the record in MPI_Init. Rank 0 creates the file, and prints the reason if that fails. An
 * existing file must be a regular file of this user without a second name, and no symbolic link. */
void ftc_record_open(const struct ftc_notice *n);

/* Writes the line if this rank is to write it. The caller holds the library's lock. */
void ftc_record_write(const struct ftc_notice *n, const struct ftc_record *r);

#endif
