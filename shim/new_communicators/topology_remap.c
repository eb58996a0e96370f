#include "topology_remap.h"

#include <stdlib.h>
#include <string.h>

/* ---- native calls ---- */

int ftc_topology_remap_native(enum ftc_call_kind kind, MPI_Comm comm,
                              const struct ftc_arrangement *a, MPI_Comm *newcomm)
{
    switch (kind) {
    case FTC_CALL_CART_CREATE:
        return PMPI_Cart_create(comm, a->ndims, a->dims, a->periods, a->reorder, newcomm);
    case FTC_CALL_CART_SUB:
        return PMPI_Cart_sub(comm, a->remain_dims, newcomm);
    case FTC_CALL_GRAPH_CREATE:
        return PMPI_Graph_create(comm, a->nnodes, a->index, a->edges, a->reorder, newcomm);
    case FTC_CALL_DIST_GRAPH_CREATE:
        return PMPI_Dist_graph_create(comm, a->n, a->sources, a->degrees, a->destinations,
                                      a->weights, a->info, a->reorder, newcomm);
    default:
        return PMPI_Dist_graph_create_adjacent(comm, a->indegree, a->sources, a->source_weights,
                                               a->outdegree, a->destinations, a->weights, a->info,
                                               a->reorder, newcomm);
    }
}

/* ---- arguments ---- */

static bool is_grid(const struct ftc_arrangement *a, int size)
{
    int64_t count = 1;

    if (a->ndims < 0 || (a->ndims > 0 && (!a->dims || !a->periods)))
        return false;
    for (int d = 0; d < a->ndims; d++) {
        if (a->dims[d] < 1)
            return false;
        count *= a->dims[d];
        if (count > size)
            return false;
    }
    return true;
}

/* Returns whether the graph is valid. Returns false also for one without nodes, which needs no
 * other rank. */
static bool is_graph(const struct ftc_arrangement *a, int size)
{
    int before = 0;

    if (a->nnodes < 1 || a->nnodes > size || !a->index || !a->edges)
        return false;
    for (int i = 0; i < a->nnodes; i++) {
        if (a->index[i] < before)
            return false;
        before = a->index[i];
    }
    for (int i = 0; i < before; i++)
        if (a->edges[i] < 0 || a->edges[i] >= a->nnodes)
            return false;
    return true;
}

static bool are_ranks(const int *rank, int count, int size, bool may_be_nobody)
{
    if (count < 0 || (count > 0 && !rank))
        return false;
    for (int i = 0; i < count; i++)
        if ((rank[i] < 0 || rank[i] >= size) && !(may_be_nobody && rank[i] == MPI_PROC_NULL))
            return false;
    return true;
}

/* Returns -1 if a degree is invalid. */
static int sum(const int *degrees, int n)
{
    int all = 0;

    for (int i = 0; i < n; i++) {
        if (degrees[i] < 0)
            return -1;
        all += degrees[i];
    }
    return all;
}

static bool are_edges(const struct ftc_arrangement *a, int size)
{
    int all = a->n > 0 && a->degrees ? sum(a->degrees, a->n) : 0;

    return are_ranks(a->sources, a->n, size, false) && (a->n == 0 || a->degrees) &&
           are_ranks(a->destinations, all, size, false) && (all == 0 || a->weights);
}

static bool is_part(const struct ftc_creation *x)
{
    const struct ftc_virtual_topology *t = ftc_virtual_topology_get(x->comm);
    int kind = MPI_UNDEFINED;

    if (!x->arrangement->remain_dims)
        return false;
    PMPI_Topo_test(x->comm, &kind);
    return t ? t->kind == MPI_CART : kind == MPI_CART;
}

bool ftc_topology_remap_is_valid(const struct ftc_creation *x)
{
    const struct ftc_arrangement *a = x->arrangement;
    int size = 0;

    PMPI_Comm_size(x->comm, &size);
    switch (x->kind) {
    case FTC_CALL_CART_CREATE:
        return is_grid(a, size);
    case FTC_CALL_CART_SUB:
        return is_part(x);
    case FTC_CALL_GRAPH_CREATE:
        return is_graph(a, size);
    case FTC_CALL_DIST_GRAPH_CREATE:
        return are_edges(a, size);
    default: /* MPICH accepts MPI_PROC_NULL here: a neighbor may have been dead before */
        return are_ranks(a->sources, a->indegree, size, true) &&
               are_ranks(a->destinations, a->outdegree, size, true);
    }
}

