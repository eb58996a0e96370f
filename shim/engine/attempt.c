#include "attempt.h"

#include "exchange.h"
#include "reduce.h"

#include <assert.h>

static int first_corrected_attempt(const struct ftc_op *op)
{
    return ftc_op_exchanges(&op->config) ? 1 : 0;
}

/* Returns the root of @attempt. There always is one, because this rank itself is a candidate and
 * alive. */
static int candidate(const struct ftc_op *op, uint32_t attempt)
{
    const struct ftc_topology *t = op->config.topology;
    int index = (int)attempt - first_corrected_attempt(op);

    assert(index < t->n);
    return ftc_topology_candidate(t, index);
}

void ftc_attempt_join(struct ftc_op *op, uint32_t attempt, struct ftc_actions *out)
{
    while (ftc_op_is_dead(op, candidate(op, attempt)))
        attempt++;
    op->attempt = attempt;
    ftc_op_set_root(op, candidate(op, attempt));
    op->has_value = op->has_lock = false;
    ftc_reduce_start(op, out);
}

void ftc_attempt_start(struct ftc_op *op, struct ftc_actions *out)
{
    if (ftc_op_exchanges(&op->config) && op->dead_count == 0)
        ftc_exchange_start(op);
    else
        ftc_attempt_join(op, (uint32_t)first_corrected_attempt(op), out);
}
