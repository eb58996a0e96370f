/* decision: an operation has its outcome, by this rank's own decision or by that of a root. */
#ifndef FTC_ENGINE_DECISION_H
#define FTC_ENGINE_DECISION_H

#include "state.h"

/* The root's decision, from the data in op->value or from a LOCK, which stands as it was published.
 * An allreduce sends it on. */
void ftc_decision_make(struct ftc_op *op, enum ftc_verdict verdict, struct ftc_actions *out);

/* Takes a result that the root of this attempt decided, and sends it on. */
void ftc_decision_accept(struct ftc_op *op, const struct ftc_result *result,
                         struct ftc_actions *out);

/* Ends a reduce that nobody waits for: its root is dead, or more than f ranks are. */
void ftc_decision_end_reduce(struct ftc_op *op);

#endif