bool ftc_topology_remap_is_ours(const struct ftc_creation *x)
{
    return x->kind == FTC_CALL_CART_SUB && ftc_virtual_topology_get(x->comm);
}

/* ---- positions of the survivors ---- */

/* Gives the positions of the dead to survivors beyond the last position. @holder, by position, gets
 * a rank or -1. */
static void assign(int positions, int size, const unsigned char *dead, int *holder)
{
    int spare = positions;

    for (int position = 0; position < positions; position++) {
        holder[position] = position;
        if (!dead[position])
            continue;
        while (spare < size && dead[spare])
            spare++;
        holder[position] = spare < size ? spare++ : -1;
    }
}

/* Gives each position of @part the rank that has it in the whole @grid. @whole holds the
 * coordinates of a position of that part; those in @remain are overwritten. @own is room for
 * coordinates in @part. */
static void assign_in_part(const struct ftc_virtual_topology *grid,
                           const struct ftc_virtual_topology *part, const int *remain,
                           const unsigned char *dead, int *whole, int *own, int *holder)
{
    for (int position = 0; position < part->count; position++) {
        int kept = 0, rank;

        ftc_virtual_topology_coordinates(part, position, own);
        for (int d = 0; d < grid->dimensions; d++)
            if (remain[d])
                whole[d] = own[kept++];
        rank = grid->rank_at[ftc_virtual_topology_position(grid, whole)];
        holder[position] = rank >= 0 && !dead[rank] ? rank : -1;
    }
}

/* Returns the part of @grid in which the rank @own is. */
static struct ftc_virtual_topology *find_part(const struct ftc_virtual_topology *grid,
                                              const int *remain, int own, const unsigned char *dead,
                                              int **holder)
{
    struct ftc_virtual_topology *part = ftc_virtual_topology_of_part(grid, remain);
    int *whole = calloc((size_t)grid->dimensions + 1, sizeof *whole);
    int *of_part = calloc((size_t)grid->dimensions + 1, sizeof *of_part);

    *holder = part ? malloc(((size_t)part->count + 1) * sizeof **holder) : NULL;
    if (*holder && whole && of_part) {
        ftc_virtual_topology_coordinates(grid, grid->position_of[own], whole);
        assign_in_part(grid, part, remain, dead, whole, of_part, *holder);
    } else {
        ftc_virtual_topology_free(part);
        part = NULL;
    }
    free(whole);
    free(of_part);
    return part;
}

static struct ftc_virtual_topology *assign_part(const struct ftc_creation *x, int own,
                                                const unsigned char *dead, int **holder)
{
    const struct ftc_virtual_topology *kept = ftc_virtual_topology_get(x->comm);
    struct ftc_virtual_topology *full = kept ? NULL : ftc_virtual_topology_of_full_grid(x->comm),
                                *part = NULL;

    if (kept || full)
        part = find_part(kept ? kept : full, x->arrangement->remain_dims, own, dead, holder);
    ftc_virtual_topology_free(full);
    return part;
}

static struct ftc_virtual_topology *assign_whole(const struct ftc_creation *x, int size,
                                                 const unsigned char *dead, int **holder)
{
    const struct ftc_arrangement *a = x->arrangement;
    struct ftc_virtual_topology *t =
        x->kind == FTC_CALL_CART_CREATE
            ? ftc_virtual_topology_of_grid(a->ndims, a->dims, a->periods)
            : ftc_virtual_topology_of_graph(a->nnodes, a->index, a->edges);

    *holder = t ? malloc(((size_t)t->count + 1) * sizeof **holder) : NULL;
    if (*holder)
        assign(t->count, size, dead, *holder);
    return t;
}

/* Numbers the holders in the order of their positions. */
static bool number(struct ftc_topology_remap *m, const int *holder)
{
    bool *is_taken = calloc((size_t)m->topology->count + 1, sizeof *is_taken);

    m->member = calloc((size_t)m->topology->count + 1, sizeof *m->member);
    if (!is_taken || !m->member) {
        free(is_taken);
        return false;
    }
    for (int position = 0; position < m->topology->count; position++) {
        is_taken[position] = holder[position] >= 0;
        if (is_taken[position])
            m->member[m->count++] = holder[position];
    }
    ftc_virtual_topology_number(m->topology, is_taken);
    free(is_taken);
    return true;
}

