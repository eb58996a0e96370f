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

extern const struct ftc_protocol_steps ftc_single_steps;

#endif
