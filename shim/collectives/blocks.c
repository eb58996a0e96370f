/* Calls that move blocks: gather, scatter and alltoall with their forms, neighborhood collectives,
 * and all of these and broadcasts on an intercommunicator. A rank gives one block: the same data
 * for all ranks that take them, or a segment for each of them (pattern.h).
 *
 * doc/design.md, section 12, lists the operation of each call. A gather with counts that only the
 * root knows is an allreduce, because all ranks have to learn whether native MPI carries it out.
 * Data travel packed, because ranks may describe them by different datatypes. The datatypes have
 * been examined, except that of a layout without blocks, which may be anything. */
#include "program/error.h"
#include "protocols/pattern.h"
#include "value/layout.h"

#include <stdint.h>
#include <string.h>

static int first_error(int a, int b)
{
    return a != MPI_SUCCESS ? a : b;
}

static bool comes_from_root(const struct ftc_plan *plan)
{
    return ftc_call_comes_from_root(plan->call->kind);
}

/* Returns the buffer of a broadcast on an intercommunicator, which has no layouts. */
static struct ftc_layout_block buffer_of(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;

    return (struct ftc_layout_block){call->recvbuf, call->count, &plan->arguments.facts};
}

/* ---- facts from MPI ---- */

static bool count_neighbors(const struct ftc_call *call, struct ftc_arguments_comm *comm)
{
    struct ftc_neighbors n;

    if (!ftc_neighbors_count(call->comm, &n))
        return false;
    comm->sources = n.sources;
    comm->destinations = n.destinations;
    if (ftc_call_is_addressed(call->kind))
        ftc_pattern_learn_order(call);
    return true;
}

static bool needs_mpi(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;

    return ftc_call_is_of_neighbors(call->kind) ||
           !ftc_layouts_are_plain(call, plan->comm->rank, plan->comm->size);
}

/* ---- given ---- */

/* Returns whether a segment with @bytes of data is written. Segments of neighbors are always
 * written, because one neighbor may get several and finds its own by counting. */
static bool has_segment(const struct ftc_pattern *p, size_t bytes)
{
    return bytes > 0 || p->neighbors;
}

/* Returns the bytes of this rank's segments; SIZE_MAX if there cannot be as many. */
static size_t bytes_of_segments(const struct ftc_plan *plan, const struct ftc_pattern *p,
                                struct ftc_layout_view *view)
{
    size_t sum = 0;

    for (int i = 0; i < p->destinations; i++) {
        struct ftc_layout_block place;
        size_t bytes;

        if (ftc_pattern_destination(p, i) < 0)
            continue;
        place = ftc_layout_block(view, i);
        bytes = ftc_layout_block_bytes(&place);
        if (bytes > SIZE_MAX / 4 || sum > SIZE_MAX / 4)
            return SIZE_MAX;
        if (has_segment(p, bytes))
            sum += plan->has_heads ? ftc_segment_bytes(bytes) : bytes;
    }
    return sum;
}

static int write_segment(const struct ftc_plan *plan, const struct ftc_pattern *p,
                         unsigned char **at, int to, const struct ftc_layout_block *place)
{
    size_t bytes = ftc_layout_block_bytes(place);
    void *data = *at;

    if (!has_segment(p, bytes))
        return MPI_SUCCESS;
    if (plan->has_heads)
        data = ftc_segment_write(at, to, bytes);
    else
        *at += bytes;
    return ftc_layout_block_read(data, place);
}

/* Returns whether the segments have one size and no gaps and follow each other in memory. */
static bool are_dense(const struct ftc_plan *plan, const struct ftc_layout_view *view)
{
    return !plan->has_heads && !view->layout->counts && ftc_facts_are_packed(view->facts);
}

/* Gives the segments before this rank's own, then those after it. */
static int give_dense(struct ftc_plan *plan, struct ftc_layout_view *view)
{
    const struct ftc_comm *c = plan->comm;
    const struct ftc_layout_block place = ftc_layout_whole(view);
    size_t segment = ftc_layout_block_bytes(&place), before = segment * (size_t)c->rank;
    size_t after = segment * (size_t)(c->size - 1) - before;
    unsigned char *to = ftc_give(plan, before + after);
    const char *from = place.address;

    if (to && before > 0)
        memcpy(to, from, before);
    if (to && after > 0)
        memcpy(to + before, from + before + segment, after);
    return MPI_SUCCESS;
}

static int give_segments(struct ftc_plan *plan, const struct ftc_pattern *p,
                         struct ftc_layout_view *view)
{
    unsigned char *at = ftc_give(plan, bytes_of_segments(plan, p, view));
    int rv = MPI_SUCCESS;

    for (int i = 0; at && i < p->destinations; i++) {
        int to = ftc_pattern_destination(p, i);
        struct ftc_layout_block place;

        if (to < 0)
            continue;
        place = ftc_layout_block(view, i);
        rv = first_error(rv, write_segment(plan, p, &at, to, &place));
    }
    return rv;
}

static int give_place(struct ftc_plan *plan, const struct ftc_layout_block *place)
{
    void *to = ftc_give(plan, ftc_layout_block_bytes(place));

    return to ? ftc_layout_block_read(to, place) : MPI_SUCCESS;
}

