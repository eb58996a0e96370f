/* confirmation: check by the root of an allreduce before it reports that more than f ranks have
 * failed.
 *
 * No subtree is usable. Every live process must have joined this attempt, which is its promise not
 * to return with an earlier result, or must have returned with a result. Such a result then is that
 * of the operation. So survivors agree, whatever the number of failures. */
#ifndef FTC_ENGINE_CONFIRMATION_H
#define FTC_ENGINE_CONFIRMATION_H

#include "state.h"

void ftc_confirmation_start(struct ftc_op *op);

/* Returns whether all live ranks have joined, or one has returned with a result. */
bool ftc_confirmation_is_complete(const struct ftc_op *op);

/* Returns whether the root needs to know how far @rank has got. */
bool ftc_confirmation_awaits(const struct ftc_op *op, int rank);

#endif
