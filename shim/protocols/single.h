/* single: the protocol of one operation, whose value has all data: elements that are combined on
 * their way, or blocks side by side (value/blocks.h), each made by its owner. The ranks agree on
 * the contributors together with the result. */
#ifndef FTC_PROTOCOLS_SINGLE_H
#define FTC_PROTOCOLS_SINGLE_H

#include "collective.h"

/* Whether each rank can expose its block (exposed.h), so that heads of blocks alone travel. If a
 * rank lacks room for its own, the value is too large, and the blocks take rounds. A pure function,
 * as the policy: the same on all ranks. */
bool ftc_single_can_expose(const struct ftc_plan *plan);

/* Fills @request with what this rank gives, and how values are combined. Without memory there is no
 * contribution. */
void ftc_single_request(struct ftc_plan *plan, struct ftc_loop_request *request);

/* Whether the ranks together had more data than the operation can carry, so that there are none. Of
 * a plan of blocks. */
bool ftc_single_is_too_large(const struct ftc_plan *plan);

/* Whether any rank wants native MPI to carry the call out; the same on all that have the result. Of
 * a plan of blocks. */
bool ftc_single_is_refused(const struct ftc_plan *plan);

#endif
