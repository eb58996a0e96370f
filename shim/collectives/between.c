/* Collective calls on an intercommunicator (MPI 4.0, section 6.2.3). Both groups are in one
 * operation, an allreduce of the blocks of those who give. So all survivors agree on who has, in
 * either group, though no rank knows what the other group says: not which rank is the root, where
 * it does not take part beside it, nor how much there is. A reduction is made by whoever gets it,
 * out of the other group's elements. */
#include "composite.h"
#include "fold.h"
#include "interest.h"
#include "letters.h"
#include "program/error.h"
#include "value/roles.h"

static enum ftc_call_kind plain(const struct ftc_plan *plan)
{
    return ftc_call_plain(plan->call->kind);
}

static bool needs_mpi(const struct ftc_plan *plan)
{
    (void)plan;
    return true;
}

/* ---- given ---- */

static int add_buffer(struct ftc_plan *plan, void **value)
{
    const struct ftc_call *call = plan->call;
    size_t bytes = ftc_packed_bytes(&plan->arguments.facts, call->count);
    void *data = ftc_composite_block(plan, value, bytes);

    return data ? ftc_pack(data, call->recvbuf, call->count, &plan->arguments.facts) : MPI_SUCCESS;
}

static int add_block(struct ftc_plan *plan, void **value)
{
    struct ftc_side_view view;
    struct ftc_place place;

    if (!ftc_side_view(&view, &plan->call->sides->send))
        return MPI_ERR_TYPE;
    place = ftc_side_whole(&view);
    return ftc_composite_add(plan, value, &place);
}

static size_t bytes_of_letters(const struct ftc_plan *plan, struct ftc_side_view *view)
{
    size_t sum = 0;

    for (int to = 0; to < plan->comm->remote_size; to++) {
        struct ftc_place place = ftc_side_place(view, to);
        size_t bytes = ftc_place_bytes(&place);

        if (bytes > ftc_composite_most(plan))
            return bytes; /* too large, however many more there are */
        sum += bytes > 0 ? ftc_letter_bytes(bytes) : 0;
    }
    return sum;
}

static int add_letters(struct ftc_plan *plan, void **value)
{
    int rv = MPI_SUCCESS;
    struct ftc_side_view view;
    unsigned char *at;

    if (!ftc_side_view(&view, &plan->call->sides->send))
        return MPI_ERR_TYPE;
    at = ftc_composite_block(plan, value, bytes_of_letters(plan, &view));
    for (int to = 0; at && to < plan->comm->remote_size; to++) {
        struct ftc_place place = ftc_side_place(&view, to);
        size_t bytes = ftc_place_bytes(&place);

        if (bytes > 0)
            rv = ftc_composite_first_error(
                rv, ftc_place_read(ftc_letter_write(&at, plan->comm->remote + to, bytes), &place));
    }
    return rv;
}

static int add(struct ftc_plan *plan, void **value)
{
    if (plain(plan) == FTC_CALL_BCAST)
        return add_buffer(plan, value);
    return ftc_interest_is_in_letters(plan) ? add_letters(plan, value) : add_block(plan, value);
}

static const void *contribute(struct ftc_plan *plan)
{
    void *value;

    if (ftc_role_gives(plan->call) && ftc_call_has_operation(plan->call->kind))
        return ftc_fold_contribute(plan);
    value = ftc_composite_begin(plan);
    if (value && plan->arguments.refuses)
        ftc_composite_refuse(plan, value);
    if (!value || plan->arguments.refuses || !ftc_role_gives(plan->call))
        return value;
    return add(plan, &value) == MPI_SUCCESS ? value : NULL;
}

/* ---- taken ---- */

/* Finds the data of rank @from of the other group for this one. */
static struct ftc_piece find(const struct ftc_plan *plan, int from, size_t *at)
{
    struct ftc_piece block = ftc_composite_find(plan, plan->comm->remote + from, at);

    if (!block.data || !ftc_interest_is_in_letters(plan))
        return block;
    block = ftc_letter_find(block, plan->comm->rank, 0);
    return block.data ? block : (struct ftc_piece){"", 0};
}

static int deliver_buffer(const struct ftc_plan *plan, struct ftc_piece piece)
{
    const struct ftc_call *call = plan->call;
    size_t room = ftc_packed_bytes(&plan->arguments.facts, call->count);

    if (piece.bytes > room)
        return ftc_error_truncated(call, call->root, piece.bytes, room);
    return ftc_unpack_some(call->recvbuf, piece.data, piece.bytes, call->count,
                           &plan->arguments.facts);
}

static int deliver_from_root(const struct ftc_plan *plan)
{
    struct ftc_side_view view;
    struct ftc_piece piece;
    struct ftc_place place;
    size_t at = 0;

    piece = find(plan, plan->call->root, &at);
    if (!piece.data)
        return ftc_composite_without_root(plan);
    if (plain(plan) == FTC_CALL_BCAST)
        return deliver_buffer(plan, piece);
    if (!ftc_side_view(&view, &plan->call->sides->receive))
        return MPI_ERR_TYPE;
    place = ftc_side_whole(&view);
    return ftc_composite_deliver(plan, plan->call->root, &place, piece.data, piece.bytes);
}

static int deliver_from(const struct ftc_plan *plan, struct ftc_side_view *view, int from,
                        struct ftc_piece piece)
{
    struct ftc_place place = ftc_side_place(view, from);

    if (!piece.data)
        return ftc_composite_deliver_dead(&place);
    return ftc_composite_deliver(plan, from, &place, piece.data, piece.bytes);
}

static int deliver_from_all(const struct ftc_plan *plan)
{
    struct ftc_side_view view;
    int rv = MPI_SUCCESS;
    size_t at = 0;

    if (!ftc_side_view(&view, &plan->call->sides->receive))
        return MPI_ERR_TYPE;
    for (int from = 0; from < plan->comm->remote_size; from++)
        rv = ftc_composite_first_error(rv, deliver_from(plan, &view, from, find(plan, from, &at)));
    return rv;
}

/* Both groups are to name as many elements. */
static int look_at_lengths(const struct ftc_plan *plan)
{
    size_t room = ftc_arguments_given(&plan->arguments), at = 0;

    for (int from = 0; from < plan->comm->remote_size; from++) {
        struct ftc_piece piece = find(plan, from, &at);

        if (piece.data && piece.bytes != room)
            return ftc_error_truncated(plan->call, from, piece.bytes, room);
    }
    return MPI_SUCCESS;
}

/* Delivers the elements of a reduce_scatter that are for this rank. */
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
    if (!ftc_role_takes(plan->call) || !ftc_composite_has_result(plan))
        return MPI_SUCCESS;
    if (ftc_call_has_operation(plan->call->kind))
        return deliver_elements(plan);
    return ftc_call_comes_from_root(plan->call->kind) ? deliver_from_root(plan)
                                                      : deliver_from_all(plan);
}

const struct ftc_collective ftc_collective_between = {
    .is_between = true,
    .needs_mpi = needs_mpi,
    .contribute = contribute,
    .deliver = deliver,
};
