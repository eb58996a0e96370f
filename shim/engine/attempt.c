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
    int base = first_corrected_attempt(op);

    while (ftc_op_is_dead(op, (int)attempt - base))
        attempt++;
    op->attempt = attempt;
    op->root = (int)attempt - base;
    assert(op->root < op->config.topology->n); /* this rank itself is a candidate, and alive */
    op->vrank = ftc_topology_swap(op->config.rank, op->root);
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
