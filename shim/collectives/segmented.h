/* segmented: the protocol of a reduce or allreduce that is too large for messages, with ranks on
 * several hosts (setting large; doc/design.md, section 12).
 *
 * An allreduce of the engine reduces each slice of the elements. Each value says beside its
 * elements whose they are, so all survivors have the same results. If a rank dies, later slices
 * lack it. Then the slices are reduced again, from inputs that are unchanged, until all slices in a
 * row have the same contributors: at most once more for each death. Until then results are kept
 * aside.
 */
#ifndef FTC_COLLECTIVES_SEGMENTED_H
#define FTC_COLLECTIVES_SEGMENTED_H

#include "collective.h"
#include "progress/loop.h"
#include "tally.h"

/* A call from its first slice to its last. */
struct ftc_segmented {
    struct ftc_plan *plan;
    bool has_memory;
    uint64_t slices, next;  /* in all; that of the operation */
    uint64_t alike;         /* so many in a row have the same contributors, the last of them */
    struct ftc_tally tally; /* of these: who is in their elements */
    unsigned char *results; /* of all slices, in order; NULL: not for this rank */
};

/* Whether an element has room in a slice. */
bool ftc_segmented_fits(const struct ftc_plan *plan);

/* Room for the value of a slice, of @ranks ranks. */
size_t ftc_segmented_room(int ranks);

/* Begins with the call of @plan, which stays until the end. */
void ftc_segmented_open(struct ftc_segmented *s, struct ftc_plan *plan);

/* The operation of a slice. That memory for the results is lacking is in its value; without memory
 * for the operation itself there is no contribution. */
void ftc_segmented_request(struct ftc_segmented *s, struct ftc_loop_request *request);

/* After it. Returns an MPI error code; with plan->is_again it is not over. */
int ftc_segmented_deliver(struct ftc_segmented *s);

/* It is over, with a result or without. */
void ftc_segmented_close(struct ftc_segmented *s);

#endif
