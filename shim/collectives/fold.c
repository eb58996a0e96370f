#include "fold.h"

#include "combine.h"
#include "engine/exchange_plan.h"
#include "inclusion.h"
#include "parcel.h"
#include "progress/running.h"

#include <string.h>

const void *ftc_fold_contribute(struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    const void *source = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
    size_t bytes = ftc_span_bytes(&plan->facts, plan->count);
    void *value = ftc_composite_begin(plan), *span;

    if (!value)
        return NULL;
    span = ftc_blocks_add(value, &plan->limit, plan->comm->rank, bytes);
    ftc_inclusion_note(plan, value);
    return ftc_span_read(span, source, plan->count, &plan->facts) == MPI_SUCCESS ? value : NULL;
}

struct ftc_fold ftc_fold(const struct ftc_plan *plan, MPI_Count first, MPI_Count count)
{
    size_t bytes = ftc_span_bytes(&plan->facts, plan->count);

    return (struct ftc_fold){
        .plan = plan,
        .value = ftc_composite_result(plan),
        .first = first,
        .count = count,
        .stride_bytes = (bytes + FTC_BLOCK_ALIGN - 1) / FTC_BLOCK_ALIGN * FTC_BLOCK_ALIGN,
        .room = plan->parcel ? plan->parcel->room /* which hold as many blocks as there are */
                             : plan->comm->running->published_value,
    };
}

/* @right = @left (+) @right, where @left is of the lower ranks. */
static void join(struct ftc_fold *f, const unsigned char *left, unsigned char *right)
{
    const struct ftc_facts *facts = &f->plan->facts;
    ptrdiff_t offset = (ptrdiff_t)f->first * facts->extent_bytes + ftc_span_start(facts, f->count) -
                       ftc_span_start(facts, f->plan->count);
    int rv;

    if (f->count == 0)
        return;
    rv = ftc_combine_spans(f->plan, right + offset, left + offset, f->count);
    if (rv != MPI_SUCCESS)
        f->rv = rv;
}

/* False if that rank is dead. */
static bool take(struct ftc_fold *f, int rank, unsigned char *into)
{
    size_t bytes = ftc_span_bytes(&f->plan->facts, f->plan->count);
    const struct ftc_block *block = ftc_blocks_find(f->value, rank, &f->at);

    if (!block || block->bytes != bytes)
        return false;
    memcpy(into, block->data, bytes);
    return true;
}

/* Where @leaves pairs of ranks stand at the beginning, and then single ones. */
struct leaves {
    int count, pairs;
};

static bool fold_range(struct ftc_fold *f, const struct leaves *leaves, int begin, int width,
                       unsigned char *into);

/* What both halves give is combined; @into and what follows it is theirs. */
static bool fold_halves(struct ftc_fold *f, const struct leaves *leaves, int begin, int half,
                        unsigned char *into)
{
    unsigned char *right = into + f->stride_bytes;
    bool has_left = fold_range(f, leaves, begin, half, into);
    bool has_right = fold_range(f, leaves, begin + half, half, has_left ? right : into);

    if (!has_left || !has_right)
        return has_left || has_right;
    join(f, into, right);
    memcpy(into, right, f->stride_bytes);
    return true;
}

static bool fold_leaf(struct ftc_fold *f, const struct leaves *leaves, int leaf,
                      unsigned char *into)
{
    static const struct leaves ranks = {.count = 1 << 30};

    if (leaf < leaves->pairs)
        return fold_halves(f, &ranks, 2 * leaf, 1, into);
    return take(f, leaf + leaves->pairs, into);
}

static bool fold_range(struct ftc_fold *f, const struct leaves *leaves, int begin, int width,
                       unsigned char *into)
{
    if (begin >= leaves->count)
        return false;
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

static const void *fold_all(struct ftc_fold *f, const struct leaves *leaves)
{
    return fold_range(f, leaves, 0, power_of_two_from(leaves->count), f->room) ? f->room : NULL;
}

/* A binomial tree. */
const void *ftc_fold_as_reduce(struct ftc_fold *f)
{
    return fold_all(f, &(struct leaves){.count = f->plan->comm->size});
}

/* Recursive doubling, before which the ranks above a power of two are taken in: the first ones pair
 * up (engine/exchange_plan.h draws it). */
const void *ftc_fold_as_allreduce(struct ftc_fold *f)
{
    const struct ftc_exchange_plan exchange = ftc_exchange_plan(f->plan->comm->size, 0);

    return fold_all(f, &(struct leaves){.count = 1 << exchange.doublings, .pairs = exchange.rest});
}

/* Recursive doubling: for each bit of the rank, from the lowest on, the block of ranks before it.
 */
const void *ftc_fold_prefix(struct ftc_fold *f, int rank, bool with_own)
{
    const struct leaves ranks = {.count = f->plan->comm->size};
    unsigned char *so_far = f->room, *block = f->room + f->stride_bytes;
    bool has_any = with_own && take(f, rank, so_far);

    for (int width = 1; width <= rank; width *= 2) {
        int begin = (rank & ~(2 * width - 1));

        if ((rank & width) == 0 || !fold_range(f, &ranks, begin, width, has_any ? block : so_far))
            continue;
        if (has_any)
            join(f, block, so_far);
        has_any = true;
    }
    return has_any ? so_far : NULL;
}
