/* Scan and exscan: everybody gets each rank's elements, and combines those before its own. */
#include "fold.h"
#include "kinds.h"

static bool needs_mpi(const struct ftc_plan *plan)
{
    return ftc_facts_need_mpi(&plan->arguments.facts);
}

/* The first rank that lives has nothing before it: its buffer keeps what it holds. */
static int deliver(const struct ftc_plan *plan)
{
    bool is_inclusive = ftc_call_plain(plan->call->kind) == FTC_CALL_SCAN;

    return ftc_fold_deliver(plan, is_inclusive ? FTC_FOLD_PREFIX : FTC_FOLD_BEFORE, 0,
                            plan->arguments.count);
}

const struct ftc_collective ftc_collective_scan = {
    .is_described_alike = true,
    .needs_mpi = needs_mpi,
    .contribute = ftc_fold_contribute,
    .deliver = deliver,
};
