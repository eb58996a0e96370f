#include "slices.h"

#include "interest.h"
#include "progress/running.h"

#include <stdlib.h>
#include <string.h>

static size_t most_of(const struct ftc_plan *plan)
{
    return (size_t)ftc_library.settings.max_bytes / (size_t)plan->comm->size;
}

bool ftc_slices_prepare(struct ftc_slices *s, const struct ftc_plan *plan)
{
    s->ranks = plan->comm->size;
    s->from = calloc((size_t)s->ranks, sizeof *s->from);
    s->has_memory = true;
    return s->from != NULL;
}

void ftc_slices_close(struct ftc_slices *s)
{
    for (int rank = 0; s->from && rank < s->ranks; rank++)
        free(s->from[rank].store.data);
    free(s->from);
}

const void *ftc_slices_give(struct ftc_slices *s, const struct ftc_plan *plan, const void *whole)
{
    size_t at = 0, left, bytes;
    struct ftc_block block;
    unsigned char *slice;
    void *value;

    if (ftc_running_reserve(plan->comm, plan->travelling_bytes) != 0)
        return NULL;
    value = plan->comm->running->contribution;
    ftc_blocks_begin(value);
    if (!ftc_blocks_find(whole, plan->comm->rank, &at, &block))
        return value;
    left = block.bytes - s->given;
    bytes = left < most_of(plan) ? left : most_of(plan);
    slice = ftc_blocks_add(value, &plan->limit, plan->comm->rank, bytes);
    memcpy(slice, block.data + s->given, bytes);
    s->given += bytes;
    ftc_blocks_note(value, slice, block.note | (left > bytes ? FTC_NOTE_HAS_MORE : 0));
    return value;
}

/* ---- what has come ---- */

static bool append(struct ftc_store *s, const struct ftc_plan *plan, const struct ftc_block *slice)
{
    size_t bytes = slice->bytes;

    if (!ftc_store_has_room(s, bytes + 1) && !ftc_store_widen(s, 2 * (s->bytes + bytes + 1)))
        return false;
    ftc_store_add(s, plan, slice->data, bytes);
    return true;
}

bool ftc_slices_take(struct ftc_slices *s, const struct ftc_plan *plan)
{
    const void *value =
        ftc_blocks_within(plan->comm->running->op.result.value, plan->travelling_bytes);
    struct ftc_block slice;
    bool is_last = true;
    size_t at = 0;

    while (value && ftc_blocks_next(value, &at, &slice)) {
        if (slice.rank >= plan->comm->size || slice.shown)
            continue;
        s->from[slice.rank].is_whole = (slice.note & FTC_NOTE_HAS_MORE) == 0;
        s->from[slice.rank].note = slice.note & ~(uint32_t)FTC_NOTE_HAS_MORE;
        is_last &= s->from[slice.rank].is_whole;
        if (ftc_interest_in(plan, slice.rank))
            s->has_memory &= append(&s->from[slice.rank].store, plan, &slice);
    }
    return !is_last;
}

unsigned char *ftc_slices_join(const struct ftc_slices *s, const struct ftc_plan *plan)
{
    struct ftc_blocks_limit limit = {.ranks = plan->comm->size};
    unsigned char *value, *data;

    for (int rank = 0; rank < limit.ranks; rank++)
        limit.data_bytes += s->from[rank].store.bytes;
    value = s->has_memory ? malloc(ftc_blocks_room(&limit)) : NULL;
    if (!value)
        return NULL;
    ftc_blocks_begin(value);
    for (int rank = 0; rank < limit.ranks; rank++) {
        const struct ftc_store *store = &s->from[rank].store;

        data = s->from[rank].is_whole ? ftc_blocks_add(value, &limit, rank, store->bytes) : NULL;
        if (!data)
            continue;
        ftc_blocks_note(value, data, s->from[rank].note);
        if (store->bytes > 0)
            memcpy(data, store->data, store->bytes);
    }
    return value;
}
