#include "row.h"

#include "letters.h"

#include <string.h>

static bool has_letters(const struct ftc_plan *plan)
{
    return ftc_protocol_is_rounds(plan->protocol) || ftc_call_is_uneven(plan->call->kind);
}

static size_t row_bytes(const struct ftc_plan *plan, struct ftc_side_view *view)
{
    size_t sum = 0;

    for (int to = 0; to < plan->comm->size; to++) {
        struct ftc_place place;
        size_t bytes;

        if (to == plan->comm->rank)
            continue;
        place = ftc_side_place(view, to);
        bytes = ftc_place_bytes(&place);
        if (bytes > ftc_composite_most(plan))
            return bytes; /* too large, however many more there are */
        if (bytes > 0)
            sum += has_letters(plan) ? ftc_letter_bytes(bytes) : bytes;
    }
    return sum;
}

static int write_piece(const struct ftc_plan *plan, unsigned char **row, int to,
                       const struct ftc_place *place)
{
    size_t bytes = ftc_place_bytes(place);
    void *data = *row;

    if (bytes == 0)
        return MPI_SUCCESS;
    if (has_letters(plan))
        data = ftc_letter_write(row, to, bytes);
    else
        *row += bytes;
    return ftc_place_read(data, place);
}

/* True for pieces of one size, without gaps, that follow each other in memory. */
static bool is_dense(const struct ftc_plan *plan, const struct ftc_side_view *view)
{
    return !has_letters(plan) && !view->side->counts && ftc_facts_are_packed(view->facts);
}

/* Copies the pieces before the own one, then those after it. */
static int add_dense(struct ftc_plan *plan, void **value, struct ftc_side_view *view)
{
    const struct ftc_comm *c = plan->comm;
    const struct ftc_place place = ftc_side_whole(view);
    size_t piece = ftc_place_bytes(&place), before = piece * (size_t)c->rank;
    size_t after = piece * (size_t)(c->size - 1) - before;
    unsigned char *row = ftc_composite_block(plan, value, before + after);
    const char *from = place.address;

    if (row && before > 0)
        memcpy(row, from, before);
    if (row && after > 0)
        memcpy(row + before, from + before + piece, after);
    return MPI_SUCCESS;
}

int ftc_row_add(struct ftc_plan *plan, void **value, const struct ftc_side *side)
{
    struct ftc_side_view view;
    unsigned char *row;
    int rv = MPI_SUCCESS;

    if (!ftc_side_view(&view, side))
        return MPI_ERR_TYPE;
    if (is_dense(plan, &view))
        return add_dense(plan, value, &view);
    row = ftc_composite_block(plan, value, row_bytes(plan, &view));
    for (int to = 0; row && to < plan->comm->size; to++) {
        struct ftc_place place;

        if (to == plan->comm->rank)
            continue;
        place = ftc_side_place(&view, to);
        rv = ftc_composite_first_error(rv, write_piece(plan, &row, to, &place));
    }
    return rv;
}

/* ---- what others have for this rank ---- */

static struct ftc_piece find_even(struct ftc_piece row, int from, int to, int size)
{
    size_t bytes = row.bytes / (size_t)(size - 1);
    size_t before = (size_t)(to < from ? to : to - 1); /* the row has none for its own rank */

    return (struct ftc_piece){(const char *)row.data + before * bytes, bytes};
}

int ftc_row_deliver(const struct ftc_plan *plan, struct ftc_piece row, int from,
                    const struct ftc_place *place)
{
    const struct ftc_comm *c = plan->comm;
    struct ftc_piece piece;

    if (!row.data)
        return ftc_composite_deliver_dead(place);
    piece = has_letters(plan) ? ftc_letter_find(row, c->rank, 0)
                              : find_even(row, from, c->rank, c->size);
    return ftc_composite_deliver(plan, from, place, piece.data, piece.bytes);
}

/* ---- what it has for itself ---- */

int ftc_row_deliver_own(const struct ftc_plan *plan)
{
    const struct ftc_sides *sides = plan->call->sides;
    struct ftc_side_view send, receive;
    struct ftc_place from, to;

    if (!ftc_side_view(&send, &sides->send) || !ftc_side_view(&receive, &sides->receive))
        return MPI_ERR_TYPE;
    from = ftc_side_place(&send, plan->comm->rank);
    to = ftc_call_has_root(plan->call->kind) ? ftc_side_whole(&receive)
                                             : ftc_side_place(&receive, plan->comm->rank);
    return ftc_composite_copy(plan, &to, &from);
}
