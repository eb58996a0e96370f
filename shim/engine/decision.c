#include "decision.h"

#include "broadcast.h"

/* Lists the ranks that all survivors leave out from now on. They are all ranks that this rank,
 * which decides, knows to be dead. */
static void list_failed(struct ftc_op *op)
{
    op->agreed.count = 0;
    if (op->config.failure_scheme == FTC_FAILURE_LIST)
        ftc_failure_info_merge(&op->agreed, FTC_FAILURE_LIST, &op->info);
    for (int rank = 0; op->dead_count > 0 && rank < op->config.topology->n; rank++)
        if (ftc_op_is_dead(op, rank))
            ftc_failure_info_note(&op->agreed, FTC_FAILURE_LIST, rank, false);
    op->agreed.overflow = false; /* ranks beyond the list are agreed on later */
}

void ftc_decision_make(struct ftc_op *op, enum ftc_verdict verdict, struct ftc_actions *out)
{
    if (!op->has_lock) {
        list_failed(op);
        op->result.verdict = verdict;
        op->result.value = verdict == FTC_VERDICT_VALUE ? op->value : NULL;
    }
    op->result.attempt = op->attempt;
    ftc_op_enter(op, FTC_PHASE_DONE);
    if (op->config.kind == FTC_OP_ALLREDUCE)
        ftc_broadcast_forward(op, out);
}

void ftc_decision_accept(struct ftc_op *op, const struct ftc_result *result,
                         struct ftc_actions *out)
{
    op->has_lock = false;
    ftc_op_hold_lock(op, result);
    ftc_op_enter(op, FTC_PHASE_DONE);
    ftc_broadcast_forward(op, out);
}

void ftc_decision_end_reduce(struct ftc_op *op)
{
    list_failed(op);
    op->result.verdict = ftc_op_is_dead(op, op->root) ? FTC_VERDICT_VALUE : FTC_VERDICT_EXCESS;
    op->result.value = NULL;
    ftc_op_enter(op, FTC_PHASE_DONE);
}
