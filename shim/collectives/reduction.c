/* Reduce, allreduce and reduce_scatter, blocking or not. With a commutative operation values are
 * combined on their way, and a reduce_scatter is an allreduce of which each rank takes its part.
 * Else everybody's elements travel as they are, and who gets the result combines them. */
#include "fold.h"
#include "kinds.h"
#include "protocols/combine.h"
#include "protocols/composite.h"
#include "protocols/contributor_policy.h"
#include "protocols/packed.h"
#include "protocols/pipelined.h"
#include "value/contributors.h"

/* Whether each rank gives a block of elements, which are combined by who gets the result. */
static bool keeps_blocks(const struct ftc_plan *plan)
{
    return plan->arguments.keeps_blocks || ftc_protocol_is_rounds(plan->protocol);
}

static bool needs_mpi(const struct ftc_plan *plan)
{
    return ftc_facts_need_mpi(&plan->arguments.facts);
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
    plan->travelling_bytes = plan->header_bytes + plan->arguments.value_bytes;
    copy = ftc_packed_room(plan, plan->travelling_bytes);
    if (!copy)
        return NULL;
    if (plan->header_bytes > 0)
        ftc_contributor_policy_begin(plan, copy);
    else if (plan->arguments.facts.contiguous && plan->arguments.value_bytes > 0)
        return (const char *)source + ftc_span_start(&plan->arguments.facts, plan->arguments.count);
    if (ftc_span_read(copy + plan->header_bytes, source, plan->arguments.count,
                      &plan->arguments.facts) != MPI_SUCCESS)
        return NULL;
    return copy;
}

static void combine(void *context, void *into, const void *from)
{
    struct ftc_plan *plan = context;
    size_t header = plan->header_bytes;

    if (header > 0)
        ftc_contributors_join(into, from, plan->comm->size);
    if (plan->arguments.value_bytes > 0)
        ftc_combine_elements(plan, (char *)into + header, (const char *)from + header,
                             plan->arguments.count);
}

/* The elements of the result that are this rank's. */
struct part {
    MPI_Count first, count;
};

static struct part own_part(const struct ftc_plan *plan)
{
    struct part p = {0, plan->arguments.count};

    if (!ftc_call_scatters_result(plan->call))
        return p;
    for (int rank = 0; rank < plan->comm->rank; rank++)
        p.first += ftc_side_count(&plan->call->sides->receive, rank);
    p.count = ftc_side_count(&plan->call->sides->receive, plan->comm->rank);
    return p;
}

static int write_part(const struct ftc_plan *plan, const struct part *p, const void *span)
{
    return ftc_span_write_part(plan->call->recvbuf, span, p->first, p->count, plan->arguments.count,
                               &plan->arguments.facts);
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
    if (plan->rounds || plan->is_composite)
        return deliver_folded(plan);
    value = ftc_packed_result(plan);
    if (!value)
        return MPI_SUCCESS;
    p = own_part(plan);
    rv = write_part(plan, &p, (const char *)value + plan->header_bytes);
    return rv == MPI_SUCCESS && plan->header_bytes > 0 ? ftc_contributor_policy_look(plan, value)
                                                       : rv;
}

/* No rank waits for the others of a reduce: for them the call is done. */
static int without_root(const struct ftc_plan *plan)
{
    (void)plan;
    return MPI_SUCCESS;
}

const struct ftc_collective ftc_collective_reduction = {
    .pipelined = &ftc_pipelined_reduction,
    .is_described_alike = true,
    .needs_mpi = needs_mpi,
    .contribute = contribute,
    .combine = combine,
    .deliver = deliver,
    .without_root = without_root,
};
