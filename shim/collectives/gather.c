/* Gather and allgather, with one count or many: each rank gives one block, and each, or the root,
 * has a place for each. A gather is a reduce, of which nobody but its root hears; with counts that
 * only the root knows it is an allreduce, as all have to know whether native MPI does it. */
#include "composite.h"

static bool is_in_place(const struct ftc_plan *plan)
{
    return plan->call->sides->send.buffer == MPI_IN_PLACE;
}

static bool has_places(const struct ftc_plan *plan)
{
    return !ftc_call_has_root(plan->call->kind) || plan->call->root == plan->comm->rank;
}

/* Where blocks are posted, nobody reads that of a gather's root. */
static bool is_for_nobody(const struct ftc_plan *plan)
{
    return plan->posted && ftc_call_has_root(plan->call->kind) && has_places(plan);
}

static const void *contribute(struct ftc_plan *plan)
{
    const struct ftc_sides *sides = plan->call->sides;
    void *value = ftc_composite_begin(plan);
    struct ftc_side_view view;
    struct ftc_place place;

    if (!value || !ftc_side_view(&view, is_in_place(plan) ? &sides->receive : &sides->send))
        return NULL;
    if (is_for_nobody(plan))
        return ftc_composite_block(plan, &value, 0) ? value : NULL;
    place = is_in_place(plan) ? ftc_side_place(&view, plan->comm->rank) : ftc_side_whole(&view);
    return ftc_composite_add(plan, &value, &place) == MPI_SUCCESS ? value : NULL;
}

static int deliver_from(const struct ftc_plan *plan, struct ftc_side_view *view,
                        struct ftc_piece block, int from)
{
    struct ftc_place place = ftc_side_place(view, from);

    if (!block.data)
        return ftc_composite_deliver_dead(&place);
    return ftc_composite_deliver(plan, from, &place, block.data, block.bytes);
}

static int deliver_own(const struct ftc_plan *plan, struct ftc_side_view *receive)
{
    struct ftc_side_view send;
    struct ftc_place from, to = ftc_side_place(receive, plan->comm->rank);

    if (is_in_place(plan))
        return MPI_SUCCESS;
    if (!ftc_side_view(&send, &plan->call->sides->send))
        return MPI_ERR_TYPE;
    from = ftc_side_whole(&send);
    return ftc_composite_copy(plan, &to, &from);
}

static int deliver(const struct ftc_plan *plan)
{
    struct ftc_side_view view;
    size_t at = 0;
    int rv;

    if (!ftc_composite_has_result(plan) || !has_places(plan) ||
        !ftc_side_view(&view, &plan->call->sides->receive))
        return MPI_SUCCESS;
    rv = deliver_own(plan, &view);
    for (int from = 0; from < plan->comm->size; from++)
        if (from != plan->comm->rank)
            rv = ftc_composite_first_error(
                rv, deliver_from(plan, &view, ftc_composite_find(plan, from, &at), from));
    return rv;
}

/* No rank waits for the others of a gather: for them the call is done. */
static int without_root(const struct ftc_plan *plan)
{
    (void)plan;
    return MPI_SUCCESS;
}

const struct ftc_collective ftc_collective_gather = {
    .needs_mpi = ftc_composite_needs_mpi,
    .contribute = contribute,
    .deliver = deliver,
    .without_root = without_root,
};
