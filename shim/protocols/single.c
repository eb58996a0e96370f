#include "single.h"

#include "combine.h"
#include "exposed.h"
#include "limits.h"
#include "packed.h"
#include "progress/running.h"
#include "value/broadcast.h"
#include "value/contributors.h"

#include <assert.h>

/* ---- blocks ---- */

static bool shows_blocks(const struct ftc_plan *plan)
{
    enum ftc_call_kind kind = plan->call->kind;

    return plan->call->layouts && !ftc_call_has_operation(kind) && !ftc_call_is_nonblocking(kind) &&
           !ftc_call_goes_to_root(kind) && !ftc_plan_is_uneven(plan);
}

bool ftc_single_can_expose(const struct ftc_plan *plan)
{
    return shows_blocks(plan) &&
           ftc_exposed_fits(plan->arguments.value_bytes / (size_t)plan->comm->size) &&
           ftc_exposed_fits(plan->arguments.value_bytes);
}

/* Adds this rank's block to its contribution. Returns where its @bytes belong; NULL if the value
 * has no room for them. */
static void *add_block(struct ftc_plan *plan, size_t bytes)
{
    void *value = plan->comm->running->contribution;
    int rank = plan->comm->rank;
    uint32_t exposed = 0;
    void *room = ftc_exposed_room(plan, bytes, &exposed);
    void *data = ftc_blocks_add(value, &plan->limit, rank, bytes, exposed);

    if (data && plan->note != 0)
        ftc_blocks_note(value, data, plan->note);
    return data && room ? room : data;
}

/* Begins a value of blocks. Returns false without memory. */
static bool begin_blocks(struct ftc_plan *plan)
{
    plan->limit = (struct ftc_blocks_limit){
        .ranks = plan->comm->size,
        .data_bytes = plan->protocol == FTC_PROTOCOL_SINGLE_EXPOSED ? 0
                      : ftc_plan_is_uneven(plan) ? (size_t)ftc_library.settings.max_bytes
                                                 : plan->arguments.value_bytes,
        .exposed_apart = ftc_limits_are_protected(),
    };
    plan->travelling_bytes = ftc_blocks_room(&plan->limit);
    if (ftc_running_reserve(plan->comm, plan->travelling_bytes) != 0)
        return false;
    plan->value = plan->comm->running->contribution;
    ftc_blocks_begin(plan->comm->running->contribution);
    plan->room = add_block;
    return true;
}

static void join_blocks(void *plan, void *into, const void *from)
{
    ftc_blocks_join(&((struct ftc_plan *)plan)->limit, into, from);
}

static struct ftc_piece find_block(const struct ftc_plan *plan, int rank, size_t *at)
{
    const void *value = ftc_packed_result(plan);
    struct ftc_piece piece = {0};
    struct ftc_block block;

    if (!value || !ftc_blocks_find(value, rank, at, &block))
        return piece;
    piece = block.exposed ? ftc_exposed_find(plan, rank, block.bytes, block.exposed)
                          : (struct ftc_piece){.data = block.data, .bytes = block.bytes};
    piece.note = block.note;
    return piece;
}

/* ---- the data of a broadcast ---- */

static void *add_data(struct ftc_plan *plan, size_t bytes)
{
    struct ftc_broadcast_value *value = (void *)plan->comm->running->contribution;
    uint32_t exposed = 0;
    unsigned char *room = ftc_exposed_room(plan, bytes, &exposed);

    ftc_broadcast_begin(value, true, bytes);
    value->exposed = (uint16_t)exposed;
    return room ? room : value->data;
}

static bool begin_broadcast(struct ftc_plan *plan)
{
    plan->travelling_bytes = ftc_broadcast_value_bytes(plan->arguments.value_bytes);
    if (ftc_running_reserve(plan->comm, plan->travelling_bytes) != 0)
        return false;
    plan->value = plan->comm->running->contribution;
    ftc_broadcast_begin((void *)plan->comm->running->contribution, false, 0);
    plan->room = add_data;
    return true;
}

static void combine_broadcasts(void *plan, void *into, const void *from)
{
    ftc_broadcast_combine(&((struct ftc_plan *)plan)->travelling_bytes, into, from);
}

static struct ftc_piece find_data(const struct ftc_plan *plan, int rank, size_t *at)
{
    const struct ftc_broadcast_value *value = ftc_packed_result(plan);

    (void)at;
    if (!value->has_data)
        return (struct ftc_piece){0};
    if (value->exposed)
        return ftc_exposed_find(plan, rank, value->bytes, value->exposed);
    return (struct ftc_piece){.data = value->data, .bytes = value->bytes};
}

/* ---- elements that are combined ---- */

/* Makes a value with room for the elements of this rank. Returns where they belong; NULL without
 * memory. */
