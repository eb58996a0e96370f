/* Collective calls on an intercommunicator (MPI 4.0, section 6.2.3). Both groups are in one
 * operation, an allreduce of the blocks of those who give. So all survivors agree on who has, in
 * either group, though no rank knows what the other group says: not which rank is the root, where
 * it does not take part beside it, nor how much there is. A reduction is made by whoever gets it,
 * out of the other group's elements. */
#include "fold.h"
#include "kinds.h"
#include "program/error.h"
#include "protocols/composite.h"
#include "value/roles.h"

static bool needs_mpi(const struct ftc_plan *plan)
{
    (void)plan;
    return true;
}

static const void *contribute(struct ftc_plan *plan)
{
    if (ftc_role_gives(plan->call) && ftc_call_has_operation(plan->call->kind))
        return ftc_fold_contribute(plan);
    return ftc_collective_blocks.contribute(plan);
}

/* Both groups are to name as many elements. */
static int look_at_lengths(const struct ftc_plan *plan)
{
    size_t room = ftc_arguments_given(&plan->arguments), at = 0;

    for (int from = 0; from < plan->comm->remote_size; from++) {
        struct ftc_piece block = ftc_composite_find(plan, plan->comm->remote + from, &at);

        if (block.data && block.bytes != room)
            return ftc_error_truncated(plan->call, from, block.bytes, room);
    }
    return MPI_SUCCESS;
}

/* Delivers the elements of a reduction that are for this rank: those of a reduce_scatter are some.
 */
static int deliver_elements(const struct ftc_plan *plan)
{
    int rv = look_at_lengths(plan);
    const struct ftc_sides *sides = plan->call->sides;
    MPI_Count first = 0, count = plan->arguments.count;
    int rank = plan->comm->rank - ftc_comm_local(plan->comm);

    if (sides) {
        count = ftc_side_count(&sides->receive, rank);
        ftc_sides_sum_counts(&sides->receive, rank, &first);
    }
    return rv == MPI_SUCCESS ? ftc_fold_deliver(plan, FTC_FOLD_AS_REDUCE, first, count) : rv;
}

static int deliver(const struct ftc_plan *plan)
{
    if (!ftc_call_has_operation(plan->call->kind))
        return ftc_collective_blocks.deliver(plan);
    return ftc_role_takes(plan->call) && ftc_composite_has_result(plan) ? deliver_elements(plan)
                                                                        : MPI_SUCCESS;
}

const struct ftc_collective ftc_collective_between = {
    .is_between = true,
    .needs_mpi = needs_mpi,
    .contribute = contribute,
    .deliver = deliver,
};
