/* Broadcasts of any size. Ranks may describe the data by different datatypes: blocks are bytes of
 * the packed data. Where these are not the program's memory as it stands, they are in the copy. */
#include "large.h"

#include "board/bulk.h"
#include "system/copy.h"

#include <string.h>

enum { BLOCK_BYTES = 128 * 1024 };

static bool schedule(const struct ftc_plan *plan, struct ftc_schedule *s)
{
    s->kind = FTC_SCHEDULE_BROADCAST;
    s->units = plan->arguments.value_bytes;
    s->block_units = BLOCK_BYTES;
    return plan->arguments.value_bytes < SIZE_MAX;
}

static size_t block_bytes(const struct ftc_plan *plan, uint64_t units)
{
    (void)plan;
    return units;
}

static size_t scratch_bytes(const struct ftc_plan *plan)
{
    (void)plan;
    return 0;
}

static bool is_root(const struct ftc_large *large)
{
    return large->plan->call->root == large->plan->comm->rank;
}

/* The data, wherever they are. */
static unsigned char *data(const struct ftc_large *large)
{
    return ftc_facts_are_packed(&large->plan->arguments.facts) ? large->plan->call->recvbuf
                                                               : large->copy;
}

/* Whether buffers have to be as they were if the root dies. */
static bool is_kept(const struct ftc_large *large)
{
    return ftc_library.settings.on_dead_root == FTC_ON_DEAD_ROOT_KEEP &&
           ftc_facts_are_packed(&large->plan->arguments.facts) && !is_root(large);
}

static size_t copy_bytes(const struct ftc_large *large)
{
    const struct ftc_plan *plan = large->plan;
    bool is_packed = ftc_facts_are_packed(&plan->arguments.facts);

    return !is_packed || is_kept(large) ? plan->arguments.value_bytes : 0;
}

static void prepare(struct ftc_large *large)
{
    const struct ftc_plan *plan = large->plan;

    if (is_root(large) && !ftc_facts_are_packed(&plan->arguments.facts))
        ftc_pack(large->copy, plan->call->recvbuf, plan->call->count, &plan->arguments.facts);
}

static void put(struct ftc_large *large, int slot, struct ftc_units block)
{
    ftc_copy(ftc_large_slot(large, ftc_large_schedule(large)->self, slot),
             data(large) + block.first, block.count);
}

static void combine(struct ftc_large *large, int slot, struct ftc_units block,
                    struct ftc_units part)
{
    (void)large;
    (void)slot;
    (void)block;
    (void)part;
}

static void save(struct ftc_large *large, uint64_t block, struct ftc_units units)
{
    memcpy(large->copy + units.first, data(large) + units.first, units.count);
    large->saved = block + 1;
}

static void get(struct ftc_large *large, int slot, uint64_t block)
{
    const struct ftc_schedule *s = ftc_large_schedule(large);
    struct ftc_units units = ftc_schedule_units(s, block);

    if (is_kept(large))
        save(large, block, units);
    memcpy(data(large) + units.first, ftc_large_slot(large, s->root, slot), units.count);
}

static void undo(struct ftc_large *large)
{
    uint64_t bytes = large->saved * BLOCK_BYTES, all = ftc_large_schedule(large)->units;

    if (bytes > 0)
        memcpy(data(large), large->copy, bytes < all ? bytes : all);
    large->saved = 0;
}

static int deliver(const struct ftc_large *large)
{
    const struct ftc_plan *plan = large->plan;

    if (is_root(large) || ftc_facts_are_packed(&plan->arguments.facts))
        return MPI_SUCCESS;
    return ftc_unpack(plan->call->recvbuf, large->copy, plan->call->count, &plan->arguments.facts);
}

const struct ftc_large_kind ftc_large_broadcast = {
    .schedule = schedule,
    .block_bytes = block_bytes,
    .scratch_bytes = scratch_bytes,
    .copy_bytes = copy_bytes,
    .prepare = prepare,
    .put = put,
    .combine = combine,
    .get = get,
    .undo = undo,
    .deliver = deliver,
};
