/* broadcast: the way of a decided result from the root down the tree, then to the ranks that the
 * correction reaches (doc/design.md, section 4). */
#ifndef FTC_ENGINE_BROADCAST_H
#define FTC_ENGINE_BROADCAST_H

#include "state.h"

/* Sends op->result on, at the root and at each rank that has received it. */
void ftc_broadcast_forward(struct ftc_op *op, struct ftc_actions *out);

#endif
