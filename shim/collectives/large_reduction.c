/* Reduce and allreduce of any size, in the order of the ranks: so the operation need not be
 * commutative. */
#include "large.h"

#include "board/board.h"
#include "board/bulk.h"
#include "combine.h"
#include "engine/exchange_plan.h"
#include "inclusion.h"
#include "system/copy.h"
#include "value/rank_set.h"

/* Each member combines its part of a block: of so many bytes at least, which makes a step worth its
 * waiting, and few enough blocks for the caches of a core. */
enum {
    PART_BYTES = 64 * 1024,
    BLOCK_BYTES_MOST = 512 * 1024,
    STRIP_BYTES = 8 * 1024, /* combined at a time: both operands are in the first cache */
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

/* @base and some elements: the address that MPI calls are given for them. */
static char *element(const struct ftc_large *large, const void *base, uint64_t number)
{
    return (char *)base + (ptrdiff_t)number * large->plan->arguments.facts.extent_bytes;
}

static char *in_slot(const struct ftc_large *large, int member, int slot, struct ftc_units block,
                     uint64_t number)
{
    ptrdiff_t start = ftc_span_start(&large->plan->arguments.facts, (MPI_Count)block.count);

    return element(large, ftc_large_slot(large, member, slot) - start, number - block.first);
}

static const void *input(const struct ftc_large *large)
{
    return ftc_call_input(large->plan->call);
}

/* Returns the data of a member: nothing is put of this rank's own part. */
static const char *operand(const struct ftc_large *large, int member, int slot,
                           struct ftc_units block, uint64_t number)
{
    if (member == ftc_large_schedule(large)->self && large->plan->arguments.facts.contiguous)
        return element(large, input(large), number);
    return in_slot(large, member, slot, block, number);
}

/* ---- memory to combine in ---- */

/* Returns the bytes of a level of a strip. */
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

static void put_units(struct ftc_large *large, int slot, struct ftc_units block, uint64_t first,
                      uint64_t end)
{
    const struct ftc_facts *facts = &large->plan->arguments.facts;
    MPI_Count count = (MPI_Count)(end - first);
    char *to = in_slot(large, ftc_large_schedule(large)->self, slot, block, first);

    ftc_span_read(to + ftc_span_start(facts, count), element(large, input(large), first), count,
                  facts);
}

static void put(struct ftc_large *large, int slot, struct ftc_units block)
{
    const struct ftc_schedule *s = ftc_large_schedule(large);
    struct ftc_units own = ftc_schedule_part(s, block.first / s->block_units, s->self);
    uint64_t end = block.first + block.count;

    if (!large->plan->arguments.facts.contiguous) {
        put_units(large, slot, block, block.first, end);
        return;
    }
    put_units(large, slot, block, block.first, own.first);
    put_units(large, slot, block, own.first + own.count, end);
}

/* Elements of all members that become one. */
struct strip {
    struct ftc_large *large;
    int slot;
    struct ftc_units block;
    uint64_t first;
    MPI_Count count;
    size_t part_bytes;  /* of which they are some */
    ptrdiff_t start;    /* of their span */
    size_t level_bytes; /* of the scratch memory */
    int pairs;          /* n less the power of two below it: so many pairs come first */
};

static const char *operand_of(const struct strip *s, int member)
{
    return operand(s->large, member, s->slot, s->block, s->first);
}

static void read_operand(const struct strip *s, int member, unsigned char *into)
{
    ftc_span_read(into, operand_of(s, member), s->count, &s->large->plan->arguments.facts);
}

static void put_before(const struct strip *s, int member, unsigned char *into)
{
    ftc_combine_elements(s->large->plan, into, operand_of(s, member) + s->start, s->count);
}

/* One member or a pair. */
static void combine_leaf(const struct strip *s, int leaf, unsigned char *into)
{
    if (leaf >= s->pairs) {
        read_operand(s, leaf + s->pairs, into);
        return;
    }
    read_operand(s, 2 * leaf + 1, into);
    put_before(s, 2 * leaf, into);
}

/* @count leaves from @first on, a power of two: as MPICH's recursive doubling nests them, and
 * recursive halving. So the bits are those of native MPI where the order matters, too. */
static void combine_leaves(const struct strip *s, int first, int count, unsigned char *into)
{
    unsigned char *left = into + s->level_bytes;

    if (count == 1) {
        combine_leaf(s, first, into);
        return;
    }
    count /= 2;
    combine_leaves(s, first + count, count, into);
    if (count == 1 && first >= s->pairs) {
        put_before(s, first + s->pairs, into);
        return;
    }
    combine_leaves(s, first, count, left);
    ftc_combine_elements(s->large->plan, into, left, s->count);
}

/* Between elements with gaps may be others: elements alone are written. */
static void show_strip(const struct strip *s)
{
    const struct ftc_large *large = s->large;
    const struct ftc_facts *facts = &large->plan->arguments.facts;
    char *to = in_slot(large, ftc_large_schedule(large)->self, s->slot, s->block, s->first);

    if (facts->contiguous)
        ftc_copy_some(to + s->start, large->scratch, ftc_span_bytes(facts, s->count),
                      s->part_bytes);
    else
        ftc_span_write(to, large->scratch, s->count, facts);
}

static void combine_strip(struct ftc_large *large, int slot, struct ftc_units block,
                          struct ftc_units units, size_t part_bytes)
{
    const struct ftc_facts *facts = &large->plan->arguments.facts;
    const struct ftc_nesting nesting = ftc_nesting_of(ftc_large_schedule(large)->n);
    struct strip s = {
        .large = large,
        .slot = slot,
        .block = block,
        .first = units.first,
        .count = (MPI_Count)units.count,
        .part_bytes = part_bytes,
        .start = ftc_span_start(facts, (MPI_Count)units.count),
        .level_bytes = level_bytes(large->plan),
        .pairs = nesting.pairs,
    };

