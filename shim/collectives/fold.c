#include "fold.h"

#include "engine/exchange_plan.h"
#include "program/error.h"
#include "progress/running.h"
#include "protocols/combine.h"
#include "protocols/contributor_policy.h"
#include "protocols/packed.h"

#include <stdlib.h>
#include <string.h>

enum {
    STRIP_BYTES = 8 * 1024
}; /* of large ones, combined at a time: operands are in the first cache */

/* Elements @first to @first + @count - 1 of each block. */
struct fold {
    const struct ftc_plan *plan;
    unsigned char *const *unpacked; /* all elements of each, where they had to be; NULL: as given */
    MPI_Count first, count;
    size_t at;           /* in the value: where the next block is looked for */
    size_t bytes;        /* of the span of these elements */
    size_t stride_bytes; /* of what is in the room */
    unsigned char *room; /* for what is combined so far */
    int rv;              /* MPI error code of the operation */
};

const void *ftc_fold_contribute(struct ftc_plan *plan)
{
    const void *source = ftc_call_input(plan->call);
    void *value = ftc_composite_begin(plan), *block;
    int rv;

    if (!value)
        return NULL;
    if (plan->arguments.refuses) {
        ftc_composite_refuse(plan, value);
        return value;
    }
    block = ftc_composite_block(plan, &value, ftc_arguments_given(&plan->arguments));
    if (!block)
        return value;
    ftc_contributor_policy_note(plan, value);
    rv = plan->arguments.packs_elements
             ? ftc_pack(block, source, plan->arguments.count, &plan->arguments.facts)
             : ftc_span_read(block, source, plan->arguments.count, &plan->arguments.facts);
    return rv == MPI_SUCCESS ? value : NULL;
}

/* Returns the bytes from one span of @count elements to the next. */
static size_t stride_of(const struct ftc_plan *plan, MPI_Count count)
{
    size_t bytes = ftc_span_bytes(&plan->arguments.facts, count);

    return (bytes + FTC_BLOCK_ALIGN - 1) / FTC_BLOCK_ALIGN * FTC_BLOCK_ALIGN;
}

/* @right = @left (+) @right, where @left is of the lower ranks. */
static void join(struct fold *f, const unsigned char *left, unsigned char *right)
{
    int rv;

    if (f->count == 0)
        return;
    rv = ftc_combine_spans(f->plan, right, left, f->count);
    if (rv != MPI_SUCCESS)
        f->rv = rv;
}

/* How many ranks there are whose elements are combined: of two groups those of the other one. */
static int givers(const struct ftc_plan *plan)
{
    return ftc_plan_is_between(plan) ? plan->comm->remote_size : plan->comm->size;
}

/* As they have come; NULL if it is dead. */
static const unsigned char *elements_given_by(const struct ftc_plan *plan, int rank, size_t *at)
{
    struct ftc_piece block = ftc_composite_find(plan, plan->comm->remote + rank, at);

    return block.data && block.bytes == ftc_arguments_given(&plan->arguments) ? block.data : NULL;
}

/* The elements of one of them, where they are; NULL if it is dead. */
static const unsigned char *elements_of(struct fold *f, int rank)
{
    const struct ftc_facts *facts = &f->plan->arguments.facts;
    const unsigned char *all =
        f->unpacked ? f->unpacked[rank] : elements_given_by(f->plan, rank, &f->at);

    if (!all || f->count == 0)
        return all;
    return all + (ptrdiff_t)f->first * facts->extent_bytes + ftc_span_start(facts, f->count) -
           ftc_span_start(facts, f->plan->arguments.count);
}

static void move_to(const struct fold *f, unsigned char *into, const unsigned char *from)
{
    if (into != from)
        memcpy(into, from, f->bytes);
}

/* Where @pairs pairs of ranks stand at the beginning, and then single ones. */
struct leaves {
    int count, pairs;
};

static const unsigned char *fold_range(struct fold *f, const struct leaves *leaves, int begin,
                                       int width, unsigned char *into);

