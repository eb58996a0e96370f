#include "places.h"

#include "attribute.h"
#include "value/datatype.h"

#include <stdlib.h>
#include <string.h>

static bool any_kept; /* of any communicator, ever */

/* ---- making ---- */

/* NULL without memory. */
static int *copy(const int *from, int count)
{
    int *to = calloc((size_t)count + 1, sizeof *to);

    if (to && count > 0)
        memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

void ftc_places_free(struct ftc_places *p)
{
    if (!p)
        return;
    free(p->rank_at);
    free(p->place_of);
    free(p->dims);
    free(p->periods);
    free(p->index);
    free(p->edges);
    free(p);
}

static struct ftc_places *make(int kind, int count)
{
    struct ftc_places *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->kind = kind;
    p->count = count;
    p->rank_at = malloc(((size_t)count + 1) * sizeof *p->rank_at);
    p->place_of = calloc((size_t)count + 1, sizeof *p->place_of);
    for (int i = 0; p->rank_at && i < count; i++)
        p->rank_at[i] = MPI_PROC_NULL;
    return p;
}

/* NULL if something is missing. */
static struct ftc_places *complete(struct ftc_places *p)
{
    bool has_all = p && p->rank_at && p->place_of &&
                   (p->kind == MPI_CART ? p->dims && p->periods : p->index && p->edges);

    if (has_all)
        return p;
    ftc_places_free(p);
    return NULL;
}

struct ftc_places *ftc_places_of_grid(int dimensions, const int *dims, const int *periods)
{
    struct ftc_places *p;
    int count = 1;

    for (int d = 0; d < dimensions; d++)
        count *= dims[d];
    p = make(MPI_CART, count);
    if (!p)
        return NULL;
    p->dimensions = dimensions;
    p->dims = copy(dims, dimensions);
    p->periods = copy(periods, dimensions);
    return complete(p);
}

struct ftc_places *ftc_places_of_graph(int nodes, const int *index, const int *edges)
{
    struct ftc_places *p = make(MPI_GRAPH, nodes);

    if (!p)
        return NULL;
    p->index = copy(index, nodes);
    p->edges = copy(edges, nodes > 0 ? index[nodes - 1] : 0);
    return complete(p);
}

struct ftc_places *ftc_places_of_part(const struct ftc_places *grid, const int *remain)
{
    int *dims = copy(grid->dims, grid->dimensions),
        *periods = copy(grid->periods, grid->dimensions);
    struct ftc_places *p = NULL;
    int kept = 0;

    for (int d = 0; dims && periods && d < grid->dimensions; d++) {
        if (!remain[d])
            continue;
        dims[kept] = grid->dims[d];
        periods[kept++] = grid->periods[d];
    }
    if (dims && periods)
        p = ftc_places_of_grid(kept, dims, periods);
    free(dims);
    free(periods);
    return p;
}

struct ftc_places *ftc_places_copy(const struct ftc_places *p)
{
    struct ftc_places *to = p->kind == MPI_CART
                                ? ftc_places_of_grid(p->dimensions, p->dims, p->periods)
                                : ftc_places_of_graph(p->count, p->index, p->edges);

    if (!to)
        return NULL;
    memcpy(to->rank_at, p->rank_at, (size_t)p->count * sizeof *to->rank_at);
    memcpy(to->place_of, p->place_of, (size_t)p->ranks * sizeof *to->place_of);
    to->ranks = p->ranks;
    return to;
}

void ftc_places_number(struct ftc_places *p, const bool *is_taken)
{
    p->ranks = 0;
    for (int place = 0; place < p->count; place++) {
        p->rank_at[place] = is_taken[place] ? p->ranks : MPI_PROC_NULL;
        if (is_taken[place])
            p->place_of[p->ranks++] = place;
    }
}

static struct ftc_places *full_grid(MPI_Comm comm, int dimensions)
{
    size_t count = (size_t)dimensions + 1;
    int *dims = calloc(count, sizeof *dims), *periods = calloc(count, sizeof *periods);
    int *own = calloc(count, sizeof *own);
    struct ftc_places *p = NULL;

    if (dims && periods && own &&
        PMPI_Cart_get(comm, dimensions, dims, periods, own) == MPI_SUCCESS)
        p = ftc_places_of_grid(dimensions, dims, periods);
    free(dims);
    free(periods);
    free(own);
    return p;
}

struct ftc_places *ftc_places_of_full_grid(MPI_Comm comm)
{
    int kind, dimensions;
    struct ftc_places *p;

    if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind != MPI_CART ||
        PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS)
        return NULL;
    p = full_grid(comm, dimensions);
    for (int place = 0; p && place < p->count; place++)
        p->rank_at[place] = p->place_of[place] = place;
    if (p)
        p->ranks = p->count;
    return p;
}

