/* Calls that combine elements: reduce, allreduce, reduce_scatter, scan and exscan, blocking or not.
 * If the operation is commutative, values are combined on their way, and a reduce_scatter is an
 * allreduce of which each rank takes its part. Otherwise the elements of each rank travel
 * unchanged, and the ranks that get the result combine them. Elements of scans travel this way too,
 * and so do those on an intercommunicator, where one group gets what the other gives. */
#include "engine/exchange_plan.h"
#include "program/error.h"
#include "protocols/combine.h"
#include "protocols/contributor_policy.h"
#include "protocols/packed.h"
#include "protocols/pipelined.h"
#include "value/inter_roles.h"
#include "value/layout.h"

#include <stdlib.h>
#include <string.h>

static bool needs_mpi(const struct ftc_plan *plan)
{
    return ftc_facts_need_mpi(&plan->arguments.facts);
}

/* ---- given ---- */

/* Gives the program's own buffer if its memory is the value as it stands, else a copy. Does not
 * read the buffer of a call without data, as native MPI does not. */
static int give(struct ftc_plan *plan)
{
    const struct ftc_arguments *a = &plan->arguments;
    const char *source = ftc_call_input(plan->call);
    void *to;

    if (plan->is_inter && !ftc_role_gives(plan->call))
        return MPI_SUCCESS;
    if (plan->takes_in_place && a->facts.contiguous && a->value_bytes > 0) {
        plan->value = source + ftc_span_start(&a->facts, a->count);
        return MPI_SUCCESS;
    }
    plan->note = ftc_contributor_policy_note(plan);
    to = ftc_give(plan, ftc_arguments_given(a));
    if (!to)
        return MPI_SUCCESS;
    return a->packs_elements ? ftc_pack(to, source, a->count, &a->facts)
                             : ftc_span_read(to, source, a->count, &a->facts);
}

/* ---- blocks of elements, combined in the order of their ranks ---- */

/* Bytes of large blocks that are combined at a time: the operands fit the first-level cache. */
enum { STRIP_BYTES = 8 * 1024 };

/* Ranks of a fold, and nesting of their elements. */
enum fold_kind {
    FOLD_AS_REDUCE,    /* all ranks, nested as in reduce */
    FOLD_AS_ALLREDUCE, /* all ranks, nested as in allreduce */
    FOLD_PREFIX,       /* ranks up to this one */
    FOLD_BEFORE,       /* ranks before this one */
};

/* Combination of elements first to first + brackets.count - 1 of each block. */
struct fold {
    struct ftc_brackets brackets;  /* must be first */
    const unsigned char *unpacked; /* all elements of each rank; NULL: they need no unpacking */
    MPI_Count first;
    size_t at; /* where the search for the next block begins */
};

/* Returns the distance of two spans of @count elements, in bytes. */
static size_t stride_of(const struct ftc_plan *plan, MPI_Count count)
{
    size_t bytes = ftc_span_bytes(&plan->arguments.facts, count);

    return (bytes + FTC_BLOCK_ALIGN - 1) / FTC_BLOCK_ALIGN * FTC_BLOCK_ALIGN;
}

/* Returns the number of ranks whose elements are combined: on an intercommunicator, of the other
 * group. */
static int givers(const struct ftc_plan *plan)
{
    return plan->is_inter ? plan->comm->remote_size : plan->comm->size;
}

/* Returns the elements of @rank as they have come; NULL if it is dead. */
static const unsigned char *elements_given_by(const struct ftc_plan *plan, int rank, size_t *at)
{
    struct ftc_piece block = ftc_find(plan, plan->comm->remote + rank, at);

    return block.data && block.bytes == ftc_arguments_given(&plan->arguments) ? block.data : NULL;
}

/* Returns the elements of @rank for this combination, unpacked if need be; NULL if it is dead. */
static const unsigned char *elements_of(struct ftc_brackets *b, int rank)
{
    struct fold *f = (struct fold *)b;
    const struct ftc_facts *facts = &b->plan->arguments.facts;
    const unsigned char *all = elements_given_by(b->plan, rank, &f->at);

    if (all && f->unpacked)
        all = f->unpacked + (size_t)rank * stride_of(b->plan, b->plan->arguments.count);
    if (!all || b->count == 0)
        return all;
    return all + (ptrdiff_t)f->first * facts->extent_bytes + ftc_span_start(facts, b->count) -
           ftc_span_start(facts, b->plan->arguments.count);
}

