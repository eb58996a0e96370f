#include "composite.h"

#include "exposed.h"
#include "limits.h"
#include "packed.h"
#include "program/error.h"
#include "progress/running.h"
#include "rounds.h"

#include <stdint.h>

bool ftc_composite_needs_mpi(const struct ftc_plan *plan)
{
    return !ftc_sides_are_plain(plan->call, plan->comm->rank, plan->comm->size);
}

static bool data_travel_apart(const struct ftc_plan *plan)
{
    return plan->protocol == FTC_PROTOCOL_SINGLE_EXPOSED || ftc_protocol_is_rounds(plan->protocol);
}

void *ftc_composite_begin(struct ftc_plan *plan)
{
    void *value;

    plan->is_composite = true;
    if (ftc_protocol_is_rounds(plan->protocol) && !plan->packed)
        return plan->rounds;
    plan->limit = (struct ftc_blocks_limit){
        .ranks = plan->comm->size,
        .data_bytes = data_travel_apart(plan)    ? 0
                      : ftc_plan_is_uneven(plan) ? (size_t)ftc_library.settings.max_bytes
                                                 : plan->arguments.value_bytes,
        .exposed_apart = ftc_limits_are_protected(),
    };
    plan->travelling_bytes = ftc_blocks_room(&plan->limit);
    value = ftc_packed_room(plan, plan->travelling_bytes);
    if (value)
        ftc_blocks_begin(value);
    return value;
}

static bool shows_blocks(const struct ftc_plan *plan)
{
    enum ftc_call_kind kind = plan->call->kind;

    return plan->call->sides && !ftc_call_has_operation(kind) && !ftc_call_is_nonblocking(kind) &&
           !ftc_call_goes_to_root(kind) && !ftc_plan_is_uneven(plan);
}

bool ftc_composite_can_expose(const struct ftc_plan *plan)
{
    return shows_blocks(plan) &&
           ftc_exposed_fits(plan->arguments.value_bytes / (size_t)plan->comm->size) &&
           ftc_exposed_fits(plan->arguments.value_bytes);
}

static void join(void *plan, void *into, const void *from)
{
    ftc_blocks_join(&((struct ftc_plan *)plan)->limit, into, from);
}

void ftc_composite_request(struct ftc_loop_request *request)
{
    request->combine = join;
    request->used_bytes = ftc_blocks_used_bytes;
}

bool ftc_composite_is_too_large(const struct ftc_plan *plan)
{
    const void *value = plan->comm->running->op.result.value;

    return value && ftc_blocks_are_too_large(value);
}

static const void *result(const struct ftc_plan *plan)
{
    return ftc_blocks_within(ftc_packed_result(plan), plan->travelling_bytes);
}

bool ftc_composite_has_result(const struct ftc_plan *plan)
{
    return plan->rounds || result(plan);
}

static bool find_block(const struct ftc_plan *plan, int rank, size_t *at, struct ftc_block *block)
{
    const void *value = result(plan);

    return value && ftc_blocks_find(value, rank, at, block);
}

struct ftc_piece ftc_composite_find(const struct ftc_plan *plan, int rank, size_t *at)
{
    struct ftc_block block;

    if (plan->rounds)
        return ftc_rounds_find(plan->rounds, rank);
    if (!find_block(plan, rank, at, &block))
        return (struct ftc_piece){NULL, 0};
    return block.exposed ? ftc_exposed_find(plan, rank, block.bytes, block.exposed)
                         : (struct ftc_piece){block.data, block.bytes};
}

uint32_t ftc_composite_note(const struct ftc_plan *plan, int rank)
{
    struct ftc_block block;
    size_t at = 0;

    if (plan->rounds)
        return ftc_rounds_note(plan->rounds, rank);
    return find_block(plan, rank, &at, &block) ? block.note : 0;
}

void ftc_composite_refuse(struct ftc_plan *plan, void *value)
{
    if (plan->rounds && !plan->packed) {
        ftc_rounds_block(plan->rounds, 0);
        plan->rounds->note = FTC_NOTE_REFUSES;
        return;
    }
    ftc_blocks_note(value, ftc_blocks_add(value, &plan->limit, plan->comm->rank, 0),
                    FTC_NOTE_REFUSES);
}

