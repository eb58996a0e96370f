#include "large.h"

#include "board/bulk.h"
#include "board/directory.h"
#include "board/rank_state.h"
#include "job_end.h"
#include "limits.h"
#include "program/error.h"
#include "progress/crash.h"
#include "progress/loop.h"
#include "reporting/required_sites.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

static const struct ftc_large_kind *kind_of(const struct ftc_large *large)
{
    return large->plan->collective->large;
}

bool ftc_large_fits(const struct ftc_plan *plan)
{
    struct ftc_schedule schedule;

    return plan->collective->large && plan->collective->large->schedule(plan, &schedule);
}

/* ---- memory ---- */

/* The copy of the last call: pages that the kernel has given and cleared once. */
enum { SPARE_MOST = 64 << 20 };
static struct {
    unsigned char *copy;
    size_t bytes;
} spare;

/* Lack of memory is to be known before anything is changed. */
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

static bool get_copy(struct ftc_large *large, size_t bytes)
{
    if (bytes > ftc_limits_memory_bytes())
        return false;
    if (bytes <= spare.bytes) {
        large->copy = spare.copy;
        large->copy_bytes = spare.bytes;
        spare.copy = NULL;
        spare.bytes = 0;
        return true;
    }
    large->copy = get_pages(bytes);
    large->copy_bytes = large->copy ? bytes : 0;
    return large->copy != NULL;
}

static void give_copy_back(struct ftc_large *large)
{
    if (large->copy_bytes > spare.bytes && large->copy_bytes <= SPARE_MOST) {
        free(spare.copy);
        spare.copy = large->copy;
        spare.bytes = large->copy_bytes;
    } else {
        free(large->copy);
    }
    large->copy = NULL;
    large->copy_bytes = 0;
}

static bool get_scratch(struct ftc_large *large, size_t bytes)
{
    large->scratch = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    return large->scratch != NULL;
}

static size_t slot_bytes(const struct ftc_large *large)
{
    const struct ftc_plan *plan = large->plan;
    struct ftc_schedule s;

    kind_of(large)->schedule(plan, &s);
    return kind_of(large)->block_bytes(plan, s.units < s.block_units ? s.units : s.block_units);
}

static bool get_memory(struct ftc_large *large)
{
    const struct ftc_plan *plan = large->plan;
    size_t copy;

    large->place = ftc_bulk_take(&ftc_library.board, ftc_library.world_rank, plan->comm->id,
                                 plan->comm->seq, slot_bytes(large));
    if (large->place < 0)
        ftc_job_end_no_memory("a large call"); /* nor for telling the others */
    large->lacks_place = large->place >= FTC_BULK_PLACES && ftc_bulk_is_full();
    large->place_of = malloc((size_t)plan->comm->size * sizeof *large->place_of);
    if (large->place >= FTC_BULK_PLACES || !large->place_of ||
        !get_scratch(large, kind_of(large)->scratch_bytes(plan)))
        return false;
    copy = kind_of(large)->copy_bytes(large);
    return copy == 0 || get_copy(large, copy);
}

/* ---- the world of the data phase ---- */

static uint32_t world_rank(const struct ftc_large *large, int member)
{
    const struct ftc_comm *c = large->plan->comm;

    return c->world[c->member[member]];
}

static uint32_t steps(void *context, int member)
{
    struct ftc_large *large = context;
    const struct ftc_comm *c = large->plan->comm;
    uint32_t world = world_rank(large, member);
    int place = large->place_of[member];

    if (place < 0)
        place = ftc_bulk_find(&ftc_library.board, world, c->id, c->seq);
    if (place < 0)
        return 0;
    large->place_of[member] = (int16_t)place;
    return ftc_bulk_read(&ftc_library.board, world, place);
}

