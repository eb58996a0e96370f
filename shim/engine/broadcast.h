/* broadcast: a decided result goes down the tree from the root to its subtrees, then to those whom
 * the correction reaches (doc/design.md, section 4). */
#ifndef FTC_ENGINE_BROADCAST_H
#define FTC_ENGINE_BROADCAST_H

#include "state.h"

/* Sends op->result on, at the root and at whoever has got it. */
void ftc_broadcast_forward(struct ftc_op *op, struct ftc_actions *out);

#endif