/* Returns the new rank of @own, a rank in the old communicator; -1: it has none. */
static int rank_of(const struct ftc_topology_remap *m, int own)
{
    for (int i = 0; i < m->count; i++)
        if (m->member[i] == own)
            return i;
    return -1;
}

/* Arranges a full topology as the program did: MPI accepts it. */
static void arrange_natively(struct ftc_topology_remap *m)
{
    const struct ftc_virtual_topology *t = m->topology;

    m->kind = t->kind == MPI_CART ? FTC_CALL_CART_CREATE : FTC_CALL_GRAPH_CREATE;
    m->arrangement.ndims = t->dimensions;
    m->arrangement.dims = t->dims;
    m->arrangement.periods = t->periods;
    m->arrangement.nnodes = t->count;
    m->arrangement.index = t->index;
    m->arrangement.edges = t->edges;
}

/* Arranges the neighbors of @rank. The weights are ones, because MPI_UNWEIGHTED is a symbol of the
 * MPI library. */
static bool arrange_neighbors(struct ftc_topology_remap *m, int rank)
{
    int count = ftc_virtual_topology_neighbor_count(m->topology, rank);
    int *neighbor = m->storage[0] = calloc((size_t)count + 1, sizeof *neighbor);
    int *weight = m->storage[1] = calloc((size_t)count + 1, sizeof *weight);

    if (!neighbor || !weight)
        return false;
    ftc_virtual_topology_neighbors(m->topology, rank, neighbor);
    for (int i = 0; i < count; i++)
        weight[i] = 1;
    m->kind = FTC_CALL_DIST_GRAPH_CREATE_ADJACENT;
    m->arrangement.indegree = m->arrangement.outdegree = count;
    m->arrangement.sources = m->arrangement.destinations = neighbor;
    m->arrangement.source_weights = m->arrangement.weights = weight;
    return true;
}

static bool find_topology(const struct ftc_creation *x, int size, int own,
                          const unsigned char *dead, struct ftc_topology_remap *m)
{
    int *holder = NULL, rank;
    bool done;

    m->topology = x->kind == FTC_CALL_CART_SUB ? assign_part(x, own, dead, &holder)
                                               : assign_whole(x, size, dead, &holder);
    done = m->topology && holder && number(m, holder);
    free(holder);
    if (!done)
        return false;
    m->arrangement.info = MPI_INFO_NULL;
    rank = rank_of(m, own);
    if (!ftc_virtual_topology_is_full(m->topology))
        return rank < 0 || arrange_neighbors(m, rank);
    arrange_natively(m);
    return true;
}

/* ---- distributed graphs ---- */

/* Numbers all survivors. m->storage[0] gets the new rank by old rank. */
static bool number_survivors(int size, const unsigned char *dead, struct ftc_topology_remap *m)
{
    int *rank_of = m->storage[0] = calloc((size_t)size + 1, sizeof *rank_of);

    m->member = calloc((size_t)size + 1, sizeof *m->member);
    if (!rank_of || !m->member)
        return false;
    for (int rank = 0; rank < size; rank++) {
        rank_of[rank] = dead[rank] ? MPI_PROC_NULL : m->count;
        if (!dead[rank])
            m->member[m->count++] = rank;
    }
    return true;
}

static int *translated(const int *ranks, int count, const int *rank_of)
{
    int *to = calloc((size_t)count + 1, sizeof *to);

    for (int i = 0; to && i < count; i++)
        to[i] = ranks[i] == MPI_PROC_NULL ? MPI_PROC_NULL : rank_of[ranks[i]];
    return to;
}

static bool arrange_adjacent(const struct ftc_arrangement *a, struct ftc_topology_remap *m)
{
    m->storage[1] = translated(a->sources, a->indegree, m->storage[0]);
    m->storage[2] = translated(a->destinations, a->outdegree, m->storage[0]);
    m->arrangement.sources = m->storage[1];
    m->arrangement.destinations = m->storage[2];
    return m->storage[1] && m->storage[2];
}

/* Returns whether @weights is not MPI_UNWEIGHTED, whose address only MPI knows. Makes a graph
 * without edges with @weights, and asks MPI whether it is weighted. */
static bool are_weights(const int *weights)
{
    int in, out, is_weighted = 0;
    MPI_Comm graph;

    if (PMPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, NULL, weights, 0, NULL, weights,
                                        MPI_INFO_NULL, 0, &graph) != MPI_SUCCESS)
        return false;
    PMPI_Dist_graph_neighbors_count(graph, &in, &out, &is_weighted);
    PMPI_Comm_free(&graph);
    return is_weighted;
}