static void *begin_copy(struct ftc_plan *plan, size_t bytes)
{
    const struct ftc_comm *c = plan->comm;
    unsigned char *value;

    assert(bytes == plan->arguments.value_bytes);
    if (ftc_running_reserve(plan->comm, plan->travelling_bytes) != 0)
        return NULL;
    plan->value = value = c->running->contribution;
    if (plan->header_bytes > 0)
        ftc_contributors_begin(value, c->size, c->rank, plan->note != 0);
    return value + plan->header_bytes;
}

static bool begin_elements(struct ftc_plan *plan)
{
    plan->header_bytes = ftc_contributors_bytes(plan->comm->size);
    plan->travelling_bytes = plan->header_bytes + plan->arguments.value_bytes;
    plan->takes_in_place = plan->header_bytes == 0;
    plan->room = begin_copy;
    return true;
}

static void combine_elements(void *context, void *into, const void *from)
{
    struct ftc_plan *plan = context;
    size_t header = plan->header_bytes;

    if (header > 0)
        ftc_contributors_join(into, from, plan->comm->size);
    if (plan->arguments.value_bytes > 0)
        ftc_combine_elements(plan, (char *)into + header, (const char *)from + header,
                             plan->arguments.count);
}

/* ---- the operation ---- */

static bool combines(const struct ftc_plan *plan)
{
    return plan->collective->combines && !plan->arguments.keeps_blocks && !plan->is_inter;
}

/* Returns whether the operation is a reduce. Only the root of a reduce learns which ranks are dead,
 * and its cost grows with the number of failures that it tolerates. A persistent request tolerates
 * any number and has no other operation from which ranks learn of deaths. On an intercommunicator
 * not all ranks know the root. If a rank may refuse the call, all ranks must learn of that. */
static bool is_reduce(const struct ftc_plan *plan)
{
    enum ftc_call_kind kind = plan->call->kind;

    return ftc_call_goes_to_root(kind) && !ftc_call_is_persistent(kind) && !plan->is_inter &&
           !plan->arguments.packs_elements;
}

/* Returns whether each member sends its block directly to the root. Blocks do not shrink when they
 * are joined on their way, so each should travel once. No member should wait for a member in
 * between either. On one host a message to the root costs no more than one to any other rank. The
 * members are the same on all ranks. */
static bool is_direct(const struct ftc_comm *c)
{
    return c->member_count <= FTC_DIRECT_MOST && c->topology.hosts.count == 1;
}

/* Begins a value without data. Returns false without memory. */
static bool begin(struct ftc_plan *plan, struct ftc_loop_request *request)
{
    if (combines(plan)) {
        request->combine = combine_elements;
        return begin_elements(plan);
    }
    if (plan->collective->gives_alone) {
        request->combine = combine_broadcasts;
        request->used_bytes = ftc_broadcast_used_bytes;
        plan->find = find_data;
        return begin_broadcast(plan);
    }
    plan->comes_in_blocks = true;
    request->direct = request->kind == FTC_OP_REDUCE && is_direct(plan->comm);
    request->combine = join_blocks;
    request->used_bytes = ftc_blocks_used_bytes;
    plan->find = find_block;
    return begin_blocks(plan);
}

static void request(struct ftc_plan *plan, struct ftc_loop_request *request)
{
    if (is_reduce(plan))
        request->kind = FTC_OP_REDUCE;
    request->root = plan->root;
    if (!plan->collective->give)
        request->contribution = "";
    else if (begin(plan, request) && ftc_packed_give(plan) == MPI_SUCCESS)
        request->contribution = plan->value;
    request->value_bytes = plan->travelling_bytes;
}

/* ---- after the operation ---- */

/* Returns whether any rank requires that native MPI carries out the call. */
static bool is_refused(const struct ftc_plan *plan, const void *value)
{
    struct ftc_block block;
    size_t at = 0;

    value = ftc_blocks_within(value, plan->travelling_bytes);
    while (value && ftc_blocks_next(value, &at, &block))
        if (block.note & FTC_BLOCK_REFUSES)
            return true;
    return false;
}

/* Returns why the blocks are no result, if they are not. All ranks that have the value return the
 * same. */
static enum ftc_fallback obstacle_of(const struct ftc_plan *plan)
{
    const void *value = plan->comm->running->op.result.value;

    if (value && ftc_blocks_are_too_large(value))
        return FTC_FALLBACK_TOO_LARGE;
    return (plan->is_inter || plan->arguments.packs_elements) && is_refused(plan, value)
               ? FTC_FALLBACK_INVALID
               : FTC_FALLBACK_NONE;
}

static int after(struct ftc_plan *plan)
{
    if (plan->comes_in_blocks)
        plan->turned_out = obstacle_of(plan);
    if (plan->turned_out != FTC_FALLBACK_NONE)
        return MPI_SUCCESS;
    if (plan->packed)
        return ftc_packed_take(plan);
    return ftc_packed_result(plan) && plan->collective->take ? plan->collective->take(plan)
                                                             : MPI_SUCCESS;
}

const struct ftc_protocol_steps ftc_single_steps = {
    .request = request,
    .after = after,
};
