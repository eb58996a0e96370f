/* fold: blocks of elements combined in the order of their ranks, by operations that need that order
 * and for results that are prefixes.
 *
 * Operations on numbers are not associative to the last bit, so the brackets are those of MPICH's
 * algorithms for small messages, found in its sources: then results have native's bits. */
#ifndef FTC_COLLECTIVES_FOLD_H
#define FTC_COLLECTIVES_FOLD_H

#include "protocols/composite.h"

/* Adds this rank's elements, of plan->arguments.count, to its value, which it makes. NULL without
 * memory. */
const void *ftc_fold_contribute(struct ftc_plan *plan);

/* The ranks of a fold, and its brackets. */
enum ftc_fold_kind {
    FTC_FOLD_AS_REDUCE,    /* of all ranks; as reduce does it, */
    FTC_FOLD_AS_ALLREDUCE, /* or as allreduce */
    FTC_FOLD_PREFIX,       /* of those up to this one, */
    FTC_FOLD_BEFORE,       /* or before it */
};

/* After the operation: elements @first to @first + @count - 1 of the result to recvbuf, which they
 * begin, unless nobody has given any. Returns an MPI error code: also that of the error that
 * somebody is missing. */
int ftc_fold_deliver(const struct ftc_plan *plan, enum ftc_fold_kind kind, MPI_Count first,
                     MPI_Count count);

#endif