bool ftc_places_are_full(const struct ftc_places *p)
{
    return p->ranks == p->count;
}

/* ---- asking ---- */

void ftc_places_coordinates(const struct ftc_places *grid, int place, int *coordinates)
{
    for (int d = grid->dimensions - 1; d >= 0; d--) {
        coordinates[d] = place % grid->dims[d];
        place /= grid->dims[d];
    }
}

/* -1: beyond the edge. */
static int wrapped(const struct ftc_places *grid, int dimension, int coordinate)
{
    int extent = grid->dims[dimension];

    if (grid->periods[dimension])
        return (coordinate % extent + extent) % extent;
    return coordinate >= 0 && coordinate < extent ? coordinate : -1;
}

int ftc_places_at(const struct ftc_places *grid, const int *coordinates)
{
    int place = 0;

    for (int d = 0; d < grid->dimensions; d++) {
        int coordinate = wrapped(grid, d, coordinates[d]);

        if (coordinate < 0)
            return -1;
        place = place * grid->dims[d] + coordinate;
    }
    return place;
}

int ftc_places_shifted(const struct ftc_places *grid, int rank, int dimension, int64_t by)
{
    int place = grid->place_of[rank], stride = 1, extent = grid->dims[dimension], from, to;

    for (int d = grid->dimensions - 1; d > dimension; d--)
        stride *= grid->dims[d];
    if (grid->periods[dimension])
        by %= extent;
    if (by >= extent || by <= -extent)
        return MPI_PROC_NULL;
    from = place / stride % extent;
    to = wrapped(grid, dimension, from + (int)by);
    return to < 0 ? MPI_PROC_NULL : grid->rank_at[place + (to - from) * stride];
}

static int first_edge(const struct ftc_places *graph, int place)
{
    return place > 0 ? graph->index[place - 1] : 0;
}

int ftc_places_neighbor_count(const struct ftc_places *p, int rank)
{
    int place = p->place_of[rank];

    return p->kind == MPI_CART ? 2 * p->dimensions : p->index[place] - first_edge(p, place);
}

void ftc_places_neighbors(const struct ftc_places *p, int rank, int *neighbor)
{
    int first = p->kind == MPI_GRAPH ? first_edge(p, p->place_of[rank]) : 0;

    for (int i = 0; i < ftc_places_neighbor_count(p, rank); i++)
        neighbor[i] = p->kind == MPI_GRAPH ? p->rank_at[p->edges[first + i]]
                                           : ftc_places_shifted(p, rank, i / 2, i % 2 ? 1 : -1);
}

/* ---- keeping ---- */

static void forget(MPI_Comm comm, void *kept)
{
    (void)comm;
    ftc_places_free(kept);
}

void ftc_places_open(void)
{
    ftc_attribute_on_free(FTC_SECTION_PLACES, forget);
}

bool ftc_places_keep(MPI_Comm comm, struct ftc_places *p)
{
    any_kept = true;
    return ftc_attribute_keep(comm, FTC_SECTION_PLACES, p);
}

const struct ftc_places *ftc_places_of(MPI_Comm comm)
{
    return any_kept && ftc_is_comm(comm) ? ftc_attribute_get(comm, FTC_SECTION_PLACES) : NULL;
}

bool ftc_places_inherit(MPI_Comm from, MPI_Comm to)
{
    const struct ftc_places *kept = ftc_places_of(from);
    struct ftc_places *copy = kept ? ftc_places_copy(kept) : NULL;

    if (!kept || (copy && ftc_places_keep(to, copy)))
        return true;
    ftc_places_free(copy);
    return false;
}