/* Gives this rank's block. With MPI_IN_PLACE the data are in the receive buffer. */
static int give_block(struct ftc_plan *plan, const struct ftc_pattern *p)
{
    const struct ftc_layouts *layouts = plan->call->layouts;
    bool is_in_place = layouts && layouts->send.buffer == MPI_IN_PLACE;
    struct ftc_layout_block place = buffer_of(plan);
    struct ftc_layout_view view;

    if (!layouts)
        return give_place(plan, &place);
    ftc_layout_view(&view, is_in_place ? &layouts->receive : &layouts->send);
    if (ftc_call_is_addressed(plan->call->kind))
        return are_dense(plan, &view) ? give_dense(plan, &view) : give_segments(plan, p, &view);
    place = is_in_place ? ftc_layout_block(&view, p->own) : ftc_layout_whole(&view);
    return give_place(plan, &place);
}

static int give(struct ftc_plan *plan)
{
    struct ftc_pattern pattern;
    int rv = MPI_SUCCESS;

    if (!ftc_pattern_make(&pattern, plan))
        return ftc_error_no_memory();
    if (pattern.gives)
        rv = give_block(plan, &pattern);
    ftc_pattern_free(&pattern);
    return rv;
}

/* ---- taken ---- */

/* Finds the data for this rank in @block, which is that of source @index. */
static struct ftc_piece find_segment(const struct ftc_plan *plan, const struct ftc_pattern *p,
                                     struct ftc_piece block, int index)
{
    size_t bytes;
    int before;

    if (plan->has_heads)
        return ftc_segment_find(block, p->own, ftc_pattern_before(p, index));
    bytes = block.bytes / (size_t)(plan->comm->size - 1);
    before = p->own < ftc_pattern_source(p, index) ? p->own : p->own - 1;
    return (struct ftc_piece){.data = (const char *)block.data + (size_t)before * bytes,
                              .bytes = bytes};
}

static struct ftc_layout_block place_for(const struct ftc_plan *plan, struct ftc_layout_view *view,
                                         int index)
{
    if (!plan->call->layouts)
        return buffer_of(plan);
    return comes_from_root(plan) ? ftc_layout_whole(view) : ftc_layout_block(view, index);
}

/* Fills the place for a dead rank that has given nothing, as setting dead_blocks says. */
static int take_from_dead(const struct ftc_layout_block *place)
{
    if (ftc_library.settings.dead_blocks == FTC_DEAD_BLOCKS_KEEP)
        return MPI_SUCCESS;
    return ftc_layout_block_zero(place) == MPI_SUCCESS ? MPI_SUCCESS : ftc_error_no_memory();
}

static int take_from(const struct ftc_plan *plan, const struct ftc_pattern *p,
                     struct ftc_layout_view *view, int index, struct ftc_piece block)
{
    struct ftc_layout_block place = place_for(plan, view, index);
    struct ftc_piece piece = block;
    size_t room;

    if (!block.data)
        return comes_from_root(plan) ? ftc_error_dead_root(plan->call) : take_from_dead(&place);
    if (ftc_call_is_addressed(plan->call->kind))
        piece = find_segment(plan, p, block, index);
    room = ftc_layout_block_bytes(&place);
    if (piece.bytes > room) /* the error names the rank in its group */
        return ftc_error_truncated(plan->call, ftc_pattern_source(p, index) - p->first_destination,
                                   piece.bytes, room);
    return ftc_layout_block_write(&place, piece.data, piece.bytes);
}

static int take_from_all(const struct ftc_plan *plan, const struct ftc_pattern *p)
{
    const struct ftc_layouts *layouts = plan->call->layouts;
    struct ftc_layout_view view;
    int rv = MPI_SUCCESS;
    size_t at = 0;

    if (layouts)
        ftc_layout_view(&view, &layouts->receive);
    for (int i = 0; i < p->sources; i++) {
        int from = ftc_pattern_source(p, i);

        if (from >= 0)
            rv = first_error(rv, take_from(plan, p, &view, i, ftc_find(plan, from, &at)));
    }
    return rv;
}

/* Copies the data of this rank for itself. */
static int copy_own(const struct ftc_plan *plan, const struct ftc_pattern *p)
{
    const struct ftc_layouts *layouts = plan->call->layouts;
    struct ftc_layout_view send, receive;
    struct ftc_layout_block from, to;
    size_t bytes, room;

    if (layouts->send.buffer == MPI_IN_PLACE || layouts->receive.buffer == MPI_IN_PLACE)
        return MPI_SUCCESS;
    ftc_layout_view(&send, &layouts->send);
    ftc_layout_view(&receive, &layouts->receive);
    from = ftc_call_is_addressed(plan->call->kind) ? ftc_layout_block(&send, p->own)
                                                   : ftc_layout_whole(&send);
    to = comes_from_root(plan) ? ftc_layout_whole(&receive) : ftc_layout_block(&receive, p->own);
    bytes = ftc_layout_block_bytes(&from);
    room = ftc_layout_block_bytes(&to);
    if (bytes > room)
        return ftc_error_truncated(plan->call, p->own, bytes, room);
    return ftc_transfer(to.address, to.count, to.facts, from.address, from.count, from.facts);
}

static int take_blocks(const struct ftc_plan *plan, const struct ftc_pattern *p)
{
    int rv = p->copies_own ? copy_own(plan, p) : MPI_SUCCESS;

    if (comes_from_root(plan) && p->copies_own)
        return rv; /* the root may have no receive buffer */
    return first_error(rv, take_from_all(plan, p));
}

static int take(const struct ftc_plan *plan)
{
    struct ftc_pattern pattern;
    int rv = MPI_SUCCESS;

    if (!ftc_pattern_make(&pattern, plan))
        return ftc_error_no_memory();
    if (pattern.takes)
        rv = take_blocks(plan, &pattern);
    ftc_pattern_free(&pattern);
    return rv;
}

const struct ftc_collective ftc_collective_blocks = {
    .count_neighbors = count_neighbors,
    .needs_mpi = needs_mpi,
    .give = give,
    .take = take,
};
