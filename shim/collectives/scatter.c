/* Scatter, with one count or many: a broadcast of all that the root has for the others, its row. So
 * all survivors agree whether there is any. */
#include "composite.h"
#include "row.h"

static bool is_root(const struct ftc_plan *plan)
{
    return plan->call->root == plan->comm->rank;
}

static const void *contribute(struct ftc_plan *plan)
{
    void *value = ftc_composite_begin(plan);

    if (!value || !is_root(plan))
        return value;
    return ftc_row_add(plan, &value, &plan->call->sides->send) == MPI_SUCCESS ? value : NULL;
}

static int deliver_own(const struct ftc_plan *plan)
{
    return plan->call->sides->receive.buffer == MPI_IN_PLACE ? MPI_SUCCESS
                                                             : ftc_row_deliver_own(plan);
}

static int deliver(const struct ftc_plan *plan)
{
    struct ftc_piece row;
    struct ftc_side_view view;
    struct ftc_place place;
    size_t at = 0;

    row = ftc_composite_find(plan, plan->call->root, &at);
    if (!row.data)
        return ftc_composite_without_root(plan);
    if (is_root(plan))
        return deliver_own(plan);
    if (!ftc_side_view(&view, &plan->call->sides->receive))
        return MPI_ERR_TYPE;
    place = ftc_side_whole(&view);
    return ftc_row_deliver(plan, row, plan->call->root, &place);
}

const struct ftc_collective ftc_collective_scatter = {
    .needs_mpi = ftc_composite_needs_mpi,
    .contribute = contribute,
    .deliver = deliver,
    .without_root = ftc_composite_without_root,
};