/* Removes the edges of the dead from m->storage, and translates the ranks of the others. */
static void leave_out_the_dead(struct ftc_topology_remap *m, const int *rank_of, bool is_weighted)
{
    int *source = m->storage[1], *degree = m->storage[2], *destination = m->storage[3];
    int sources = 0, edges = 0, at = 0;
    int *weight = is_weighted ? destination + sum(degree, m->arrangement.n) : NULL;

    for (int i = 0; i < m->arrangement.n; i++) {
        int end = at + degree[i], first = edges;

        for (; at < end; at++) {
            if (rank_of[source[i]] < 0 || rank_of[destination[at]] < 0)
                continue;
            destination[edges] = rank_of[destination[at]];
            if (weight)
                weight[edges] = weight[at];
            edges++;
        }
        if (edges == first)
            continue;
        source[sources] = rank_of[source[i]];
        degree[sources++] = edges - first;
    }
    m->arrangement.n = sources;
}

static bool arrange_edges(const struct ftc_arrangement *a, struct ftc_topology_remap *m)
{
    int all = a->n > 0 ? sum(a->degrees, a->n) : 0;
    size_t of_sources = (size_t)a->n * sizeof(int), of_edges = (size_t)all * sizeof(int);
    bool is_weighted = all > 0 && are_weights(a->weights);

    m->storage[1] = calloc((size_t)a->n + 1, sizeof(int));
    m->storage[2] = calloc((size_t)a->n + 1, sizeof(int));
    m->storage[3] = calloc(2 * (size_t)all + 1, sizeof(int));
    if (!m->storage[1] || !m->storage[2] || !m->storage[3])
        return false;
    if (a->n > 0) {
        memcpy(m->storage[1], a->sources, of_sources);
        memcpy(m->storage[2], a->degrees, of_sources);
    }
    if (all > 0)
        memcpy(m->storage[3], a->destinations, of_edges);
    if (is_weighted)
        memcpy(m->storage[3] + all, a->weights, of_edges);
    m->arrangement.sources = m->storage[1];
    m->arrangement.degrees = m->storage[2];
    m->arrangement.destinations = m->storage[3];
    m->arrangement.weights = is_weighted ? m->storage[3] + all : a->weights;
    leave_out_the_dead(m, m->storage[0], is_weighted);
    return true;
}

static bool find_survivors(const struct ftc_creation *x, int size, const unsigned char *dead,
                           struct ftc_topology_remap *m)
{
    m->kind = x->kind;
    m->arrangement = *x->arrangement;
    m->arrangement.reorder = 0;
    return number_survivors(size, dead, m) &&
           (x->kind == FTC_CALL_DIST_GRAPH_CREATE ? arrange_edges(x->arrangement, m)
                                                  : arrange_adjacent(x->arrangement, m));
}

/* ---- interface ---- */

bool ftc_topology_remap_find(const struct ftc_creation *x, int size, int own,
                             const unsigned char *dead, struct ftc_topology_remap *remap)
{
    *remap = (struct ftc_topology_remap){0};
    switch (x->kind) {
    case FTC_CALL_DIST_GRAPH_CREATE:
    case FTC_CALL_DIST_GRAPH_CREATE_ADJACENT:
        return find_survivors(x, size, dead, remap);
    default:
        return find_topology(x, size, own, dead, remap);
    }
}

void ftc_topology_remap_free(struct ftc_topology_remap *remap)
{
    ftc_virtual_topology_free(remap->topology);
    free(remap->member);
    for (int i = 0; i < 4; i++)
        free(remap->storage[i]);
    *remap = (struct ftc_topology_remap){0};
}

int ftc_topology_remap_apply(const struct ftc_topology_remap *remap, MPI_Comm of_members,
                             MPI_Comm *newcomm)
{
    return ftc_topology_remap_native(remap->kind, of_members, &remap->arrangement, newcomm);
}

bool ftc_topology_remap_keep(struct ftc_topology_remap *remap, MPI_Comm newcomm)
{
    if (!remap->topology || ftc_virtual_topology_is_full(remap->topology))
        return true;
    if (!ftc_virtual_topology_keep(newcomm, remap->topology))
        return false;
    remap->topology = NULL;
    return true;
}
