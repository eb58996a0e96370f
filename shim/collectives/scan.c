/* Scan and exscan: everybody gets each rank's elements, and combines those before its own. */
#include "fold.h"

static bool buffers_are_valid(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;

    return ftc_is_buffer(call->recvbuf, &plan->facts) && call->recvbuf != MPI_IN_PLACE &&
           ftc_is_buffer(call->sendbuf, &plan->facts) && call->sendbuf != call->recvbuf;
}

static void examine(struct ftc_plan *plan, struct ftc_policy_facts *facts)
{
    const struct ftc_call *call = plan->call;

    plan->count = call->count;
    facts->commutative = true;
    facts->valid = ftc_facts(call->datatype, call->op, &plan->facts);
    if (!facts->valid || call->count == 0)
        return;
    facts->valid = buffers_are_valid(plan);
    plan->packs_elements = ftc_is_bottom(ftc_call_input(call), &plan->facts);
    plan->refuses = ftc_fold_is_too_wide(plan);
    if (__builtin_mul_overflow(ftc_fold_bytes(plan), (size_t)plan->comm->size, &plan->value_bytes))
        plan->value_bytes = SIZE_MAX;
    facts->value_bytes = plan->value_bytes;
}

static bool needs_mpi(const struct ftc_plan *plan)
{
    return ftc_facts_need_mpi(&plan->facts);
}

/* The first rank that lives has nothing before it: its buffer keeps what it holds. */
static int deliver(const struct ftc_plan *plan)
{
    bool is_inclusive = ftc_call_plain(plan->call->kind) == FTC_CALL_SCAN;

    return ftc_fold_deliver(plan, is_inclusive ? FTC_FOLD_PREFIX : FTC_FOLD_BEFORE, 0, plan->count);
}

const struct ftc_collective ftc_collective_scan = {
    .is_described_alike = true,
    .examine = examine,
    .needs_mpi = needs_mpi,
    .contribute = ftc_fold_contribute,
    .deliver = deliver,
};
