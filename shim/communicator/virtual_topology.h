/* virtual_topology: a grid or graph with empty positions, whose ranks are dead.
 *
 * Such a communicator has fewer ranks than positions, which no topology of MPI allows. MPI is
 * therefore given only each rank's neighbors (MPI_Dist_graph_create_adjacent), for neighborhood
 * collectives. The library answers MPI_Cart_coords and similar calls itself. An empty position is
 * MPI_PROC_NULL, as is one beyond the edge of a grid. */
#ifndef FTC_COMMUNICATOR_VIRTUAL_TOPOLOGY_H
#define FTC_COMMUNICATOR_VIRTUAL_TOPOLOGY_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

struct ftc_virtual_topology {
    int kind;         /* MPI_CART or MPI_GRAPH */
    int count;        /* number of positions; the last coordinate of a grid varies fastest */
    int *rank_at;     /* by position: rank; MPI_PROC_NULL: empty */
    int ranks;        /* number of ranks, each of which has a position */
    int *position_of; /* by rank: position */

    int dimensions;      /* MPI_CART */
    int *dims, *periods; /* by dimension */
    int *index, *edges;  /* MPI_GRAPH, as in MPI_Graph_create; edges lead to positions */
};

/* Makes a topology from the arguments of MPI_Cart_create(), which it copies. All positions are
 * empty. The caller frees or keeps the topology. Returns NULL without memory. */
struct ftc_virtual_topology *ftc_virtual_topology_of_grid(int dimensions, const int *dims,
                                                          const int *periods);
/* As above, but from the arguments of MPI_Graph_create(). */
struct ftc_virtual_topology *ftc_virtual_topology_of_graph(int nodes, const int *index,
                                                           const int *edges);
void ftc_virtual_topology_free(struct ftc_virtual_topology *t);

/* Makes a grid from those dimensions of @grid for which @remain is not 0. All positions are empty.
 * The caller frees or keeps the grid. Returns NULL without memory. */
struct ftc_virtual_topology *ftc_virtual_topology_of_part(const struct ftc_virtual_topology *grid,
                                                          const int *remain);

/* Makes a copy of the grid that MPI knows of @comm, with a rank at each position. The caller frees
 * or keeps it. Returns NULL if @comm has no grid, or without memory. */
struct ftc_virtual_topology *ftc_virtual_topology_of_full_grid(MPI_Comm comm);

/* Numbers the ranks in the order of their positions. @is_taken says, by position, whether there is
 * a rank. */
void ftc_virtual_topology_number(struct ftc_virtual_topology *t, const bool *is_taken);

bool ftc_virtual_topology_is_full(const struct ftc_virtual_topology *t);

/* Writes the coordinates of @position. */
void ftc_virtual_topology_coordinates(const struct ftc_virtual_topology *grid, int position,
                                      int *coordinates);

/* Returns the position at @coordinates, which wrap around in periodic dimensions, or -1 beyond the
 * edge. */
int ftc_virtual_topology_position(const struct ftc_virtual_topology *grid, const int *coordinates);

/* Returns the rank that is @by positions further in @dimension than @rank. Returns MPI_PROC_NULL at
 * an empty position and beyond the edge. */
int ftc_virtual_topology_shifted(const struct ftc_virtual_topology *grid, int rank, int dimension,
                                 int64_t by);

/* Returns how many neighbors @rank has, empty positions included. */
int ftc_virtual_topology_neighbor_count(const struct ftc_virtual_topology *t, int rank);

/* Writes the neighbors of @rank in MPI's order. */
void ftc_virtual_topology_neighbors(const struct ftc_virtual_topology *t, int rank, int *neighbor);

/* Keeps @t as the topology of @comm, which then owns @t. Returns false without memory; the caller
 * still owns @t then. */
bool ftc_virtual_topology_keep(MPI_Comm comm, struct ftc_virtual_topology *t);

/* Gives @to a copy of the virtual topology of @from, if it has one. Returns false without
 * memory. */
bool ftc_virtual_topology_inherit(MPI_Comm from, MPI_Comm to);

/* Returns the virtual topology of @comm, which may be any handle, or NULL if it has none. */
const struct ftc_virtual_topology *ftc_virtual_topology_get(MPI_Comm comm);

/* Sets the callback that frees virtual topologies. Called in MPI_Init. */
void ftc_virtual_topology_open(void);

#endif
