#include "pipelined.h"

#include "board/bulk.h"
#include "board/rank_state.h"
#include "contributor_policy.h"
#include "job_end.h"
#include "limits.h"
#include "progress/crash.h"
#include "progress/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

static const struct ftc_pipelined_kind *kind_of(const struct ftc_pipelined *p)
{
    return p->plan->collective->pipelined;
}

bool ftc_pipelined_fits(const struct ftc_plan *plan)
{
    struct ftc_schedule schedule;

    return plan->collective->pipelined->schedule(plan, &schedule);
}

/* ---- memory ---- */

/* Copy of an earlier call, kept for reuse because the kernel has allocated and cleared its pages.
 * SPARE_MOST limits its bytes. */
enum { SPARE_MOST = 64 << 20 };
static struct {
    unsigned char *copy;
    size_t bytes;
} spare;

/* Allocates @bytes and all of their pages, so that a lack of memory shows before any data change.
 * Returns NULL without memory. */
static unsigned char *get_pages(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    unsigned char *pages = aligned_alloc(page, whole);

    if (pages && madvise(pages, whole, MADV_POPULATE_WRITE) != 0 && errno == ENOMEM) {
        free(pages);
        return NULL;
    }
    return pages;
}

static bool get_copy(struct ftc_pipelined *p, size_t bytes)
{
    if (bytes > ftc_limits_memory_bytes())
        return false;
    if (bytes <= spare.bytes) {
        p->copy = spare.copy;
        p->copy_bytes = spare.bytes;
        spare.copy = NULL;
        spare.bytes = 0;
        return true;
    }
    p->copy = get_pages(bytes);
    p->copy_bytes = p->copy ? bytes : 0;
    return p->copy != NULL;
}

static void give_copy_back(struct ftc_pipelined *p)
{
    if (p->copy_bytes > spare.bytes && p->copy_bytes <= SPARE_MOST) {
        free(spare.copy);
        spare.copy = p->copy;
        spare.bytes = p->copy_bytes;
    } else {
        free(p->copy);
    }
    p->copy = NULL;
    p->copy_bytes = 0;
}

static bool get_memory(struct ftc_pipelined *p)
{
    const struct ftc_plan *plan = p->plan;
    const struct ftc_schedule *s = ftc_pipelined_schedule(p);
    size_t copy, scratch = kind_of(p)->scratch_bytes ? kind_of(p)->scratch_bytes(plan) : 0;

    p->region = ftc_bulk_take(
        &ftc_library.board, ftc_library.world_rank, plan->comm->id, plan->comm->seq,
        kind_of(p)->block_bytes(plan, s->units < s->block_units ? s->units : s->block_units));
    if (p->region < 0)
        ftc_job_end_no_memory("a large call"); /* no word is left to tell the other ranks either */
    p->lacks_region = p->region >= FTC_BULK_REGIONS && ftc_bulk_is_full();
    p->region_of = malloc((size_t)plan->comm->size * sizeof *p->region_of);
    p->scratch = aligned_alloc(64, (scratch + 127) / 64 * 64);
    if (p->region >= FTC_BULK_REGIONS || !p->region_of || !p->scratch)
        return false;
    copy = kind_of(p)->copy_bytes(p);
    return copy == 0 || get_copy(p, copy);
}

/* ---- the world of the data phase ---- */

static uint32_t world_rank(const struct ftc_pipelined *p, int member)
{
    const struct ftc_comm *c = p->plan->comm;

    return c->world[c->member[member]];
}

static uint32_t steps(void *context, int member)
{
    struct ftc_pipelined *p = context;
    const struct ftc_comm *c = p->plan->comm;
    uint32_t world = world_rank(p, member);
    int region = p->region_of[member];

    if (region < 0)
        region = ftc_bulk_find(&ftc_library.board, world, c->id, c->seq);
    if (region < 0)
        return 0;
    p->region_of[member] = (int16_t)region;
    return ftc_bulk_read(&ftc_library.board, world, region);
}

static void show(void *context, uint32_t shown)
{
    const struct ftc_pipelined *p = context;

    ftc_bulk_show(&ftc_library.board, ftc_library.world_rank, p->region, p->plan->comm->seq, shown);
}

static bool is_dead(void *context, int member)
{
    return ftc_board_is_dead(&ftc_library.board, world_rank(context, member));
}

static void put(void *context, int slot, struct ftc_units block)
{
    kind_of(context)->put(context, slot, block);
}

static void combine(void *context, int slot, struct ftc_units block, struct ftc_units part)
{
    kind_of(context)->combine(context, slot, block, part);
}

static void get(void *context, int slot, uint64_t block)
{
    kind_of(context)->get(context, slot, block);
}

static const struct ftc_data_world world = {
    .steps = steps,
    .show = show,
    .is_dead = is_dead,
    .put = put,
    .combine = combine,
    .get = get,
};

/* Uses region 0 for a member whose region has no slots: such a member has put no data. */
unsigned char *ftc_pipelined_slot(const struct ftc_pipelined *p, int member, int slot)
{
    int region = member == ftc_pipelined_schedule(p)->self ? p->region : p->region_of[member];

    return ftc_bulk_slot(&ftc_library.board, world_rank(p, member),
                         region >= 0 && region < FTC_BULK_REGIONS ? region : 0, slot);
}

