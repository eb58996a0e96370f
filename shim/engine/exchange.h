/* exchange: the optimistic first attempt of an allreduce, which goes through a plan
 * (exchange_plan.h).
 *
 * Whoever has everybody's value has the only value that this attempt can have, bit for bit: each
 * host's is combined by one rank, or by all in the same pairs, and blocks of hosts in the order of
 * their leaders, so that all evaluate the same expression. On any failure the rest join the
 * corrected attempts, where whoever has returned stands for itself by its published value.
 */
#ifndef FTC_ENGINE_EXCHANGE_H
#define FTC_ENGINE_EXCHANGE_H

#include "state.h"

void ftc_exchange_start(struct ftc_op *op);

/* Goes through the steps as far as what has arrived allows. */
void ftc_exchange_advance(struct ftc_op *op, struct ftc_actions *out);

enum ftc_step_outcome ftc_exchange_message(struct ftc_op *op, int from,
                                           const struct ftc_message *m);

/* Whether the step at hand waits for @rank. */
bool ftc_exchange_awaits(const struct ftc_op *op, int rank);

/* The leader of the host, for whose publication the step at hand waits, has published @result. */
void ftc_exchange_read(struct ftc_op *op, const struct ftc_result *result);

#endif