/* Combines the values of both halves, which use the memory from @into on. */
static const unsigned char *fold_halves(struct fold *f, const struct leaves *leaves, int begin,
                                        int half, unsigned char *into)
{
    const unsigned char *right = fold_range(f, leaves, begin + half, half, into), *left;

    if (!right)
        return fold_range(f, leaves, begin, half, into);
    left = fold_range(f, leaves, begin, half, into + f->stride_bytes);
    if (!left)
        return right;
    move_to(f, into, right);
    join(f, left, into);
    return into;
}

static const unsigned char *fold_leaf(struct fold *f, const struct leaves *leaves, int leaf,
                                      unsigned char *into)
{
    static const struct leaves ranks = {.count = 1 << 30};

    if (leaf < leaves->pairs)
        return fold_halves(f, &ranks, 2 * leaf, 1, into);
    return elements_of(f, leaf + leaves->pairs);
}

/* In the room or, of one rank, where they are; NULL: all of them are dead. */
static const unsigned char *fold_range(struct fold *f, const struct leaves *leaves, int begin,
                                       int width, unsigned char *into)
{
    if (begin >= leaves->count)
        return NULL;
    return width == 1 ? fold_leaf(f, leaves, begin, into)
                      : fold_halves(f, leaves, begin, width / 2, into);
}

static int power_of_two_from(int n)
{
    int width = 1;

    while (width < n)
        width *= 2;
    return width;
}

static const unsigned char *fold_all(struct fold *f, const struct leaves *leaves)
{
    return fold_range(f, leaves, 0, power_of_two_from(leaves->count), f->room);
}

/* A binomial tree. */
static const unsigned char *fold_as_reduce(struct fold *f)
{
    return fold_all(f, &(struct leaves){.count = givers(f->plan)});
}

/* Recursive doubling, before which the ranks above a power of two are taken in: the first ones pair
 * up (engine/exchange_plan.h draws it). */
static const unsigned char *fold_as_allreduce(struct fold *f)
{
    struct ftc_nesting s = ftc_nesting_of(f->plan->comm->size);

    return fold_all(f, &(struct leaves){.count = ftc_nesting_leaves(s), .pairs = s.pairs});
}

/* Recursive doubling: for each bit of the rank, from the lowest on, the block of ranks before it.
 */
static const unsigned char *fold_prefix(struct fold *f, bool with_own)
{
    const struct leaves ranks = {.count = f->plan->comm->size};
    unsigned char *room = f->room, *beyond = f->room + f->stride_bytes;
    int rank = f->plan->comm->rank;
    const unsigned char *so_far = with_own ? elements_of(f, rank) : NULL;

    for (int width = 1; width <= rank; width *= 2) {
        int begin = (rank & ~(2 * width - 1));
        const unsigned char *before;

        if ((rank & width) == 0)
            continue;
        before = fold_range(f, &ranks, begin, width, so_far ? beyond : room);
        if (!before)
            continue;
        if (so_far) {
            move_to(f, room, so_far);
            join(f, before, room);
        }
        so_far = so_far ? room : before;
    }
    return so_far;
}

static const unsigned char *fold(struct fold *f, enum ftc_fold_kind kind)
{
    switch (kind) {
    case FTC_FOLD_AS_REDUCE:
        return fold_as_reduce(f);
    case FTC_FOLD_AS_ALLREDUCE:
        return fold_as_allreduce(f);
    default:
        return fold_prefix(f, kind == FTC_FOLD_PREFIX);
    }
}

/* ---- all of them ---- */

/* Elements combined at a time. What is small is as an operation of the program's sees it natively.
 */
static MPI_Count most_at_once(const struct ftc_plan *plan)
{
    return plan->rounds ? (MPI_Count)ftc_combine_units(&plan->arguments.facts, STRIP_BYTES)
                        : plan->arguments.count;
}

/* As many spans as there are levels to combine on. */
static size_t room_bytes(const struct ftc_plan *plan)
{
    size_t levels = 3;

    for (int width = 1; width < givers(plan); width *= 2)
        levels++;
    return levels * stride_of(plan, most_at_once(plan)) + 1;
}

