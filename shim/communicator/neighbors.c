#include "neighbors.h"

#include <stdlib.h>

static bool make_room(struct ftc_neighbors *n, int sources, int destinations)
{
    n->sources = sources;
    n->destinations = destinations;
    n->source = calloc((size_t)sources + 1, sizeof *n->source);
    n->destination = calloc((size_t)destinations + 1, sizeof *n->destination);
    return n->source && n->destination;
}

/* Both ways in each dimension. */
static bool get_of_grid(MPI_Comm comm, struct ftc_neighbors *n)
{
    int dimensions;

    if (PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS ||
        !make_room(n, 2 * dimensions, 2 * dimensions))
        return false;
    for (int d = 0; d < dimensions; d++) {
        PMPI_Cart_shift(comm, d, 1, &n->source[2 * d], &n->source[2 * d + 1]);
        n->destination[2 * d] = n->source[2 * d];
        n->destination[2 * d + 1] = n->source[2 * d + 1];
    }
    return true;
}

static bool get_of_graph(MPI_Comm comm, struct ftc_neighbors *n)
{
    int rank, count;

    if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
        PMPI_Graph_neighbors_count(comm, rank, &count) != MPI_SUCCESS ||
        !make_room(n, count, count))
        return false;
    return PMPI_Graph_neighbors(comm, rank, count, n->source) == MPI_SUCCESS &&
           PMPI_Graph_neighbors(comm, rank, count, n->destination) == MPI_SUCCESS;
}

/* The weights are not needed, but MPI_UNWEIGHTED is a symbol of the MPI library, which need not be
 * loaded when this one is. */
static bool get_of_distributed_graph(MPI_Comm comm, struct ftc_neighbors *n)
{
    int in, out, is_weighted, *weights;
    bool has_them;

    if (PMPI_Dist_graph_neighbors_count(comm, &in, &out, &is_weighted) != MPI_SUCCESS ||
        !make_room(n, in, out))
        return false;
    weights = calloc((size_t)in + (size_t)out + 1, sizeof *weights);
    has_them = weights && PMPI_Dist_graph_neighbors(comm, in, n->source, weights, out,
                                                    n->destination, weights + in) == MPI_SUCCESS;
    free(weights);
    return has_them;
}

static bool get(MPI_Comm comm, struct ftc_neighbors *n)
{
    int kind;

    if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS)
        return false;
    switch (kind) {
    case MPI_CART:
        return get_of_grid(comm, n);
    case MPI_GRAPH:
        return get_of_graph(comm, n);
    case MPI_DIST_GRAPH:
        return get_of_distributed_graph(comm, n);
    default:
        return false;
    }
}

bool ftc_neighbors_get(MPI_Comm comm, struct ftc_neighbors *neighbors)
{
    *neighbors = (struct ftc_neighbors){0};
    if (get(comm, neighbors))
        return true;
    ftc_neighbors_free(neighbors);
    return false;
}

void ftc_neighbors_free(struct ftc_neighbors *neighbors)
{
    free(neighbors->source);
    free(neighbors->destination);
    *neighbors = (struct ftc_neighbors){0};
}
