/* exchange: the optimistic first attempt of an allreduce, which follows a plan (exchange_plan.h).
 *
 * A rank that has the values of all ranks has the only value that this attempt can have, bit for
 * bit. The values of a host are combined by one rank, or by all its ranks in the same pairs. The
 * blocks of hosts are combined in the order of their leaders. So all ranks evaluate the same
 * expression. After a failure the other ranks join the corrected attempts, where a rank that has
 * returned is represented by the value that it published. */
#ifndef FTC_ENGINE_EXCHANGE_H
#define FTC_ENGINE_EXCHANGE_H

#include "state.h"

void ftc_exchange_start(struct ftc_op *op);

/* Goes through the steps as far as the messages that have arrived allow. */
void ftc_exchange_advance(struct ftc_op *op, struct ftc_actions *out);

enum ftc_step_outcome ftc_exchange_message(struct ftc_op *op, int from,
                                           const struct ftc_message *m);

/* Returns whether the current step waits for @rank. */
bool ftc_exchange_awaits(const struct ftc_op *op, int rank);

/* Takes @result, which the leader of the host has published and for which the current step
 * waits. */
void ftc_exchange_read(struct ftc_op *op, const struct ftc_result *result);

#endif
