#include "pattern.h"

#include "program/native_call.h"
#include "value/inter_roles.h"

/* ---- peers ---- */

/* Fills @p for a call in one group. The root of a gather copies its own block within the program's
 * memory, and so does the root of a scatter with its own segment. */
static void within_group(struct ftc_pattern *p, const struct ftc_plan *plan)
{
    enum ftc_call_kind kind = plan->call->kind;
    bool has_root = ftc_call_has_root(kind), comes_from_root = ftc_call_comes_from_root(kind);

    *p = (struct ftc_pattern){
        .gives = !has_root || comes_from_root == ftc_plan_is_root(plan),
        .takes = !has_root || comes_from_root || ftc_plan_is_root(plan),
        .copies_own = !comes_from_root || ftc_plan_is_root(plan),
        .own = plan->comm->rank,
        .destinations = plan->comm->size,
        .sources = comes_from_root ? 1 : plan->comm->size,
        .first_source = comes_from_root ? plan->call->root : 0,
    };
}

static void inter_pattern(struct ftc_pattern *p, const struct ftc_plan *plan)
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
    };
}

static bool among_neighbors(struct ftc_pattern *p, const struct ftc_plan *plan)
{
    *p = (struct ftc_pattern){
        .kind = plan->call->kind, .gives = true, .takes = true, .own = plan->comm->rank};
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
    if (plan->is_inter)
        inter_pattern(p, plan);
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

/* ---- the order of neighbors ----
 *
 * In a periodic dimension of one or two ranks, both neighbors are the same rank. MPI requires that
 * data sent to the left arrive from the right (MPI 4.0, section 8.6). MPICH 4.0.2 does so in
 * MPI_Neighbor_alltoall, but not in the forms with many counts. This library uses the order of the
 * program's MPI library, which it finds out without communication. */

/* Exchanges data by native MPI between this rank and itself, which is both of its neighbors on a
 * ring of one rank. */
static void exchange_with_oneself(enum ftc_call_kind plain, MPI_Comm ring, const int in[2],
                                  int out[2])
{
    static const int count[] = {1, 1}, place[] = {0, 1};
    static const MPI_Aint byte[] = {0, sizeof(int)};
    const MPI_Datatype type[] = {MPI_INT, MPI_INT};

    if (plain == FTC_CALL_NEIGHBOR_ALLTOALLW)
        PMPI_Neighbor_alltoallw(in, count, byte, type, out, count, byte, type, ring);
    else if (plain == FTC_CALL_NEIGHBOR_ALLTOALLV)
        PMPI_Neighbor_alltoallv(in, count, place, MPI_INT, out, count, place, MPI_INT, ring);
    else
        PMPI_Neighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, ring);
}

static bool ask_for_order(enum ftc_call_kind plain)
{
    static const int one = 1;
    const int in[] = {0, 1};
    int out[] = {1, 0};
    MPI_Comm ring;

    if (PMPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &ring) != MPI_SUCCESS)
        return true;
    exchange_with_oneself(plain, ring, in, out);
    PMPI_Comm_free(&ring);
    return out[0] == 1;
}

enum order { UNKNOWN, LAST_FIRST, FIRST_FIRST };
static _Atomic unsigned char order_of[FTC_CALL_COUNT];

/* Marks the native calls for on_blocked, because MPICH waits in them while another call holds all
 * context ids. */
void ftc_pattern_learn_order(const struct ftc_call *call)
{
    enum ftc_call_kind plain = ftc_call_plain(call->kind);

    if (order_of[plain] != UNKNOWN)
        return;
    ftc_native_call_mark(call->kind, call->comm, FTC_SOME_MEMBER, call->return_address);
    order_of[plain] = ask_for_order(plain) ? LAST_FIRST : FIRST_FIRST;
    ftc_native_call_leave();
}

int ftc_pattern_before(const struct ftc_pattern *p, int index)
{
    const struct ftc_neighbors *n = p->neighbors;
    int before = 0, behind = 0;

    if (!n)
        return 0;
    for (int i = 0; i < n->sources; i++) {
        before += i < index && n->source[i] == n->source[index];
        behind += i > index && n->source[i] == n->source[index];
    }
    if (before + behind == 0)
        return 0;
    return order_of[ftc_call_plain(p->kind)] == LAST_FIRST ? behind : before;
}

/* ---- needed data ---- */

static bool is_source(const struct ftc_neighbors *n, int rank)
{
    for (int i = 0; i < n->sources; i++)
        if (n->source[i] == rank)
            return true;
    return false;
}

/* Returns true for this rank's own data only if elements are combined, or if it is its own
 * neighbor. */
bool ftc_pattern_needs(const struct ftc_plan *plan, int from)
{
    const struct ftc_call *call = plan->call;
    struct ftc_pattern p;

    if (ftc_call_is_of_neighbors(call->kind))
        return !plan->neighbors || is_source(plan->neighbors, from);
    if (ftc_call_is_scan(call->kind))
        return from <= plan->comm->rank;
    ftc_pattern_make(&p, plan);
    if (ftc_call_has_operation(call->kind) && !plan->is_inter)
        return p.takes;
    return p.takes && from >= p.first_source && from < p.first_source + p.sources &&
           peer(&p, from) >= 0;
}
