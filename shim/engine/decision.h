/* decision: the outcome of an operation, decided by this rank or by a root. */
#ifndef FTC_ENGINE_DECISION_H
#define FTC_ENGINE_DECISION_H

#include "state.h"

/* Decides at the root, from the data in op->value or from a LOCK. The verdict, value and failed
 * ranks of a LOCK stay as they were published. In an allreduce the root sends the decision on. */
void ftc_decision_make(struct ftc_op *op, enum ftc_verdict verdict, struct ftc_actions *out);

/* Takes a result that the root of this attempt decided, and sends it on. */
void ftc_decision_accept(struct ftc_op *op, const struct ftc_result *result,
                         struct ftc_actions *out);

/* Ends a reduce whose root is dead, or in which more failures than are tolerated are known. */
void ftc_decision_end_reduce(struct ftc_op *op);

#endif
