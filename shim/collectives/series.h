/* series: a reduce or allreduce that is too large for messages, with ranks on several hosts
 * (setting large; doc/design.md, section 12).
 *
 * It is a series of allreduces of the engine, one for each SLICE of the elements. Each value says
 * beside its elements whose they are, and all survivors have the same results. If somebody dies,
 * later slices lack it: so the series goes round, over inputs that are as they were, until all
 * slices in a row have the same contributors, and no longer than there are deaths. Results are kept
 * aside until then.
 */
#ifndef FTC_COLLECTIVES_SERIES_H
#define FTC_COLLECTIVES_SERIES_H

#include "collective.h"
#include "progress/loop.h"
#include "tally.h"

/* A call from its first slice to its last. */
struct ftc_series {
    struct ftc_plan *plan;
    bool has_memory;
    uint64_t slices, next;  /* in all; that of the operation */
    uint64_t alike;         /* so many in a row have the same contributors, the last of them */
    struct ftc_tally tally; /* of these: who is in their elements */
    unsigned char *results; /* of all slices, in order; NULL: not for this rank */
};

/* Whether an element has room in a slice. */
bool ftc_series_fits(const struct ftc_plan *plan);

/* Room for the value of a slice, of @ranks ranks. */
size_t ftc_series_room(int ranks);

/* Begins with the call of @plan, which stays until the end. */
void ftc_series_open(struct ftc_series *s, struct ftc_plan *plan);

/* The operation of a slice. That memory for the results is lacking is in its value; without memory
 * for the operation itself there is no contribution. */
void ftc_series_request(struct ftc_series *s, struct ftc_loop_request *request);

/* After it. Returns an MPI error code; with plan->is_again it is not over. */
int ftc_series_deliver(struct ftc_series *s);

/* It is over, with a result or without. */
void ftc_series_close(struct ftc_series *s);

#endif
