/* Wrappers of calls that make a communicator with a topology, and of calls that query it. If
 * positions are empty because ranks are dead, native MPI does not know the topology. */
#include "communicator/error_handler.h"
#include "communicator/lineage.h"
#include "communicator/virtual_topology.h"
#include "entries.h"
#include "new_communicators/create.h"
#include "program/native_call.h"

#include <string.h>

/* ---- making ---- */

/* Defines the body of a call that makes a communicator of @old, for the survivors or natively. */
#define MAKE(of_kind, old, new, to_arrange, pmpi_call)                                             \
    struct ftc_arrangement arrangement = to_arrange;                                               \
    struct ftc_creation x = {                                                                      \
        .kind = FTC_CALL_##of_kind,                                                                \
        .comm = (old),                                                                             \
        .newcomm = (new),                                                                          \
        .arrangement = &arrangement,                                                               \
        .return_address = __builtin_return_address(0),                                             \
    };                                                                                             \
                                                                                                   \
    int rv = ftc_new_communicator_create(&x)                                                       \
                 ? x.result                                                                        \
                 : (ftc_lineage_expect(new), FTC_NATIVE_CALL(x.kind, x.comm, FTC_ALL_MEMBERS,      \
                                                             x.return_address, pmpi_call));        \
    return ftc_error_handler_from(old, new, ftc_lineage_from(old, new, rv))

#define ARRANGEMENT(...)                                                                           \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[],
                    int reorder, MPI_Comm *comm_cart)
{
    MAKE(CART_CREATE, comm_old, comm_cart,
         ARRANGEMENT(.ndims = ndims, .dims = dims, .periods = periods, .reorder = reorder),
         PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart));
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
    MAKE(CART_SUB, comm, newcomm, ARRANGEMENT(.remain_dims = remain_dims),
         PMPI_Cart_sub(comm, remain_dims, newcomm));
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[],
                     int reorder, MPI_Comm *comm_graph)
{
    MAKE(GRAPH_CREATE, comm_old, comm_graph,
         ARRANGEMENT(.nnodes = nnodes, .index = indx, .edges = edges, .reorder = reorder),
         PMPI_Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph));
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[],
                          const int destinations[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm *comm_dist_graph)
{
    MAKE(DIST_GRAPH_CREATE, comm_old, comm_dist_graph,
         ARRANGEMENT(.n = n, .sources = sources, .degrees = degrees, .destinations = destinations,
                     .weights = weights, .info = info, .reorder = reorder),
         PMPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder,
                                comm_dist_graph));
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[],
                                   const int sourceweights[], int outdegree,
                                   const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm *comm_dist_graph)
{
    MAKE(DIST_GRAPH_CREATE_ADJACENT, comm_old, comm_dist_graph,
         ARRANGEMENT(.indegree = indegree, .sources = sources, .source_weights = sourceweights,
                     .outdegree = outdegree, .destinations = destinations, .weights = destweights,
                     .info = info, .reorder = reorder),
         PMPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree,
                                         destinations, destweights, info, reorder,
                                         comm_dist_graph));
}

/* ---- queries: native MPI rejects invalid arguments ---- */

/* Returns the topology of @comm if it is of @kind. Returns NULL if native MPI has the answer. */
static const struct ftc_virtual_topology *topology_of(MPI_Comm comm, int kind)
{
    const struct ftc_virtual_topology *t = ftc_virtual_topology_get(comm);

    return t && t->kind == kind ? t : NULL;
}

static bool is_rank(const struct ftc_virtual_topology *t, int rank)
{
    return rank >= 0 && rank < t->ranks;
}

static int own_rank(MPI_Comm comm)
{
    int rank = 0;

    PMPI_Comm_rank(comm, &rank);
    return rank;
}

/* Copies as many values as there is room for. */
static void write_some(int *to, int room, const int *from, int count)
{
    if (room > 0 && count > 0)
        memcpy(to, from, (size_t)(room < count ? room : count) * sizeof *to);
}