/* ---- the beginning of a try ---- */

static void begin_data_phase(struct ftc_pipelined *p)
{
    const struct ftc_comm *c = p->plan->comm;
    struct ftc_schedule schedule = *ftc_pipelined_schedule(p);

    /* The members can have changed since the last try, the units cannot. */
    schedule.n = c->member_count;
    schedule.self = c->own_member;
    schedule.root = p->plan->root;
    if (p->has_memory) {
        memset(p->region_of, -1, (size_t)p->plan->comm->size * sizeof *p->region_of);
        if (kind_of(p)->prepare)
            kind_of(p)->prepare(p);
    }
    ftc_data_begin(&p->phase, &schedule, &world, p);
    if (!p->has_memory)
        ftc_data_leave(&p->phase);
}

/* Begins the first try. Returns false if no region with slots is free and other ranks still read
 * one that this rank has left. */
static bool begin_first_try(struct ftc_pipelined *p)
{
    if (ftc_bulk_is_awaited(&ftc_library.board, ftc_library.world_rank))
        return false;
    p->has_memory = get_memory(p);
    begin_data_phase(p);
    return true;
}

/* ---- the prelude of the vote ---- */

/* Kills the process if setting crash names this point. The points are the stages of all steps. */
static void look_for_crash(const struct ftc_pipelined *p)
{
    const struct ftc_data_phase *phase = &p->phase;
    uint64_t all = (uint64_t)ftc_schedule_steps(&phase->schedule) * FTC_STAGES;

    if (ftc_crash_armed)
        ftc_crash_in_data(&p->plan->comm->running->crash,
                          (uint64_t)phase->step * FTC_STAGES + phase->stage, all);
}

static void cast_vote(struct ftc_pipelined *p)
{
    p->vote = (p->phase.outcome == FTC_DATA_COMPLETE ? 0 : FTC_ROUND_INCOMPLETE) |
              (p->has_memory ? 0 : FTC_ROUND_NO_MEMORY) |
              (p->lacks_region ? FTC_ROUND_NO_REGION : 0) |
              (ftc_contributor_policy_note(p->plan) ? FTC_ROUND_REQUIRES_ALL : 0);
}

static bool turn(struct ftc_prelude *prelude)
{
    struct ftc_pipelined *p = (struct ftc_pipelined *)prelude;
    bool progress;

    if (p->region < 0 && !begin_first_try(p))
        return false;
    look_for_crash(p);
    progress = ftc_data_turn(&p->phase);
    if (p->phase.outcome == FTC_DATA_GOES_ON)
        return progress;
    look_for_crash(p);
    cast_vote(p);
    return true;
}

static bool is_over(const struct ftc_prelude *prelude)
{
    return ((const struct ftc_pipelined *)prelude)->phase.outcome != FTC_DATA_GOES_ON;
}

static bool expects(const struct ftc_prelude *prelude, int member)
{
    const struct ftc_pipelined *p = (const struct ftc_pipelined *)prelude;

    return p->region >= 0 && ftc_data_expects(&p->phase, member);
}

static void combine_votes(void *context, void *into, const void *from)
{
    uint32_t a, b;

    (void)context;
    memcpy(&a, into, sizeof a);
    memcpy(&b, from, sizeof b);
    a |= b;
    memcpy(into, &a, sizeof a);
}

/* ---- tries ---- */

static void open(struct ftc_plan *plan)
{
    struct ftc_pipelined *p = plan->state;

    *p = (struct ftc_pipelined){
        .prelude = {.turn = turn, .is_over = is_over, .expects = expects},
        .plan = plan,
        .region = -1,
    };
    kind_of(p)->schedule(plan, &p->phase.schedule);
}

static void request(struct ftc_plan *plan, struct ftc_loop_request *request)
{
    struct ftc_pipelined *p = plan->state;

    if (p->region >= 0)
        begin_data_phase(p);
    request->value_bytes = sizeof p->vote;
    request->contribution = &p->vote;
    request->combine = combine_votes;
    request->prelude = &p->prelude;
}

static int after(struct ftc_plan *plan)
{
    struct ftc_pipelined *p = plan->state;

    memcpy(&p->vote, plan->comm->running->op.result.value, sizeof p->vote);
    if (p->vote & FTC_ROUND_NO_MEMORY)
        return ftc_limits_error(plan->call, p->vote);
    plan->is_again = (p->vote & FTC_ROUND_INCOMPLETE) != 0;
    if (plan->is_again) {
        kind_of(p)->undo(p);
        return MPI_SUCCESS;
    }
    p->saved = 0;
    return kind_of(p)->take(p);
}

static void close_call(const struct ftc_plan *plan)
{
    struct ftc_pipelined *p = plan->state;

    kind_of(p)->undo(p);
    if (p->region >= 0)
        ftc_bulk_give_back(&ftc_library.board, ftc_library.world_rank, p->region);
    give_copy_back(p);
    free(p->region_of);
    free(p->scratch);
}

const struct ftc_protocol_steps ftc_pipelined_steps = {
    .open = open,
    .request = request,
    .after = after,
    .close = close_call,
};
