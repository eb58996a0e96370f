/* Reduce, allreduce and reduce_scatter, blocking or not. With a commutative operation values are
 * combined on their way, and a reduce_scatter is an allreduce of which each rank takes its part.
 * Else everybody's elements travel as they are, and who gets the result combines them. */
#include "combine.h"
#include "composite.h"
#include "fold.h"
#include "inclusion.h"
#include "large.h"
#include "parcel.h"
#include "value/contributors.h"

static bool scatters(const struct ftc_call *call)
{
    return ftc_call_has_operation(call->kind) && !ftc_call_is_reduction(call->kind);
}

/* Elements of the value; false for counts that native MPI rejects. */
static bool count_elements(const struct ftc_call *call, int size, MPI_Count *count)
{
    *count = call->count;
    return !scatters(call) || ftc_sides_sum_counts(&call->sides->receive, size, count);
}

/* Native MPI raises the right error for arguments that it rejects. */
static bool buffers_are_valid(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    bool in_place = call->sendbuf == MPI_IN_PLACE;
    int rank = plan->comm->rank;

    if (!ftc_is_buffer(call->sendbuf, &plan->facts))
        return false;
    if (!ftc_call_gives_result(call, rank))
        return !in_place;
    if (scatters(call) && !in_place && ftc_side_count(&call->sides->receive, rank) == 0)
        return call->sendbuf != call->recvbuf;
    return ftc_is_buffer(call->recvbuf, &plan->facts) && call->recvbuf != MPI_IN_PLACE &&
           (in_place || call->sendbuf != call->recvbuf);
}

/* Blocks of elements, of each rank, where they cannot be combined on their way: that is done in any
 * thread. */
static bool keeps_blocks(const struct ftc_plan *plan)
{
    return ftc_protocol_is_rounds(plan->protocol) || !plan->facts.commutative ||
           plan->packs_elements ||
           (ftc_call_is_nonblocking(plan->call->kind) && !plan->facts.kernel);
}

static void examine(struct ftc_plan *plan, struct ftc_policy_facts *facts)
{
    const struct ftc_call *call = plan->call;
    size_t blocks;

    facts->valid = count_elements(call, plan->comm->size, &plan->count) &&
                   ftc_facts(call->datatype, call->op, &plan->facts);
    facts->commutative = plan->facts.commutative ||
                         (ftc_library.settings.intercept & FTC_INTERCEPT_NONCOMMUTATIVE) != 0;
    if (!facts->valid || plan->count == 0)
        return;
    facts->valid = buffers_are_valid(plan);
    plan->packs_elements = ftc_is_bottom(ftc_call_input(call), &plan->facts);
    facts->has_addresses = plan->packs_elements &&
                           (ftc_library.settings.intercept & FTC_INTERCEPT_NONCOMMUTATIVE) == 0;
    plan->refuses = ftc_fold_is_too_wide(plan);
    blocks = keeps_blocks(plan) ? (size_t)plan->comm->size : 1;
    if (__builtin_mul_overflow(ftc_fold_bytes(plan), blocks, &plan->value_bytes))
        plan->value_bytes = SIZE_MAX;
    facts->value_bytes = plan->value_bytes;
}

static bool needs_mpi(const struct ftc_plan *plan)
{
    return ftc_facts_need_mpi(&plan->facts);
}

/* The program's own buffer where its memory is the value as it stands, else a copy. The buffer of a
 * call without data is not looked at, as native MPI does not. */
static const void *contribute(struct ftc_plan *plan)
{
    const void *source = ftc_call_input(plan->call);
    const struct ftc_comm *c = plan->comm;
    unsigned char *copy;

    if (keeps_blocks(plan))
        return ftc_fold_contribute(plan);
    plan->header_bytes = ftc_contributors_bytes(c->size);
    plan->travelling_bytes = plan->header_bytes + plan->value_bytes;
    copy = ftc_parcel_room(plan, plan->travelling_bytes);
    if (!copy)
        return NULL;
    if (plan->header_bytes > 0)
        ftc_inclusion_begin(plan, copy);
    else if (plan->facts.contiguous && plan->value_bytes > 0)
        return (const char *)source + ftc_span_start(&plan->facts, plan->count);
    if (ftc_span_read(copy + plan->header_bytes, source, plan->count, &plan->facts) != MPI_SUCCESS)
        return NULL;
    return copy;
}

static void combine(void *context, void *into, const void *from)
{
    struct ftc_plan *plan = context;
    size_t header = plan->header_bytes;

    if (header > 0)
        ftc_contributors_join(into, from, plan->comm->size);
    if (plan->value_bytes > 0)
        ftc_combine_elements(plan, (char *)into + header, (const char *)from + header, plan->count);
}

/* The elements of the result that are this rank's. */
struct part {
    MPI_Count first, count;
};

static struct part own_part(const struct ftc_plan *plan)
{
    struct part p = {0, plan->count};

    if (!scatters(plan->call))
        return p;
    for (int rank = 0; rank < plan->comm->rank; rank++)
        p.first += ftc_side_count(&plan->call->sides->receive, rank);
    p.count = ftc_side_count(&plan->call->sides->receive, plan->comm->rank);
    return p;
}

static int write_part(const struct ftc_plan *plan, const struct part *p, const void *span)
{
    return ftc_span_write_part(plan->call->recvbuf, span, p->first, p->count, plan->count,
                               &plan->facts);
}

static int deliver_folded(const struct ftc_plan *plan)
{
    const struct part p = own_part(plan);

    return ftc_fold_deliver(
        plan, ftc_call_is_allreduce(plan->call->kind) ? FTC_FOLD_AS_ALLREDUCE : FTC_FOLD_AS_REDUCE,
        p.first, p.count);
}

static int deliver(const struct ftc_plan *plan)
{
    const void *value;
    struct part p;
    int rv;

    if (!ftc_call_gives_result(plan->call, plan->comm->rank))
        return MPI_SUCCESS;
    if (plan->posted || plan->is_composite)
        return deliver_folded(plan);
    value = ftc_parcel_result(plan);
    if (!value)
        return MPI_SUCCESS;
    p = own_part(plan);
    rv = write_part(plan, &p, (const char *)value + plan->header_bytes);
    return rv == MPI_SUCCESS && plan->header_bytes > 0 ? ftc_inclusion_look(plan, value) : rv;
}

/* No rank waits for the others of a reduce: for them the call is done. */
static int without_root(const struct ftc_plan *plan)
{
    (void)plan;
    return MPI_SUCCESS;
}

const struct ftc_collective ftc_collective_reduction = {
    .large = &ftc_large_reduction,
    .is_described_alike = true,
    .examine = examine,
    .needs_mpi = needs_mpi,
    .contribute = contribute,
    .combine = combine,
    .deliver = deliver,
    .without_root = without_root,
};