    combine_leaves(&s, 0, ftc_nesting_leaves(nesting), large->scratch);
    show_strip(&s);
}

static void combine(struct ftc_large *large, int slot, struct ftc_units block,
                    struct ftc_units part)
{
    uint64_t most = ftc_combine_units(&large->plan->arguments.facts, STRIP_BYTES),
             end = part.first + part.count;
    size_t part_bytes = block_bytes(large->plan, part.count);

    while (part.first < end) {
        uint64_t left = end - part.first;

        part.count = left < most ? left : most;
        combine_strip(large, slot, block, part, part_bytes);
        part.first += part.count;
    }
}

/* ---- what a second try would miss ---- */

static bool is_overwritten(const struct ftc_large *large)
{
    const struct ftc_call *call = large->plan->call;

    return call->sendbuf == MPI_IN_PLACE && ftc_call_gives_result(call, large->plan->comm->rank);
}

/* Returns the bytes from one block in the copy to the next. */
static size_t stride(const struct ftc_plan *plan, const struct ftc_schedule *s)
{
    return (block_bytes(plan, s->block_units) + 15) / 16 * 16;
}

static size_t copy_bytes(const struct ftc_large *large)
{
    struct ftc_schedule s;

    if (!is_overwritten(large))
        return 0;
    schedule(large->plan, &s);
    return (size_t)((s.units + s.block_units - 1) / s.block_units) * stride(large->plan, &s);
}

static void save(struct ftc_large *large, uint64_t block)
{
    const struct ftc_schedule *s = ftc_large_schedule(large);
    struct ftc_units units = ftc_schedule_units(s, block);

    ftc_span_read(large->copy + block * stride(large->plan, s),
                  element(large, large->plan->call->recvbuf, units.first), (MPI_Count)units.count,
                  &large->plan->arguments.facts);
    large->saved = block + 1;
}

static void undo(struct ftc_large *large)
{
    const struct ftc_schedule *s = ftc_large_schedule(large);

    for (uint64_t block = 0; block < large->saved; block++) {
        struct ftc_units units = ftc_schedule_units(s, block);

        ftc_span_write(element(large, large->plan->call->recvbuf, units.first),
                       large->copy + block * stride(large->plan, s), (MPI_Count)units.count,
                       &large->plan->arguments.facts);
    }
    large->saved = 0;
}

static void prepare(struct ftc_large *large)
{
    (void)large;
}

static void get(struct ftc_large *large, int slot, uint64_t block)
{
    const struct ftc_schedule *s = ftc_large_schedule(large);
    const struct ftc_facts *facts = &large->plan->arguments.facts;
    struct ftc_units whole = ftc_schedule_units(s, block);

    if (is_overwritten(large))
        save(large, block);
    for (int member = 0; member < s->n; member++) {
        struct ftc_units part = ftc_schedule_part(s, block, member);
        MPI_Count count = (MPI_Count)part.count;

        ftc_span_write(element(large, large->plan->call->recvbuf, part.first),
                       in_slot(large, member, slot, whole, part.first) +
                           ftc_span_start(facts, count),
                       count, facts);
    }
}

/* ---- the result ---- */

static int deliver(const struct ftc_large *large)
{
    const struct ftc_comm *c = large->plan->comm;
    uint64_t who[FTC_RANK_SET_WORDS(FTC_BOARD_RANKS_MAX)] = {0};

    for (int i = 0; i < c->member_count; i++)
        ftc_rank_set_add(who, (uint32_t)c->member[i]);
    return ftc_inclusion_look_at_set(large->plan, who,
                                     (large->vote.flags & FTC_TALLY_REQUIRES_ALL) != 0);
}

const struct ftc_large_kind ftc_large_reduction = {
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