/* Else there is room already: for as many blocks as there are. */
static bool needs_room(const struct ftc_plan *plan)
{
    return plan->rounds || plan->arguments.packs_elements;
}

static unsigned char *room_of(const struct ftc_plan *plan)
{
    if (needs_room(plan))
        return aligned_alloc(64, (room_bytes(plan) + 63) / 64 * 64);
    return plan->packed ? plan->packed->room : plan->comm->running->published_value;
}

static int fold_strips(const struct ftc_plan *plan, enum ftc_fold_kind kind, MPI_Count first,
                       MPI_Count count, unsigned char *room, unsigned char *const *unpacked)
{
    const struct ftc_facts *facts = &plan->arguments.facts;
    MPI_Count most = most_at_once(plan);
    int rv = MPI_SUCCESS;

    for (MPI_Count done = 0; done < count && rv == MPI_SUCCESS; done += most) {
        struct fold f = {
            .plan = plan,
            .unpacked = unpacked,
            .first = first + done,
            .count = count - done < most ? count - done : most,
            .room = room,
        };
        const unsigned char *result;

        f.bytes = ftc_span_bytes(facts, f.count);
        f.stride_bytes = stride_of(plan, f.count);
        result = fold(&f, kind);
        rv = f.rv;
        if (result && rv == MPI_SUCCESS)
            rv = ftc_span_write((char *)plan->call->recvbuf + done * facts->extent_bytes, result,
                                f.count, facts);
    }
    return rv;
}

/* ---- of another layout on each rank ---- */

/* In the one of this rank. False without memory. */
static bool unpack_one(const struct ftc_plan *plan, int rank, size_t *at, unsigned char **elements)
{
    const struct ftc_facts *facts = &plan->arguments.facts;
    const unsigned char *packed = elements_given_by(plan, rank, at);
    size_t bytes = ftc_span_bytes(facts, plan->arguments.count);

    if (!packed)
        return true;
    *elements = bytes < SIZE_MAX - 64 ? aligned_alloc(64, (bytes + 63) / 64 * 64 + 64) : NULL;
    if (!*elements)
        return false;
    memset(*elements, 0, bytes);
    return ftc_unpack(*elements - ftc_span_start(facts, plan->arguments.count), packed,
                      plan->arguments.count, facts) == MPI_SUCCESS;
}

static void free_unpacked(unsigned char **unpacked, int count)
{
    for (int i = 0; unpacked && i < count; i++)
        free(unpacked[i]);
    free(unpacked);
}

/* NULL without memory. */
static unsigned char **unpack_all(const struct ftc_plan *plan)
{
    int count = givers(plan);
    unsigned char **unpacked = calloc((size_t)count, sizeof *unpacked);
    size_t at = 0;

    for (int i = 0; unpacked && i < count; i++)
        if (!unpack_one(plan, i, &at, &unpacked[i])) {
            free_unpacked(unpacked, count);
            return NULL;
        }
    return unpacked;
}

static bool has_to_be_unpacked(const struct ftc_plan *plan)
{
    return plan->arguments.packs_elements && !ftc_facts_are_packed(&plan->arguments.facts);
}

int ftc_fold_deliver(const struct ftc_plan *plan, enum ftc_fold_kind kind, MPI_Count first,
                     MPI_Count count)
{
    unsigned char *room, **unpacked = NULL;
    int rv;

    if (!ftc_composite_has_result(plan))
        return MPI_SUCCESS;
    room = room_of(plan);
    if (room && has_to_be_unpacked(plan))
        unpacked = unpack_all(plan);
    rv = room && (unpacked || !has_to_be_unpacked(plan))
             ? fold_strips(plan, kind, first, count, room, unpacked)
             : ftc_error_no_memory();
    free_unpacked(unpacked, givers(plan));
    if (needs_room(plan))
        free(room);
    return rv == MPI_SUCCESS ? ftc_contributor_policy_look_at_blocks(plan) : rv;
}
