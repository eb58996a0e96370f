#include "neighbors.h"

#include <stdlib.h>

static bool make_room(struct ftc_neighbors *n)
{
    n->source = calloc((size_t)n->sources + 1, sizeof *n->source);
    n->destination = calloc((size_t)n->destinations + 1, sizeof *n->destination);
    return n->source && n->destination;
}

/* Counts two neighbors in each dimension. */
static bool count_in_grid(MPI_Comm comm, struct ftc_neighbors *n)
{
    int dimensions;

    if (PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS)
        return false;
    n->sources = n->destinations = 2 * dimensions;
    return true;
}

static bool get_of_grid(MPI_Comm comm, struct ftc_neighbors *n)
{
    for (int d = 0; d < n->sources / 2; d++) {
        PMPI_Cart_shift(comm, d, 1, &n->source[2 * d], &n->source[2 * d + 1]);
        n->destination[2 * d] = n->source[2 * d];
        n->destination[2 * d + 1] = n->source[2 * d + 1];
    }
    return true;
}

static bool count_in_graph(MPI_Comm comm, struct ftc_neighbors *n)
{
    int rank, count;

    if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
        PMPI_Graph_neighbors_count(comm, rank, &count) != MPI_SUCCESS)
        return false;
    n->sources = n->destinations = count;
    return true;
}

static bool get_of_graph(MPI_Comm comm, struct ftc_neighbors *n)
{
    int rank;

    return PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS &&
           PMPI_Graph_neighbors(comm, rank, n->sources, n->source) == MPI_SUCCESS &&
           PMPI_Graph_neighbors(comm, rank, n->destinations, n->destination) == MPI_SUCCESS;
}

static bool count_in_distributed_graph(MPI_Comm comm, struct ftc_neighbors *n)
{
    int is_weighted;

    return PMPI_Dist_graph_neighbors_count(comm, &n->sources, &n->destinations, &is_weighted) ==
           MPI_SUCCESS;
}

/* Gets the neighbors, and weights that are not needed. MPI_UNWEIGHTED cannot be used: it is a
 * symbol of the MPI library, which need not be loaded when this library is. */
static bool get_of_distributed_graph(MPI_Comm comm, struct ftc_neighbors *n)
{
    int *weights = calloc((size_t)n->sources + (size_t)n->destinations + 1, sizeof *weights);
    bool has_them =
        weights && PMPI_Dist_graph_neighbors(comm, n->sources, n->source, weights, n->destinations,
                                             n->destination, weights + n->sources) == MPI_SUCCESS;

    free(weights);
    return has_them;
}

/* Functions that ask MPI about a topology, first for the numbers of neighbors, then for the
 * neighbors. */
struct topology {
    bool (*count)(MPI_Comm comm, struct ftc_neighbors *n);
    bool (*get)(MPI_Comm comm, struct ftc_neighbors *n);
};

/* Returns NULL if @comm has no topology. */
static const struct topology *topology_of(MPI_Comm comm)
{
    static const struct topology grid = {count_in_grid, get_of_grid},
                                 graph = {count_in_graph, get_of_graph},
                                 distributed = {count_in_distributed_graph,
                                                get_of_distributed_graph};
    int kind;

    if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS)
        return NULL;
    switch (kind) {
    case MPI_CART:
        return &grid;
    case MPI_GRAPH:
        return &graph;
    case MPI_DIST_GRAPH:
        return &distributed;
    default:
        return NULL;
    }
}

bool ftc_neighbors_count(MPI_Comm comm, struct ftc_neighbors *neighbors)
{
    const struct topology *topology = topology_of(comm);

    *neighbors = (struct ftc_neighbors){0};
    return topology && topology->count(comm, neighbors);
}

bool ftc_neighbors_get(MPI_Comm comm, struct ftc_neighbors *neighbors)
{
    const struct topology *topology = topology_of(comm);

    *neighbors = (struct ftc_neighbors){0};
    if (topology && topology->count(comm, neighbors) && make_room(neighbors) &&
        topology->get(comm, neighbors))
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