bool ftc_composite_is_refused(const struct ftc_plan *plan)
{
    const void *value =
        ftc_blocks_within(plan->comm->running->op.result.value, plan->travelling_bytes);
    bool is_refused = false;
    struct ftc_block block;
    size_t at = 0;

    while (value && ftc_blocks_next(value, &at, &block))
        is_refused |= (block.note & FTC_NOTE_REFUSES) != 0;
    return is_refused;
}

size_t ftc_composite_most(const struct ftc_plan *plan)
{
    size_t memory = ftc_limits_memory_bytes(), operation = plan->limit.data_bytes;
    size_t exposed = plan->limit.exposed_apart ? ftc_library.board.geometry.exposed_bytes : 0;

    if (plan->packing != FTC_PACKED_BLOCK && plan->rounds)
        return SIZE_MAX / 2;
    if (plan->packing != FTC_PACKED_BLOCK)
        return operation > exposed ? operation : exposed;
    return memory > operation ? memory : operation;
}

static void *add_block(struct ftc_plan *plan, void *value, size_t bytes)
{
    int rank = plan->comm->rank;
    uint32_t exposed;
    void *room = ftc_exposed_room(plan, bytes, &exposed);

    if (!room)
        return ftc_blocks_add(value, &plan->limit, rank, bytes);
    return ftc_blocks_add_exposed(value, &plan->limit, rank, bytes, exposed) ? room : NULL;
}

void *ftc_composite_block(struct ftc_plan *plan, void **value, size_t bytes)
{
    struct ftc_blocks_limit whole = {.ranks = 1, .data_bytes = bytes};
    void *wider;

    if (plan->rounds && !plan->packed)
        return ftc_rounds_block(plan->rounds, bytes);
    if (plan->packing != FTC_PACKED_BLOCK)
        return add_block(plan, *value, bytes);
    wider =
        bytes > ftc_composite_most(plan) ? NULL : ftc_packed_widen(plan, ftc_blocks_room(&whole));
    if (!wider) /* this rank alone knows: the value says so to the others */
        return add_block(plan, *value, SIZE_MAX);
    *value = wider;
    return ftc_blocks_add(wider, &whole, plan->comm->rank, bytes);
}

int ftc_composite_add(struct ftc_plan *plan, void **value, const struct ftc_place *place)
{
    void *data = ftc_composite_block(plan, value, ftc_place_bytes(place));

    return data ? ftc_place_read(data, place) : MPI_SUCCESS;
}

int ftc_composite_deliver(const struct ftc_plan *plan, int from, const struct ftc_place *place,
                          const void *data, size_t bytes)
{
    size_t room = ftc_place_bytes(place);

    if (bytes > room)
        return ftc_error_truncated(plan->call, from, bytes, room);
    return ftc_place_write(place, data, bytes);
}

int ftc_composite_copy(const struct ftc_plan *plan, const struct ftc_place *to,
                       const struct ftc_place *from)
{
    size_t bytes = ftc_place_bytes(from), room = ftc_place_bytes(to);

    if (bytes > room)
        return ftc_error_truncated(plan->call, plan->comm->rank, bytes, room);
    return ftc_transfer(to->address, to->count, to->facts, from->address, from->count, from->facts);
}

int ftc_composite_deliver_dead(const struct ftc_place *place)
{
    if (ftc_library.settings.dead_blocks == FTC_DEAD_BLOCKS_KEEP)
        return MPI_SUCCESS;
    return ftc_place_zero(place) == MPI_SUCCESS ? MPI_SUCCESS : ftc_error_no_memory();
}

int ftc_composite_without_root(const struct ftc_plan *plan)
{
    return ftc_library.settings.on_dead_root == FTC_ON_DEAD_ROOT_KEEP
               ? MPI_SUCCESS
               : ftc_error_dead_root(plan->call);
}
