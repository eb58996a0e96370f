/* Alltoall, with one count, many, or many datatypes: each rank gives its row, and takes its piece
 * out of each other's. All have all rows, n (n - 1) pieces: whoever survives can help others to the
 * result, whoever that is. */
#include "composite.h"
#include "row.h"

static bool is_in_place(const struct ftc_plan *plan)
{
    return plan->call->sides->send.buffer == MPI_IN_PLACE;
}

static const void *contribute(struct ftc_plan *plan)
{
    const struct ftc_sides *sides = plan->call->sides;
    const struct ftc_side *source = is_in_place(plan) ? &sides->receive : &sides->send;
    void *value = ftc_composite_begin(plan);

    return value && ftc_row_add(plan, &value, source) == MPI_SUCCESS ? value : NULL;
}

static int deliver_from(const struct ftc_plan *plan, struct ftc_side_view *view,
                        struct ftc_piece row, int from)
{
    struct ftc_place place = ftc_side_place(view, from);

    return ftc_row_deliver(plan, row, from, &place);
}

static int deliver(const struct ftc_plan *plan)
{
    int rv = is_in_place(plan) ? MPI_SUCCESS : ftc_row_deliver_own(plan);
    struct ftc_side_view view;
    size_t at = 0;

    if (!ftc_composite_has_result(plan) || !ftc_side_view(&view, &plan->call->sides->receive))
        return rv;
    for (int from = 0; from < plan->comm->size; from++)
        if (from != plan->comm->rank)
            rv = ftc_composite_first_error(
                rv, deliver_from(plan, &view, ftc_composite_find(plan, from, &at), from));
    return rv;
}

const struct ftc_collective ftc_collective_alltoall = {
    .needs_mpi = ftc_composite_needs_mpi,
    .contribute = contribute,
    .deliver = deliver,
};
