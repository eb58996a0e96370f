/* Broadcasts of any size. Ranks may describe the data by different datatypes, so blocks are bytes
 * of packed data. If the program's buffer has another layout, the packed data are in the copy. */
#include "pipelined.h"

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

/* Returns the packed data: the program's buffer, or the copy. */
static unsigned char *data(const struct ftc_pipelined *p)
{
    return ftc_facts_are_packed(&p->plan->arguments.facts) ? p->plan->call->recvbuf : p->copy;
}

/* Returns whether the program's buffer receives the blocks and must be restored if the root
 * dies. */
static bool is_kept(const struct ftc_pipelined *p)
{
    return ftc_library.settings.on_dead_root == FTC_ON_DEAD_ROOT_KEEP &&
           ftc_facts_are_packed(&p->plan->arguments.facts) && !ftc_plan_is_root(p->plan);
}

static size_t copy_bytes(const struct ftc_pipelined *p)
{
    const struct ftc_plan *plan = p->plan;
    bool is_packed = ftc_facts_are_packed(&plan->arguments.facts);

    return !is_packed || is_kept(p) ? plan->arguments.value_bytes : 0;
}

static void prepare(struct ftc_pipelined *p)
{
    const struct ftc_plan *plan = p->plan;

    if (ftc_plan_is_root(p->plan) && !ftc_facts_are_packed(&plan->arguments.facts))
        ftc_pack(p->copy, plan->call->recvbuf, plan->call->count, &plan->arguments.facts);
}

static void put(struct ftc_pipelined *p, int slot, struct ftc_units block)
{
    ftc_copy(ftc_pipelined_slot(p, ftc_pipelined_schedule(p)->self, slot), data(p) + block.first,
             block.count);
}

static void save(struct ftc_pipelined *p, uint64_t block, struct ftc_units units)
{
    memcpy(p->copy + units.first, data(p) + units.first, units.count);
    p->saved = block + 1;
}

static void get(struct ftc_pipelined *p, int slot, uint64_t block)
{
    const struct ftc_schedule *s = ftc_pipelined_schedule(p);
    struct ftc_units units = ftc_schedule_units(s, block);

    if (is_kept(p))
        save(p, block, units);
    memcpy(data(p) + units.first, ftc_pipelined_slot(p, s->root, slot), units.count);
}

static void undo(struct ftc_pipelined *p)
{
    uint64_t bytes = p->saved * BLOCK_BYTES, all = ftc_pipelined_schedule(p)->units;

    if (bytes > 0)
        memcpy(data(p), p->copy, bytes < all ? bytes : all);
    p->saved = 0;
}

static int take(const struct ftc_pipelined *p)
{
    const struct ftc_plan *plan = p->plan;

    if (ftc_plan_is_root(p->plan) || ftc_facts_are_packed(&plan->arguments.facts))
        return MPI_SUCCESS;
    return ftc_unpack(plan->call->recvbuf, p->copy, plan->call->count, &plan->arguments.facts);
}

const struct ftc_pipelined_kind ftc_pipelined_broadcast = {
    .schedule = schedule,
    .block_bytes = block_bytes,
    .copy_bytes = copy_bytes,
    .prepare = prepare,
    .put = put,
    .get = get,
    .undo = undo,
    .take = take,
};
