/* Blocks in the messages of the rounds' operations. Each operation has a value of blocks
 * (value/blocks.h) with the next part of each rank's block. A rank whose part is in the value has
 * written. */
#include "limits.h"
#include "rounds.h"

#include "progress/running.h"

#include <assert.h>
#include <string.h>

/* Statement of a rank beside a part of its block. It travels as the note of the part. */
union said {
    uint32_t note_of_part;
    struct {
        uint8_t note;        /* note of the whole block: enum ftc_block_note */
        uint8_t flags;       /* flags of the rank: enum ftc_round_flag */
        uint16_t parts_left; /* parts of this round's size that are left, at most UINT16_MAX */
    };
};

static struct ftc_blocks_limit limit_of(int ranks)
{
    return (struct ftc_blocks_limit){.ranks = ranks, .data_bytes = ftc_limits_part_bytes(ranks)};
}

size_t ftc_rounds_room(int ranks)
{
    const struct ftc_blocks_limit limit = limit_of(ranks);

    return ftc_blocks_room(&limit);
}

/* Returns the bytes of a part, which are equal on all ranks. */
static size_t part_bytes(const struct ftc_rounds *p)
{
    int ranks = p->plan->comm->size, givers = p->progress.round == 0 ? ranks : p->givers;

    return ftc_limits_part_bytes(ranks) / (size_t)givers;
}

/* Makes the contribution of this rank with the next part of its block, and returns it. */
static void *write_part(struct ftc_rounds *p)
{
    const struct ftc_blocks_limit limit = limit_of(p->plan->comm->size);
    const struct ftc_rounds_limits most = {.part_bytes = part_bytes(p)};
    struct ftc_rounds_piece piece = ftc_rounds_write(&p->progress, &most);
    size_t parts_left = (piece.left + most.part_bytes - 1) / most.part_bytes;
    union said said = {.note = (uint8_t)p->plan->note, .flags = (uint8_t)ftc_rounds_flags(p)};
    void *part, *value = p->plan->comm->running->contribution;

    if (said.flags != 0)
        parts_left = piece.bytes = 0;
    ftc_blocks_begin(value);
    part = ftc_blocks_add(value, &limit, p->plan->comm->rank, piece.bytes, 0);
    assert(part); /* the parts of all ranks fit the value */
    said.parts_left = parts_left < UINT16_MAX ? (uint16_t)parts_left : UINT16_MAX;
    ftc_blocks_note(value, part, said.note_of_part);
    if (piece.bytes > 0)
        memcpy(part, p->given + piece.from, piece.bytes);
    ftc_rounds_next(&p->progress);
    return value;
}

static void combine(void *context, void *into, const void *from)
{
    const struct ftc_blocks_limit limit = limit_of(((struct ftc_plan *)context)->comm->size);

    ftc_blocks_join(&limit, into, from);
}

static void request(struct ftc_plan *plan, struct ftc_loop_request *request)
{
    struct ftc_rounds *p = plan->state;
    struct ftc_comm *c = plan->comm;

    if (p->progress.step == FTC_ROUNDS_REGION) {
        p->has_memory = p->from != NULL;
        if (p->has_memory)
            ftc_rounds_give(p);
        ftc_rounds_next(&p->progress);
    }
    request->value_bytes = ftc_rounds_room(c->size);
    if (ftc_running_reserve(c, request->value_bytes) == 0)
        request->contribution = write_part(p);
    request->combine = combine;
    request->used_bytes = ftc_blocks_used_bytes;
}

/* ---- after the operation ---- */

/* Finds the next part from *@at on. Skips blocks that no correct rank writes. Returns false if
 * there is none. */
static bool next_part(const struct ftc_rounds *p, size_t *at, struct ftc_block *part)
{
    const struct ftc_comm *c = p->plan->comm;
    const void *value = ftc_blocks_within(c->running->op.result.value, ftc_rounds_room(c->size));

    while (value && ftc_blocks_next(value, at, part))
        if (part->rank < c->size && !part->exposed)
            return true;
    return false;
}

static void hear(struct ftc_rounds *p)
{
    struct ftc_block part;
    size_t at = 0;

    p->status = (struct ftc_round_status){0};
    p->part_bytes = part_bytes(p);
    p->givers = 0;
    while (next_part(p, &at, &part)) {
        union said said = {part.note};

        ftc_round_status_add(&p->status, part.rank, said.flags, said.parts_left);
        p->givers += said.parts_left > 0;
    }
}

static void take(struct ftc_rounds *p)
{
    struct ftc_block part;
    size_t at = 0;

    while (next_part(p, &at, &part)) {
        union said said = {part.note};

        if (ftc_rounds_brings(p, part.rank))
            ftc_rounds_take(p, part.rank,
                            &(struct ftc_rounds_part){
                                .data = part.data,
                                .bytes = part.bytes,
                                .left = said.parts_left * p->part_bytes,
                                .note = said.note,
                            });
    }
}

/* ---- the steps ---- */

static void open(struct ftc_plan *plan)
{
    static const struct ftc_rounds_carrier carrier = {
        .block = ftc_rounds_own_block,
        .hear = hear,
        .take = take,
    };

    ftc_rounds_open(plan, &carrier);
}

const struct ftc_protocol_steps ftc_rounds_in_messages = {
    .open = open,
    .request = request,
    .after = ftc_rounds_after,
    .free = ftc_rounds_free,
};
