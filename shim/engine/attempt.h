/* attempt: the attempts of an allreduce, each with its own root.
 *
 * Candidate roots come in a fixed order, rank 0 first. Where hosts fail, one rank of each host is a
 * candidate before a second rank of any host. An optimistic attempt 0 has no root. */
#ifndef FTC_ENGINE_ATTEMPT_H
#define FTC_ENGINE_ATTEMPT_H

#include "state.h"

void ftc_attempt_start(struct ftc_op *op, struct ftc_actions *out);

/* Joins the first attempt >= @attempt whose root is not known to be dead (doc/design.md, section 5,
 * rule 2). */
void ftc_attempt_join(struct ftc_op *op, uint32_t attempt, struct ftc_actions *out);

#endif