/* Combines the elements of the ranks before this one, and @with_own its own, as recursive doubling
 * does. For each set bit of the rank, from the lowest on, adds the block of ranks that precedes. */
static const unsigned char *fold_prefix(struct ftc_brackets *b, bool with_own, unsigned char *room)
{
    int rank = b->plan->comm->rank;
    const unsigned char *so_far = with_own ? elements_of(b, rank) : NULL;

    for (int width = 1; width <= rank; width *= 2) {
        int begin = rank & ~(2 * width - 1);

        if ((rank & width) != 0)
            so_far = ftc_combine_two(
                b, ftc_combine_leaves(b, begin, width, so_far ? room + b->stride_bytes : room),
                so_far, room);
    }
    return so_far;
}

/* Combines elements in a binomial tree, or as recursive doubling does. There the first ranks pair
 * up until a power of two is left (engine/exchange_plan.h draws it). */
static const unsigned char *fold(struct ftc_brackets *b, enum fold_kind kind, unsigned char *room)
{
    struct ftc_nesting s = ftc_nesting_of(givers(b->plan));
    int width = ftc_nesting_leaves(s);

    b->leaves = givers(b->plan);
    if (kind == FOLD_PREFIX || kind == FOLD_BEFORE)
        return fold_prefix(b, kind == FOLD_PREFIX, room);
    if (kind == FOLD_AS_REDUCE)
        return ftc_combine_leaves(b, 0, s.pairs > 0 ? 2 * width : width, room);
    b->leaves = width;
    b->pairs = s.pairs;
    return ftc_combine_leaves(b, 0, width, room);
}

/* Returns the number of elements that are combined at a time. An operation of the program gets
 * small data in one piece, as natively. */
static MPI_Count most_at_once(const struct ftc_plan *plan)
{
    return plan->is_large ? (MPI_Count)ftc_combine_units(&plan->arguments.facts, STRIP_BYTES)
                          : plan->arguments.count;
}

/* Returns the bytes of memory for the combination: a span for each of its levels. */
static size_t room_bytes(const struct ftc_plan *plan)
{
    size_t levels = 3;

    for (int width = 1; width < givers(plan); width *= 2)
        levels++;
    return levels * stride_of(plan, most_at_once(plan)) + 1;
}

/* Returns whether memory has to be allocated for the combination. Otherwise
 * running->published_value is used, which has room for a block of each rank. */
static bool needs_room(const struct ftc_plan *plan)
{
    return plan->is_large || plan->packed || plan->arguments.packs_elements;
}

static unsigned char *room_of(const struct ftc_plan *plan)
{
    if (needs_room(plan))
        return aligned_alloc(64, (room_bytes(plan) + 63) / 64 * 64);
    return plan->comm->running->published_value;
}

static int fold_strips(const struct ftc_plan *plan, enum fold_kind kind, MPI_Count first,
                       MPI_Count count, unsigned char *room, const unsigned char *unpacked)
{
    const struct ftc_facts *facts = &plan->arguments.facts;
    MPI_Count most = most_at_once(plan);
    int rv = MPI_SUCCESS;

    for (MPI_Count done = 0; done < count && rv == MPI_SUCCESS; done += most) {
        MPI_Count some = count - done < most ? count - done : most;
        struct fold f = {
            .brackets = {.plan = plan,
                         .count = some,
                         .stride_bytes = stride_of(plan, some),
                         .operand = elements_of},
            .unpacked = unpacked,
            .first = first + done,
        };
        const unsigned char *result = fold(&f.brackets, kind, room);

        rv = f.brackets.rv;
        if (result && rv == MPI_SUCCESS)
            rv = ftc_span_write((char *)plan->call->recvbuf + done * facts->extent_bytes, result,
                                some, facts);
    }
    return rv;
}

/* Unpacks the elements of all ranks, which have another layout on each rank. Returns NULL without
 * memory. */
static unsigned char *unpack_all(const struct ftc_plan *plan)
{
    const struct ftc_facts *facts = &plan->arguments.facts;
    MPI_Count count = plan->arguments.count;
    size_t stride = stride_of(plan, count), at = 0;
    bool is_possible = ftc_span_bytes(facts, count) < SIZE_MAX - FTC_BLOCK_ALIGN;
    unsigned char *unpacked = is_possible ? calloc((size_t)givers(plan), stride) : NULL;

    for (int i = 0; unpacked && i < givers(plan); i++) {
        const unsigned char *packed = elements_given_by(plan, i, &at);
        unsigned char *elements = unpacked + (size_t)i * stride;

        if (packed && ftc_unpack(elements - ftc_span_start(facts, count), packed, count, facts) !=
                          MPI_SUCCESS) {
            free(unpacked);
            return NULL;
        }
    }
    return unpacked;
}

