#include "pattern.h"

#include "value/roles.h"

/* ---- peers ---- */

static bool is_root(const struct ftc_plan *plan)
{
    return plan->call->root == plan->comm->rank;
}

/* The root of a gather takes its own block, and that of a scatter its own segment, out of the
 * program's memory. */
static void within_group(struct ftc_pattern *p, const struct ftc_plan *plan)
{
    enum ftc_call_kind kind = plan->call->kind;
    bool has_root = ftc_call_has_root(kind), comes_from_root = ftc_call_comes_from_root(kind);

    *p = (struct ftc_pattern){
        .gives = !has_root || comes_from_root == is_root(plan),
        .takes = !has_root || comes_from_root || is_root(plan),
        .copies_own = !comes_from_root || is_root(plan),
        .own = plan->comm->rank,
        .destinations = plan->comm->size,
        .sources = comes_from_root ? 1 : plan->comm->size,
        .first_source = comes_from_root ? plan->call->root : 0,
    };
}

static void between_groups(struct ftc_pattern *p, const struct ftc_plan *plan)
{
    const struct ftc_comm *c = plan->comm;
    bool comes_from_root = ftc_call_comes_from_root(plan->call->kind);

    *p = (struct ftc_pattern){
        .gives = ftc_role_gives(plan->call),
        .takes = ftc_role_takes(plan->call),
        .own = c->rank,
        .destinations = c->remote_size,
        .first_destination = c->remote,
        .sources = comes_from_root ? 1 : c->remote_size,
        .first_source = c->remote + (comes_from_root ? plan->call->root : 0),
        .numbered_from = c->remote,
    };
}

static bool among_neighbors(struct ftc_pattern *p, const struct ftc_plan *plan)
{
    *p = (struct ftc_pattern){.gives = true, .takes = true, .own = plan->comm->rank};
    if (!plan->neighbors && !ftc_neighbors_get(plan->call->comm, &p->asked))
        return false;
    p->neighbors = plan->neighbors ? plan->neighbors : &p->asked;
    p->destinations = p->neighbors->destinations;
    p->sources = p->neighbors->sources;
    return true;
}

bool ftc_pattern_make(struct ftc_pattern *p, const struct ftc_plan *plan)
{
    if (ftc_call_is_of_neighbors(plan->call->kind))
        return among_neighbors(p, plan);
    if (ftc_plan_is_between(plan))
        between_groups(p, plan);
    else
        within_group(p, plan);
    return true;
}

static int peer(const struct ftc_pattern *p, int rank)
{
    return p->copies_own && rank == p->own ? -1 : rank;
}

static int neighbor(int rank)
{
    return rank == MPI_PROC_NULL ? -1 : rank;
}

int ftc_pattern_destination(const struct ftc_pattern *p, int index)
{
    return p->neighbors ? neighbor(p->neighbors->destination[index])
                        : peer(p, p->first_destination + index);
}

int ftc_pattern_source(const struct ftc_pattern *p, int index)
{
    return p->neighbors ? neighbor(p->neighbors->source[index]) : peer(p, p->first_source + index);
}

/* ---- needed data ---- */

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

bool ftc_pattern_needs(const struct ftc_plan *plan, int from)
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
