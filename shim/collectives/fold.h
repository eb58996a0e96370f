/* fold: blocks of elements combined in the order of their ranks, by operations that need that order
 * and for results that are prefixes.
 *
 * Operations on numbers are not associative to the last bit, so the brackets are those of MPICH's
 * algorithms for small messages, found in its sources: then results have native's bits. */
#ifndef FTC_COLLECTIVES_FOLD_H
#define FTC_COLLECTIVES_FOLD_H

#include "composite.h"

/* Elements @first to @first + @count - 1 of each block. */
struct ftc_fold {
    const struct ftc_plan *plan;
    const void *value; /* of blocks that are spans of plan->count elements */
    MPI_Count first, count;
    size_t at;           /* in the value: where the next block is looked for */
    size_t stride_bytes; /* of what is in the room */
    unsigned char *room; /* for what is combined so far */
    int rv;              /* MPI error code of the operation */
};

/* Adds this rank's elements, of plan->count, to its value, which it makes. NULL without memory. */
const void *ftc_fold_contribute(struct ftc_plan *plan);

/* After the operation, which is over; returns the span of the result, or NULL: no block is in it.
 * The room for it lasts until the next operation of the communicator. */
struct ftc_fold ftc_fold(const struct ftc_plan *plan, MPI_Count first, MPI_Count count);

/* Of all ranks; as reduce does it, or as allreduce. */
const void *ftc_fold_as_reduce(struct ftc_fold *f);
const void *ftc_fold_as_allreduce(struct ftc_fold *f);

/* Of the ranks up to @rank, or before it. */
const void *ftc_fold_prefix(struct ftc_fold *f, int rank, bool with_own);

#endif
