/* virtual_topology: a grid or graph that has empty positions because their ranks are dead.
 *
 * Such a communicator has fewer ranks than positions, which no topology of MPI allows. MPI is
 * therefore told only each rank's neighbors (MPI_Dist_graph_create_adjacent), for neighborhood
 * collectives. MPI_Cart_coords and its kin are answered from here. An empty position is
 * MPI_PROC_NULL, as is one beyond the edge of a grid. */
#ifndef FTC_COMMUNICATOR_VIRTUAL_TOPOLOGY_H
#define FTC_COMMUNICATOR_VIRTUAL_TOPOLOGY_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

struct ftc_virtual_topology {
    int kind;         /* MPI_CART or MPI_GRAPH */
    int count;        /* positions, in MPI's order: the last coordinate of a grid runs fastest */
    int *rank_at;     /* by position; MPI_PROC_NULL: empty */
    int ranks;        /* ranks with a position: 0 ... ranks - 1 */
    int *position_of; /* by rank */

    int dimensions;      /* MPI_CART */
    int *dims, *periods; /* by dimension */
    int *index, *edges;  /* MPI_GRAPH: as for MPI_Graph_create; edges lead to positions */
};

/* Makes a topology from the arguments of MPI_Cart_create() or MPI_Graph_create(), which it copies.
 * All positions are empty. The caller frees or keeps it. Returns NULL without memory. */
struct ftc_virtual_topology *ftc_virtual_topology_of_grid(int dimensions, const int *dims,
                                                          const int *periods);
struct ftc_virtual_topology *ftc_virtual_topology_of_graph(int nodes, const int *index,
                                                           const int *edges);
void ftc_virtual_topology_free(struct ftc_virtual_topology *t);

/* Makes a grid with those dimensions of @grid that @remain names. Returns NULL without memory. */
struct ftc_virtual_topology *ftc_virtual_topology_of_part(const struct ftc_virtual_topology *grid,
                                                          const int *remain);

/* Makes a copy of the grid that MPI knows of @comm, with all ranks. Returns NULL if it has none. */
struct ftc_virtual_topology *ftc_virtual_topology_of_full_grid(MPI_Comm comm);

/* Numbers the ranks by the order of their positions. @is_taken: whether a position has a rank. */
void ftc_virtual_topology_number(struct ftc_virtual_topology *t, const bool *is_taken);

bool ftc_virtual_topology_is_full(const struct ftc_virtual_topology *t);

/* Writes the coordinates of @position. */
void ftc_virtual_topology_coordinates(const struct ftc_virtual_topology *grid, int position,
                                      int *coordinates);

/* Returns the position at @coordinates, which wrap around in periodic dimensions; -1: beyond the
 * edge. */
int ftc_virtual_topology_position(const struct ftc_virtual_topology *grid, const int *coordinates);

/* Returns the rank @by positions further in @dimension than @rank, or MPI_PROC_NULL. */
int ftc_virtual_topology_shifted(const struct ftc_virtual_topology *grid, int rank, int dimension,
                                 int64_t by);

/* Returns how many neighbors @rank has, empty positions included. */
int ftc_virtual_topology_neighbor_count(const struct ftc_virtual_topology *t, int rank);

/* Writes the neighbors of @rank in MPI's order. */
void ftc_virtual_topology_neighbors(const struct ftc_virtual_topology *t, int rank, int *neighbor);

/* Keeps @t as the topology of @comm, which owns it from then on. Returns false without memory. */
bool ftc_virtual_topology_keep(MPI_Comm comm, struct ftc_virtual_topology *t);

/* Keeps a copy of the topology kept of @from, if any, with @to. Returns false without memory. */
bool ftc_virtual_topology_inherit(MPI_Comm from, MPI_Comm to);

/* Returns the topology kept of @comm, which may be any handle. NULL: MPI knows its topology. */
const struct ftc_virtual_topology *ftc_virtual_topology_get(MPI_Comm comm);

/* In MPI_Init. */
void ftc_virtual_topology_open(void);

#endif
