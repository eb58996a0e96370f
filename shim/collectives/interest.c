#include "interest.h"

#include "communicator/neighbors.h"
#include "value/roles.h"

static bool is_source(const struct ftc_plan *plan, int rank)
{
    const struct ftc_neighbors *n = plan->neighbors;

    for (int i = 0; i < n->sources; i++)
        if (n->source[i] == rank)
            return true;
    return false;
}

static bool is_source_between(const struct ftc_plan *plan, int rank)
{
    int from = rank - plan->comm->remote;

    return from >= 0 && from < plan->comm->remote_size && ftc_role_takes_from(plan->call, from);
}

bool ftc_interest_in(const struct ftc_plan *plan, int from)
{
    const struct ftc_call *call = plan->call;
    const int self = plan->comm->rank;

    if (ftc_plan_is_between(plan))
        return is_source_between(plan, from);
    switch (ftc_call_plain(call->kind)) {
    case FTC_CALL_REDUCE:
        return call->root == self;
    case FTC_CALL_GATHER:
    case FTC_CALL_GATHERV:
        return call->root == self && from != self;
    case FTC_CALL_BCAST:
    case FTC_CALL_SCATTER:
    case FTC_CALL_SCATTERV:
        return call->root == from && from != self;
    case FTC_CALL_ALLGATHER:
    case FTC_CALL_ALLGATHERV:
    case FTC_CALL_ALLTOALL:
    case FTC_CALL_ALLTOALLV:
    case FTC_CALL_ALLTOALLW:
        return from != self;
    case FTC_CALL_SCAN:
    case FTC_CALL_EXSCAN:
        return from <= self;
    default:
        return !plan->neighbors || is_source(plan, from);
    }
}

bool ftc_interest_is_in_letters(const struct ftc_plan *plan)
{
    switch (ftc_call_plain(plan->call->kind)) {
    case FTC_CALL_SCATTER:
    case FTC_CALL_SCATTERV:
    case FTC_CALL_ALLTOALL:
    case FTC_CALL_ALLTOALLV:
    case FTC_CALL_ALLTOALLW:
    case FTC_CALL_NEIGHBOR_ALLTOALL:
    case FTC_CALL_NEIGHBOR_ALLTOALLV:
    case FTC_CALL_NEIGHBOR_ALLTOALLW:
        return true;
    default:
        return false;
    }
}