static bool has_to_be_unpacked(const struct ftc_plan *plan)
{
    return plan->arguments.packs_elements && !ftc_facts_are_packed(&plan->arguments.facts);
}

static int take_fold(const struct ftc_plan *plan, enum fold_kind kind, MPI_Count first,
                     MPI_Count count)
{
    unsigned char *room, *unpacked = NULL;
    int rv;

    room = room_of(plan);
    if (room && has_to_be_unpacked(plan))
        unpacked = unpack_all(plan);
    rv = room && (unpacked || !has_to_be_unpacked(plan))
             ? fold_strips(plan, kind, first, count, room, unpacked)
             : ftc_error_no_memory();
    free(unpacked);
    if (needs_room(plan))
        free(room);
    return rv == MPI_SUCCESS ? ftc_contributor_policy_look_at_blocks(plan) : rv;
}

/* ---- taken ---- */

/* Elements of the result that belong to this rank. */
struct part {
    MPI_Count first, count;
};

static struct part own_part(const struct ftc_plan *plan)
{
    struct part p = {0, plan->arguments.count};
    int rank = plan->comm->rank - ftc_comm_local(plan->comm);

    if (!ftc_call_scatters_result(plan->call))
        return p;
    ftc_layouts_sum_counts(&plan->call->layouts->receive, rank, &p.first);
    p.count = ftc_layout_count(&plan->call->layouts->receive, rank);
    return p;
}

/* Checks on an intercommunicator that both groups name the same number of elements. Returns an MPI
 * error code. */
static int look_at_lengths(const struct ftc_plan *plan)
{
    size_t room = ftc_arguments_given(&plan->arguments), at = 0;

    for (int from = 0; plan->is_inter && from < plan->comm->remote_size; from++) {
        struct ftc_piece block = ftc_find(plan, plan->comm->remote + from, &at);

        if (block.data && block.bytes != room)
            return ftc_error_truncated(plan->call, from, block.bytes, room);
    }
    return MPI_SUCCESS;
}

static int take_folded(const struct ftc_plan *plan, struct part p)
{
    bool is_as_allreduce = ftc_call_is_allreduce(plan->call->kind) && !plan->is_inter;
    int rv = look_at_lengths(plan);

    return rv == MPI_SUCCESS ? take_fold(plan, is_as_allreduce ? FOLD_AS_ALLREDUCE : FOLD_AS_REDUCE,
                                         p.first, p.count)
                             : rv;
}

static bool takes(const struct ftc_plan *plan)
{
    return plan->is_inter ? ftc_role_takes(plan->call)
                          : ftc_call_gives_result(plan->call, plan->comm->rank);
}

static int take(const struct ftc_plan *plan)
{
    const char *value;
    struct part p;
    int rv;

    if (!takes(plan))
        return MPI_SUCCESS;
    p = own_part(plan);
    if (plan->comes_in_blocks)
        return take_folded(plan, p);
    value = ftc_packed_result(plan);
    rv = ftc_span_write_part(plan->call->recvbuf, value + plan->header_bytes, p.first, p.count,
                             plan->arguments.count, &plan->arguments.facts);
    return rv == MPI_SUCCESS && plan->header_bytes > 0 ? ftc_contributor_policy_look(plan, value)
                                                       : rv;
}

const struct ftc_collective ftc_collective_reduction = {
    .pipelined = &ftc_pipelined_reduction,
    .is_uniform = true,
    .combines = true,
    .needs_mpi = needs_mpi,
    .give = give,
    .take = take,
};

/* ---- scans ---- */

/* Takes the result of a scan. In an exscan the first living rank has no rank before it, so its
 * buffer keeps its content. */
static int take_prefix(const struct ftc_plan *plan)
{
    bool is_inclusive = ftc_call_plain(plan->call->kind) == FTC_CALL_SCAN;

    return take_fold(plan, is_inclusive ? FOLD_PREFIX : FOLD_BEFORE, 0, plan->arguments.count);
}

const struct ftc_collective ftc_collective_scan = {
    .is_uniform = true,
    .needs_mpi = needs_mpi,
    .give = give,
    .take = take_prefix,
};
