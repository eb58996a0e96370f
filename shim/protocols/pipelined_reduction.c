/* Reduce and allreduce of any size. Elements are combined in rank order, so the operation need not
 * be commutative. */
#include "pipelined.h"

#include "board/board.h"
#include "board/bulk.h"
#include "combine.h"
#include "contributor_policy.h"
#include "engine/exchange_plan.h"
#include "system/copy.h"
#include "value/rank_set.h"

/* Sizes of parts and blocks. Each member combines its part of a block. A part is so large that its
 * work outweighs the waiting of a step. A block fits the caches of a core, so parts are smaller
 * with more than 8 ranks. */
enum {
    PART_BYTES = 64 * 1024,
    BLOCK_BYTES_MOST = 512 * 1024,
    STRIP_BYTES = 8 * 1024, /* combined at a time: both operands fit the first-level cache */
};

/* ---- blocks ---- */

static size_t block_bytes(const struct ftc_plan *plan, uint64_t units)
{
    return ftc_span_bytes(&plan->arguments.facts, (MPI_Count)units);
}

static bool schedule(const struct ftc_plan *plan, struct ftc_schedule *s)
{
    size_t bytes = (size_t)PART_BYTES * (size_t)plan->comm->size;

    s->kind = ftc_call_is_reduce(plan->call->kind) ? FTC_SCHEDULE_REDUCE : FTC_SCHEDULE_ALLREDUCE;
    s->units = (uint64_t)plan->call->count;
    s->block_units = ftc_combine_units(&plan->arguments.facts,
                                       bytes < BLOCK_BYTES_MOST ? bytes : BLOCK_BYTES_MOST);
    return block_bytes(plan, s->block_units) <= FTC_BULK_SLOT_BYTES;
}

/* ---- where elements are ---- */

/* Returns the address that MPI calls expect for the elements from @number on in @base. */
static char *element(const struct ftc_pipelined *p, const void *base, uint64_t number)
{
    return (char *)base + (ptrdiff_t)number * p->plan->arguments.facts.extent_bytes;
}

static char *in_slot(const struct ftc_pipelined *p, int member, int slot, struct ftc_units block,
                     uint64_t number)
{
    ptrdiff_t start = ftc_span_start(&p->plan->arguments.facts, (MPI_Count)block.count);

    return element(p, ftc_pipelined_slot(p, member, slot) - start, number - block.first);
}

static const void *input(const struct ftc_pipelined *p)
{
    return ftc_call_input(p->plan->call);
}

/* Returns the elements of @member from @number on. Contiguous elements of this rank are in its
 * input, because put() leaves out its own part. */
static const char *operand(const struct ftc_pipelined *p, int member, int slot,
                           struct ftc_units block, uint64_t number)
{
    if (member == ftc_pipelined_schedule(p)->self && p->plan->arguments.facts.contiguous)
        return element(p, input(p), number);
    return in_slot(p, member, slot, block, number);
}

/* ---- memory to combine in ---- */

/* Returns the bytes of a strip's span, which each level of the combination needs. */
static size_t level_bytes(const struct ftc_plan *plan)
{
    return (block_bytes(plan, ftc_combine_units(&plan->arguments.facts, STRIP_BYTES)) + 63) / 64 *
           64;
}

static size_t scratch_bytes(const struct ftc_plan *plan)
{
    size_t levels = 1;

    for (int n = plan->comm->size; n > 1; n /= 2)
        levels++;
    return levels * level_bytes(plan);
}

/* ---- the stages ---- */

static void put_units(struct ftc_pipelined *p, int slot, struct ftc_units block, uint64_t first,
                      uint64_t end)
{
    const struct ftc_facts *facts = &p->plan->arguments.facts;
    MPI_Count count = (MPI_Count)(end - first);
    char *to = in_slot(p, ftc_pipelined_schedule(p)->self, slot, block, first);

    ftc_span_read(to + ftc_span_start(facts, count), element(p, input(p), first), count, facts);
}

static void put(struct ftc_pipelined *p, int slot, struct ftc_units block)
{
    const struct ftc_schedule *s = ftc_pipelined_schedule(p);
    struct ftc_units own = ftc_schedule_part(s, block.first / s->block_units, s->self);
    uint64_t end = block.first + block.count;

    if (!p->plan->arguments.facts.contiguous) {
        put_units(p, slot, block, block.first, end);
        return;
    }
    put_units(p, slot, block, block.first, own.first);
    put_units(p, slot, block, own.first + own.count, end);
}

/* Elements of all members that are combined at a time. */
struct strip {
    struct ftc_brackets brackets; /* must be first */
    struct ftc_pipelined *p;
    int slot;
    struct ftc_units block;
    uint64_t first;
};

static const unsigned char *operand_of(struct ftc_brackets *b, int member)
{
    const struct strip *s = (const struct strip *)b;

    return (const unsigned char *)operand(s->p, member, s->slot, s->block, s->first) +
           ftc_span_start(&b->plan->arguments.facts, b->count);
}

/* Writes combined elements to this rank's slot. Leaves out gaps, because other elements may be in
 * them. */
