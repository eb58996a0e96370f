#include "confirmation.h"

#include <string.h>

void ftc_confirmation_start(struct ftc_op *op)
{
    ftc_op_enter(op, FTC_PHASE_CONFIRMATION);
    memset(op->confirmed, 0, (size_t)op->config.topology->n);
    op->confirmed[op->config.rank] = 1;
}

bool ftc_confirmation_is_complete(const struct ftc_op *op)
{
    for (int rank = 0; !op->has_lock && rank < op->config.topology->n; rank++)
        if (!op->confirmed[rank] && !ftc_op_is_dead(op, rank))
            return false;
    return true;
}

bool ftc_confirmation_awaits(const struct ftc_op *op, int rank)
{
    return op->phase == FTC_PHASE_CONFIRMATION && !op->confirmed[rank] && !ftc_op_is_dead(op, rank);
}