int MPI_Topo_test(MPI_Comm comm, int *status)
{
    const struct ftc_virtual_topology *t = ftc_virtual_topology_get(comm);

    if (!t || !status)
        return PMPI_Topo_test(comm, status);
    *status = t->kind;
    return MPI_SUCCESS;
}

int MPI_Cartdim_get(MPI_Comm comm, int *ndims)
{
    const struct ftc_virtual_topology *t = topology_of(comm, MPI_CART);

    if (!t || !ndims)
        return PMPI_Cartdim_get(comm, ndims);
    *ndims = t->dimensions;
    return MPI_SUCCESS;
}

int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
    const struct ftc_virtual_topology *t = topology_of(comm, MPI_CART);

    if (!t || maxdims < t->dimensions || !dims || !periods || !coords)
        return PMPI_Cart_get(comm, maxdims, dims, periods, coords);
    write_some(dims, maxdims, t->dims, t->dimensions);
    write_some(periods, maxdims, t->periods, t->dimensions);
    ftc_virtual_topology_coordinates(t, t->position_of[own_rank(comm)], coords);
    return MPI_SUCCESS;
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
    const struct ftc_virtual_topology *t = topology_of(comm, MPI_CART);

    if (!t || !is_rank(t, rank) || maxdims < t->dimensions || !coords)
        return PMPI_Cart_coords(comm, rank, maxdims, coords);
    ftc_virtual_topology_coordinates(t, t->position_of[rank], coords);
    return MPI_SUCCESS;
}

int MPI_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
    const struct ftc_virtual_topology *t = topology_of(comm, MPI_CART);
    int position = t && coords && rank ? ftc_virtual_topology_position(t, coords) : -1;

    if (position < 0)
        return PMPI_Cart_rank(comm, coords, rank);
    *rank = t->rank_at[position];
    return MPI_SUCCESS;
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
    const struct ftc_virtual_topology *t = topology_of(comm, MPI_CART);
    int own;

    if (!t || direction < 0 || direction >= t->dimensions || !rank_source || !rank_dest)
        return PMPI_Cart_shift(comm, direction, disp, rank_source, rank_dest);
    own = own_rank(comm);
    *rank_source = ftc_virtual_topology_shifted(t, own, direction, -(int64_t)disp);
    *rank_dest = ftc_virtual_topology_shifted(t, own, direction, disp);
    return MPI_SUCCESS;
}

int MPI_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
    const struct ftc_virtual_topology *t = topology_of(comm, MPI_GRAPH);

    if (!t || !nnodes || !nedges)
        return PMPI_Graphdims_get(comm, nnodes, nedges);
    *nnodes = t->count;
    *nedges = t->index[t->count - 1];
    return MPI_SUCCESS;
}

int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[])
{
    const struct ftc_virtual_topology *t = topology_of(comm, MPI_GRAPH);

    if (!t || !indx || !edges)
        return PMPI_Graph_get(comm, maxindex, maxedges, indx, edges);
    write_some(indx, maxindex, t->index, t->count);
    write_some(edges, maxedges, t->edges, t->index[t->count - 1]);
    return MPI_SUCCESS;
}

int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
    const struct ftc_virtual_topology *t = topology_of(comm, MPI_GRAPH);

    if (!t || !is_rank(t, rank) || !nneighbors)
        return PMPI_Graph_neighbors_count(comm, rank, nneighbors);
    *nneighbors = ftc_virtual_topology_neighbor_count(t, rank);
    return MPI_SUCCESS;
}

int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
    const struct ftc_virtual_topology *t = topology_of(comm, MPI_GRAPH);

    if (!t || !is_rank(t, rank) || !neighbors ||
        maxneighbors < ftc_virtual_topology_neighbor_count(t, rank))
        return PMPI_Graph_neighbors(comm, rank, maxneighbors, neighbors);
    ftc_virtual_topology_neighbors(t, rank, neighbors);
    return MPI_SUCCESS;
}
