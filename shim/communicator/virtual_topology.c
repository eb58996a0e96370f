#include "virtual_topology.h"

#include "attribute.h"
#include "value/datatype.h"

#include <stdlib.h>
#include <string.h>

static bool any_kept; /* whether any communicator has ever had a virtual topology */

/* ---- making ---- */

/* Returns a copy of @count numbers; NULL without memory. */
static int *copy(const int *from, int count)
{
    int *to = calloc((size_t)count + 1, sizeof *to);

    if (to && count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

void ftc_virtual_topology_free(struct ftc_virtual_topology *t)
{
    if (!t)
        return;
    free(t->rank_at);
    free(t->position_of);
    free(t->dims);
    free(t->periods);
    free(t->index);
    free(t->edges);
    free(t);
}

static struct ftc_virtual_topology *make(int kind, int count)
{
    struct ftc_virtual_topology *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->kind = kind;
    t->count = count;
    t->rank_at = malloc(((size_t)count + 1) * sizeof *t->rank_at);
    t->position_of = calloc((size_t)count + 1, sizeof *t->position_of);
    for (int i = 0; t->rank_at && i < count; i++)
        t->rank_at[i] = MPI_PROC_NULL;
    return t;
}

/* Returns @t. If memory for a part of it is missing, frees @t and returns NULL. */
static struct ftc_virtual_topology *complete(struct ftc_virtual_topology *t)
{
    bool has_all = t && t->rank_at && t->position_of &&
                   (t->kind == MPI_CART ? t->dims && t->periods : t->index && t->edges);

    if (has_all)
        return t;
    ftc_virtual_topology_free(t);
    return NULL;
}

struct ftc_virtual_topology *ftc_virtual_topology_of_grid(int dimensions, const int *dims,
                                                          const int *periods)
{
    struct ftc_virtual_topology *t;
    int count = 1;

    for (int d = 0; d < dimensions; d++)
        count *= dims[d];
    t = make(MPI_CART, count);
    if (!t)
        return NULL;
    t->dimensions = dimensions;
    t->dims = copy(dims, dimensions);
    t->periods = copy(periods, dimensions);
    return complete(t);
}

struct ftc_virtual_topology *ftc_virtual_topology_of_graph(int nodes, const int *index,
                                                           const int *edges)
{
    struct ftc_virtual_topology *t = make(MPI_GRAPH, nodes);

    if (!t)
        return NULL;
    t->index = copy(index, nodes);
    t->edges = copy(edges, nodes > 0 ? index[nodes - 1] : 0);
    return complete(t);
}

struct ftc_virtual_topology *ftc_virtual_topology_of_part(const struct ftc_virtual_topology *grid,
                                                          const int *remain)
{
    int *dims = copy(grid->dims, grid->dimensions),
        *periods = copy(grid->periods, grid->dimensions);
    struct ftc_virtual_topology *t = NULL;
    int kept = 0;

    for (int d = 0; dims && periods && d < grid->dimensions; d++) {
        if (!remain[d])
            continue;
        dims[kept] = grid->dims[d];
        periods[kept++] = grid->periods[d];
    }
    if (dims && periods)
        t = ftc_virtual_topology_of_grid(kept, dims, periods);
    free(dims);
    free(periods);
    return t;
}

/* Returns a copy of @t; NULL without memory. */
static struct ftc_virtual_topology *copy_of(const struct ftc_virtual_topology *t)
{
    struct ftc_virtual_topology *to =
        t->kind == MPI_CART ? ftc_virtual_topology_of_grid(t->dimensions, t->dims, t->periods)
                            : ftc_virtual_topology_of_graph(t->count, t->index, t->edges);

    if (!to)
        return NULL;
    memcpy(to->rank_at, t->rank_at, (size_t)t->count * sizeof *to->rank_at);
    memcpy(to->position_of, t->position_of, (size_t)t->ranks * sizeof *to->position_of);
    to->ranks = t->ranks;
    return to;
}

void ftc_virtual_topology_number(struct ftc_virtual_topology *t, const bool *is_taken)
{
    t->ranks = 0;
    for (int position = 0; position < t->count; position++) {
        t->rank_at[position] = is_taken[position] ? t->ranks : MPI_PROC_NULL;
        if (is_taken[position])
            t->position_of[t->ranks++] = position;
    }
}

static struct ftc_virtual_topology *full_grid(MPI_Comm comm, int dimensions)
{
    size_t count = (size_t)dimensions + 1;
    int *dims = calloc(count, sizeof *dims), *periods = calloc(count, sizeof *periods);
    int *own = calloc(count, sizeof *own);
    struct ftc_virtual_topology *t = NULL;

    if (dims && periods && own &&
        PMPI_Cart_get(comm, dimensions, dims, periods, own) == MPI_SUCCESS)
        t = ftc_virtual_topology_of_grid(dimensions, dims, periods);
    free(dims);
    free(periods);
    free(own);
    return t;
}

struct ftc_virtual_topology *ftc_virtual_topology_of_full_grid(MPI_Comm comm)
{
    int kind, dimensions;
    struct ftc_virtual_topology *t;

    if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind != MPI_CART ||
        PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS)
        return NULL;
    t = full_grid(comm, dimensions);
    for (int position = 0; t && position < t->count; position++)
        t->rank_at[position] = t->position_of[position] = position;
    if (t)
        t->ranks = t->count;
    return t;
}

bool ftc_virtual_topology_is_full(const struct ftc_virtual_topology *t)
{
    return t->ranks == t->count;
}

/* ---- asking ---- */

void ftc_virtual_topology_coordinates(const struct ftc_virtual_topology *grid, int position,
                                      int *coordinates)
{
    for (int d = grid->dimensions - 1; d >= 0; d--) {
        coordinates[d] = position % grid->dims[d];
        position /= grid->dims[d];
    }
}

/* Returns @coordinate within the extent of @dimension, wrapped around if the dimension is periodic;
 * -1 beyond the edge. */
static int wrapped(const struct ftc_virtual_topology *grid, int dimension, int coordinate)
{
    int extent = grid->dims[dimension];

    if (grid->periods[dimension])
        return (coordinate % extent + extent) % extent;
    return coordinate >= 0 && coordinate < extent ? coordinate : -1;
}

int ftc_virtual_topology_position(const struct ftc_virtual_topology *grid, const int *coordinates)
{
    int position = 0;

    for (int d = 0; d < grid->dimensions; d++) {
        int coordinate = wrapped(grid, d, coordinates[d]);

        if (coordinate < 0)
            return -1;
        position = position * grid->dims[d] + coordinate;
    }
    return position;
}

int ftc_virtual_topology_shifted(const struct ftc_virtual_topology *grid, int rank, int dimension,
                                 int64_t by)
{
    int position = grid->position_of[rank], stride = 1, extent = grid->dims[dimension], from, to;

    for (int d = grid->dimensions - 1; d > dimension; d--)
        stride *= grid->dims[d];
    if (grid->periods[dimension])
        by %= extent;
    if (by >= extent || by <= -extent)
        return MPI_PROC_NULL;
    from = position / stride % extent;
    to = wrapped(grid, dimension, from + (int)by);
    return to < 0 ? MPI_PROC_NULL : grid->rank_at[position + (to - from) * stride];
}

static int first_edge(const struct ftc_virtual_topology *graph, int position)
{
    return position > 0 ? graph->index[position - 1] : 0;
}

int ftc_virtual_topology_neighbor_count(const struct ftc_virtual_topology *t, int rank)
{
    int position = t->position_of[rank];

    return t->kind == MPI_CART ? 2 * t->dimensions : t->index[position] - first_edge(t, position);
}

void ftc_virtual_topology_neighbors(const struct ftc_virtual_topology *t, int rank, int *neighbor)
{
    int first = t->kind == MPI_GRAPH ? first_edge(t, t->position_of[rank]) : 0;

    for (int i = 0; i < ftc_virtual_topology_neighbor_count(t, rank); i++)
        neighbor[i] = t->kind == MPI_GRAPH
                          ? t->rank_at[t->edges[first + i]]
                          : ftc_virtual_topology_shifted(t, rank, i / 2, i % 2 ? 1 : -1);
}

/* ---- keeping ---- */

static void forget(MPI_Comm comm, void *kept)
{
    (void)comm;
    ftc_virtual_topology_free(kept);
}

void ftc_virtual_topology_open(void)
{
    ftc_attribute_on_free(FTC_SECTION_VIRTUAL_TOPOLOGY, forget);
}

bool ftc_virtual_topology_keep(MPI_Comm comm, struct ftc_virtual_topology *t)
{
    any_kept = true;
    return ftc_attribute_keep(comm, FTC_SECTION_VIRTUAL_TOPOLOGY, t);
}

const struct ftc_virtual_topology *ftc_virtual_topology_get(MPI_Comm comm)
{
    return any_kept && ftc_is_comm(comm) ? ftc_attribute_get(comm, FTC_SECTION_VIRTUAL_TOPOLOGY)
                                         : NULL;
}

bool ftc_virtual_topology_inherit(MPI_Comm from, MPI_Comm to)
{
    const struct ftc_virtual_topology *kept = ftc_virtual_topology_get(from);
    struct ftc_virtual_topology *copy = kept ? copy_of(kept) : NULL;

    if (!kept || (copy && ftc_virtual_topology_keep(to, copy)))
        return true;
    ftc_virtual_topology_free(copy);
    return false;
}
