/* attempt: the tries of an allreduce, each with a root of its own.
 *
 * Candidate roots come in a fixed order, rank 0 first, and where hosts fail one of each host before
 * another of any; an optimistic attempt 0 has none. */
#ifndef FTC_ENGINE_ATTEMPT_H
#define FTC_ENGINE_ATTEMPT_H

#include "state.h"

void ftc_attempt_start(struct ftc_op *op, struct ftc_actions *out);

/* Joins the first attempt >= @attempt whose root is not known to be dead (doc/design.md, section 5,
 * rule 2). */
void ftc_attempt_join(struct ftc_op *op, uint32_t attempt, struct ftc_actions *out);

#endif
