#include "attempt.h"

#include "exchange.h"
#include "reduce.h"

#include <assert.h>

static int first_corrected_attempt(const struct ftc_op *op)
{
    return op->config.algorithm == FTC_ALGORITHM_OPTIMISTIC ? 1 : 0;
}

void ftc_attempt_join(struct ftc_op *op, uint32_t attempt, struct ftc_actions *out)
{
    const struct ftc_topology *t = op->config.topology;
    int base = first_corrected_attempt(op);

    while (ftc_op_is_dead(op, ftc_topology_candidate(t, (int)attempt - base)))
        attempt++;
    assert((int)attempt - base < t->n); /* this rank itself is a candidate, and alive */
    op->attempt = attempt;
    ftc_op_set_root(op, ftc_topology_candidate(t, (int)attempt - base));
    op->has_value = op->has_lock = false;
    ftc_reduce_start(op, out);
}

void ftc_attempt_start(struct ftc_op *op, struct ftc_actions *out)
{
    if (op->config.algorithm == FTC_ALGORITHM_OPTIMISTIC && op->dead_count == 0)
        ftc_exchange_start(op);
    else
        ftc_attempt_join(op, (uint32_t)first_corrected_attempt(op), out);
}