static void show(void *context, uint32_t shown)
{
    const struct ftc_large *large = context;

    ftc_bulk_show(&ftc_library.board, ftc_library.world_rank, large->place, large->plan->comm->seq,
                  shown);
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

/* A member shows itself in a place that has slots, or has nothing in any of them. */
unsigned char *ftc_large_slot(const struct ftc_large *large, int member, int slot)
{
    int place = member == ftc_large_schedule(large)->self ? large->place : large->place_of[member];

    return ftc_bulk_slot(&ftc_library.board, world_rank(large, member),
                         place >= 0 && place < FTC_BULK_PLACES ? place : 0, slot);
}

/* ---- the beginning of a try ---- */

/* Numbers of members can have changed since the last try, that of units has not. */
static struct ftc_schedule schedule_of(const struct ftc_large *large)
{
    const struct ftc_comm *c = large->plan->comm;
    struct ftc_schedule s = {.block_units = 1};
    bool can = kind_of(large)->schedule(large->plan, &s);

    assert(can);
    (void)can;
    s.n = c->member_count;
    s.self = c->own_member;
    s.root = ftc_call_has_root(large->plan->call->kind)
                 ? ftc_comm_member(c, large->plan->call->root)
                 : 0;
    return s;
}

static void begin_data_phase(struct ftc_large *large)
{
    struct ftc_schedule schedule = schedule_of(large);

    if (large->has_memory) {
        memset(large->place_of, -1, (size_t)large->plan->comm->size * sizeof *large->place_of);
        kind_of(large)->prepare(large);
    }
    ftc_data_begin(&large->phase, &schedule, &world, large);
    if (!large->has_memory)
        ftc_data_leave(&large->phase);
}

/* False: others still read what was in the last place that could be free. */
static bool begin_first_try(struct ftc_large *large)
{
    if (ftc_bulk_is_awaited(&ftc_library.board, ftc_library.world_rank))
        return false;
    large->has_memory = get_memory(large);
    begin_data_phase(large);
    return true;
}

/* ---- the prelude of the vote ---- */

/* Points at which setting crash can kill: stages, in the whole data phase. */
static void look_for_crash(const struct ftc_large *large)
{
    const struct ftc_data_phase *p = &large->phase;
    uint64_t all = (uint64_t)ftc_schedule_steps(&p->schedule) * FTC_STAGES;

    if (ftc_crash_armed)
        ftc_crash_in_data(&large->plan->comm->running->crash,
                          (uint64_t)p->step * FTC_STAGES + p->stage, all);
}

static void cast_vote(struct ftc_large *large)
{
    const struct ftc_call *call = large->plan->call;

    large->vote.flags =
        (large->phase.outcome == FTC_DATA_COMPLETE ? 0 : FTC_TALLY_INCOMPLETE) |
        (large->has_memory ? 0 : FTC_TALLY_NO_MEMORY) |
        (large->lacks_place ? FTC_TALLY_NO_PLACE : 0) |
        (ftc_required_sites_have(&ftc_library.notice, call->return_address) ? FTC_TALLY_REQUIRES_ALL
                                                                            : 0);
}

static bool turn(struct ftc_prelude *p)
{
    struct ftc_large *large = (struct ftc_large *)p;
    bool progress;

    if (large->place < 0 && !begin_first_try(large))
        return false;
    look_for_crash(large);
    progress = ftc_data_turn(&large->phase);
    if (large->phase.outcome == FTC_DATA_GOES_ON)
        return progress;
    look_for_crash(large);
    cast_vote(large);
    return true;
}

static bool is_over(const struct ftc_prelude *p)
{
    return ((const struct ftc_large *)p)->phase.outcome != FTC_DATA_GOES_ON;
}

static bool expects(const struct ftc_prelude *p, int member)
{
    const struct ftc_large *large = (const struct ftc_large *)p;

    return large->place >= 0 && ftc_data_expects(&large->phase, member);
}

static void combine_votes(void *context, void *into, const void *from)
{
    struct ftc_large_vote a, b;

    (void)context;
    memcpy(&a, into, sizeof a);
    memcpy(&b, from, sizeof b);
    a.flags |= b.flags;
    memcpy(into, &a, sizeof a);
}

/* ---- tries ---- */

void ftc_large_open(struct ftc_large *large, struct ftc_plan *plan)
{
    *large = (struct ftc_large){
        .prelude = {.turn = turn, .is_over = is_over, .expects = expects},
        .plan = plan,
        .place = -1,
    };
}

void ftc_large_request(struct ftc_large *large, struct ftc_loop_request *request)
{
    if (large->place >= 0)
        begin_data_phase(large);
    *request = (struct ftc_loop_request){
        .call = large->plan->call,
        .kind = FTC_OP_ALLREDUCE,
        .value_bytes = sizeof large->vote,
        .contribution = &large->vote,
        .combine = combine_votes,
        .prelude = &large->prelude,
    };
}

/* The program's memory as it was before. */
static void undo(struct ftc_large *large)
{
    if (large->has_memory)
        kind_of(large)->undo(large);
}

int ftc_large_deliver(struct ftc_large *large)
{
    memcpy(&large->vote, large->plan->comm->running->op.result.value, sizeof large->vote);
    if (large->vote.flags & FTC_TALLY_NO_MEMORY)
        return ftc_limits_error(large->plan->call, large->vote.flags);
    large->plan->is_again = (large->vote.flags & FTC_TALLY_INCOMPLETE) != 0;
    if (large->plan->is_again) {
        undo(large);
        return MPI_SUCCESS;
    }
    large->saved = 0;
    return kind_of(large)->deliver(large);
}

void ftc_large_close(struct ftc_large *large)
{
    undo(large);
    if (large->place >= 0)
        ftc_bulk_give_back(&ftc_library.board, ftc_library.world_rank, large->place);
    give_copy_back(large);
    free(large->place_of);
    free(large->scratch);
}
