/* Reduce and allreduce, blocking or not. */
#include "combine.h"
#include "large.h"
#include "program/error.h"
#include "progress/running.h"
#include "report/required_sites.h"
#include "value/contributors.h"

/* Native MPI raises the right error for arguments that it rejects. */
static bool buffers_are_valid(const struct ftc_call *call, const struct ftc_comm *c)
{
    bool in_place = call->sendbuf == MPI_IN_PLACE;

    if (!ftc_call_gives_result(call, c->rank))
        return !in_place && call->sendbuf;
    return call->recvbuf && call->recvbuf != MPI_IN_PLACE && call->sendbuf &&
           (in_place || call->sendbuf != call->recvbuf);
}

static void examine(struct ftc_plan *plan, struct ftc_policy_facts *facts)
{
    const struct ftc_call *call = plan->call;

    facts->valid = ftc_facts(call->datatype, call->op, &plan->facts);
    facts->commutative = plan->facts.commutative;
    if (!facts->valid || call->count == 0)
        return;
    facts->valid = buffers_are_valid(call, plan->comm);
    plan->value_bytes = facts->value_bytes = ftc_span_bytes(&plan->facts, call->count);
}

/* The program's own buffer where its memory is the value as it stands, else a copy. The buffer of a
 * call without data is not looked at, as native MPI does not. */
static const void *contribute(struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    const void *source = call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
    const struct ftc_comm *c = plan->comm;
    unsigned char *copy;

    plan->header_bytes = ftc_contributors_bytes(c->size);
    plan->travelling_bytes = plan->header_bytes + plan->value_bytes;
    if (ftc_running_reserve(plan->comm, plan->travelling_bytes) != 0)
        return NULL;
    copy = c->running->contribution;
    if (plan->header_bytes > 0)
        ftc_contributors_begin(copy, c->size, c->rank,
                               ftc_required_sites_have(call->return_address));
    else if (plan->facts.contiguous && plan->value_bytes > 0)
        return (const char *)source + ftc_span_start(&plan->facts, call->count);
    if (ftc_span_read(copy + plan->header_bytes, source, call->count, &plan->facts) != MPI_SUCCESS)
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
        ftc_combine_elements(plan, (char *)into + header, (const char *)from + header,
                             plan->call->count);
}

static int deliver(const struct ftc_plan *plan)
{
    const struct ftc_call *call = plan->call;
    const void *value = plan->comm->running->op.result.value;
    int rv;

    if (!value || !ftc_call_gives_result(call, plan->comm->rank))
        return MPI_SUCCESS;
    rv = ftc_span_write(call->recvbuf, (const char *)value + plan->header_bytes, call->count,
                        &plan->facts);
    return rv == MPI_SUCCESS && plan->header_bytes > 0
               ? ftc_combine_look_at_contributors(plan, value)
               : rv;
}

/* Nobody waits for the others of a reduce: for them it is done. */
static int without_root(const struct ftc_plan *plan)
{
    (void)plan;
    return MPI_SUCCESS;
}

const struct ftc_collective ftc_collective_reduction = {
    .large = &ftc_large_reduction,
    .is_described_alike = true,
    .examine = examine,
    .contribute = contribute,
    .combine = combine,
    .deliver = deliver,
    .without_root = without_root,
};