static void show_strip(const struct strip *s, const unsigned char *result, size_t part_bytes)
{
    const struct ftc_pipelined *p = s->p;
    const struct ftc_facts *facts = &p->plan->arguments.facts;
    MPI_Count count = s->brackets.count;
    char *to = in_slot(p, ftc_pipelined_schedule(p)->self, s->slot, s->block, s->first);

    if (facts->contiguous)
        ftc_copy_some(to + ftc_span_start(facts, count), result, ftc_span_bytes(facts, count),
                      part_bytes);
    else
        ftc_span_write(to, result, count, facts);
}

/* Combines @units of all members, nested as in MPICH's recursive doubling and halving. */
static void combine_strip(struct ftc_pipelined *p, int slot, struct ftc_units block,
                          struct ftc_units units, size_t part_bytes)
{
    const struct ftc_nesting nesting = ftc_nesting_of(ftc_pipelined_schedule(p)->n);
    struct strip s = {
        .brackets = {.plan = p->plan,
                     .leaves = ftc_nesting_leaves(nesting),
                     .pairs = nesting.pairs,
                     .count = (MPI_Count)units.count,
                     .stride_bytes = level_bytes(p->plan),
                     .operand = operand_of},
        .p = p,
        .slot = slot,
        .block = block,
        .first = units.first,
    };

    show_strip(&s, ftc_combine_leaves(&s.brackets, 0, s.brackets.leaves, p->scratch), part_bytes);
    if (s.brackets.rv != MPI_SUCCESS)
        p->plan->error = s.brackets.rv;
}

static void combine(struct ftc_pipelined *p, int slot, struct ftc_units block,
                    struct ftc_units part)
{
    uint64_t most = ftc_combine_units(&p->plan->arguments.facts, STRIP_BYTES),
             end = part.first + part.count;
    size_t part_bytes = block_bytes(p->plan, part.count);

    while (part.first < end) {
        uint64_t left = end - part.first;

        part.count = left < most ? left : most;
        combine_strip(p, slot, block, part, part_bytes);
        part.first += part.count;
    }
}

/* ---- data that a second try needs ---- */

static bool is_overwritten(const struct ftc_pipelined *p)
{
    const struct ftc_call *call = p->plan->call;

    return call->sendbuf == MPI_IN_PLACE && ftc_call_gives_result(call, p->plan->comm->rank);
}

/* Returns the bytes from one block in the copy to the next. */
static size_t stride(const struct ftc_plan *plan, const struct ftc_schedule *s)
{
    return (block_bytes(plan, s->block_units) + 15) / 16 * 16;
}

static size_t copy_bytes(const struct ftc_pipelined *p)
{
    const struct ftc_schedule *s = ftc_pipelined_schedule(p);

    if (!is_overwritten(p))
        return 0;
    return (size_t)((s->units + s->block_units - 1) / s->block_units) * stride(p->plan, s);
}

static void save(struct ftc_pipelined *p, uint64_t block)
{
    const struct ftc_schedule *s = ftc_pipelined_schedule(p);
    struct ftc_units units = ftc_schedule_units(s, block);

    ftc_span_read(p->copy + block * stride(p->plan, s),
                  element(p, p->plan->call->recvbuf, units.first), (MPI_Count)units.count,
                  &p->plan->arguments.facts);
    p->saved = block + 1;
}

static void undo(struct ftc_pipelined *p)
{
    const struct ftc_schedule *s = ftc_pipelined_schedule(p);

    for (uint64_t block = 0; block < p->saved; block++) {
        struct ftc_units units = ftc_schedule_units(s, block);

        ftc_span_write(element(p, p->plan->call->recvbuf, units.first),
                       p->copy + block * stride(p->plan, s), (MPI_Count)units.count,
                       &p->plan->arguments.facts);
    }
    p->saved = 0;
}

static void get(struct ftc_pipelined *p, int slot, uint64_t block)
{
    const struct ftc_schedule *s = ftc_pipelined_schedule(p);
    const struct ftc_facts *facts = &p->plan->arguments.facts;
    struct ftc_units whole = ftc_schedule_units(s, block);

    if (is_overwritten(p))
        save(p, block);
    for (int member = 0; member < s->n; member++) {
        struct ftc_units part = ftc_schedule_part(s, block, member);
        MPI_Count count = (MPI_Count)part.count;

        ftc_span_write(element(p, p->plan->call->recvbuf, part.first),
                       in_slot(p, member, slot, whole, part.first) + ftc_span_start(facts, count),
                       count, facts);
    }
}

/* ---- the result ---- */

static int take(const struct ftc_pipelined *p)
{
    const struct ftc_comm *c = p->plan->comm;
    uint64_t who[FTC_RANK_SET_WORDS(FTC_BOARD_RANKS_MAX)] = {0};

    for (int i = 0; i < c->member_count; i++)
        ftc_rank_set_add(who, (uint32_t)c->member[i]);
    return ftc_contributor_policy_look_at_set(p->plan, who,
                                              (p->vote & FTC_ROUND_REQUIRES_ALL) != 0);
}

const struct ftc_pipelined_kind ftc_pipelined_reduction = {
    .schedule = schedule,
    .block_bytes = block_bytes,
    .scratch_bytes = scratch_bytes,
    .copy_bytes = copy_bytes,
    .put = put,
    .combine = combine,
    .get = get,
    .undo = undo,
    .take = take,
};
