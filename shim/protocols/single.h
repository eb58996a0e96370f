/* single: protocol of one operation whose value has all data. The data are elements that are
 * combined on their way, or blocks side by side (value/blocks.h), each written by its owner. The
 * ranks agree on the contributors together with the result. */
#ifndef FTC_PROTOCOLS_SINGLE_H
#define FTC_PROTOCOLS_SINGLE_H

#include "collective.h"

/* Returns whether each rank can expose its block (exposed.h), so that only the heads of the blocks
 * travel. If a rank then lacks a free place for its block, the value is too large, and the blocks
 * take rounds. Pure, as the policy is: the result is the same on all ranks. */
bool ftc_single_can_expose(const struct ftc_plan *plan);

extern const struct ftc_protocol_steps ftc_single_steps;

#endif
