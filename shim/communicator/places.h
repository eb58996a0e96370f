/* places: a grid or graph some of whose places are empty, because the ranks that would have them
 * are dead.
 *
 * The ranks of such a communicator are fewer than its places, and no topology of MPI has more
 * places than ranks. So MPI is told only of each rank's neighbors (MPI_Dist_graph_create_adjacent),
 * for collectives of the neighborhood, and what MPI_Cart_coords and its kind are asked is answered
 * from here. An empty place is MPI_PROC_NULL, as is one beyond the edge of a grid. */
#ifndef FTC_COMMUNICATOR_PLACES_H
#define FTC_COMMUNICATOR_PLACES_H

#include "mpi/mpi_library.h"

#include <stdbool.h>
#include <stdint.h>

struct ftc_places {
    int kind;      /* MPI_CART or MPI_GRAPH */
    int count;     /* of places, in MPI's order: of a grid the last coordinate is the fastest */
    int *rank_at;  /* by place; MPI_PROC_NULL: empty */
    int ranks;     /* that have a place, 0 ... ranks - 1 */
    int *place_of; /* by rank */

    int dimensions;      /* MPI_CART */
    int *dims, *periods; /* by dimension */
    int *index, *edges;  /* MPI_GRAPH: as MPI_Graph_create takes them; edges lead to places */
};

/* Copies of what MPI_Cart_create() and MPI_Graph_create() are given; all places are empty. To be
 * freed, or kept. NULL without memory. */
struct ftc_places *ftc_places_of_grid(int dimensions, const int *dims, const int *periods);
struct ftc_places *ftc_places_of_graph(int nodes, const int *index, const int *edges);
void ftc_places_free(struct ftc_places *p);

/* A grid without those dimensions that @remain does not name. NULL without memory. */
struct ftc_places *ftc_places_of_part(const struct ftc_places *grid, const int *remain);

/* That of a grid which MPI knows, all of whose places have their ranks; NULL if @comm has none. */
struct ftc_places *ftc_places_of_full_grid(MPI_Comm comm);

/* NULL without memory. */
struct ftc_places *ftc_places_copy(const struct ftc_places *p);

/* Gives each of the @count places a rank of its own, in their order; @is_taken tells by place. */
void ftc_places_number(struct ftc_places *p, const bool *is_taken);

bool ftc_places_are_full(const struct ftc_places *p);

/* @place from and to coordinates. Those to place wrap around in periodic dimensions; -1: beyond the
 * edge. */
void ftc_places_coordinates(const struct ftc_places *grid, int place, int *coordinates);
int ftc_places_at(const struct ftc_places *grid, const int *coordinates);

/* The rank that is @by places further in @dimension than @rank, or MPI_PROC_NULL. */
int ftc_places_shifted(const struct ftc_places *grid, int rank, int dimension, int64_t by);

/* How many neighbors @rank has, empty places included, and which, in MPI's order. */
int ftc_places_neighbor_count(const struct ftc_places *p, int rank);
void ftc_places_neighbors(const struct ftc_places *p, int rank, int *neighbor);

/* Keeps @p, which is not freed any more, as the topology of @comm; false without memory. */
bool ftc_places_keep(MPI_Comm comm, struct ftc_places *p);

/* Keeps a copy of what @from has, if anything, as the topology of @to; false without memory. */
bool ftc_places_inherit(MPI_Comm from, MPI_Comm to);

/* Returns the places kept of @comm, which may be any handle; NULL: MPI knows its topology. */
const struct ftc_places *ftc_places_of(MPI_Comm comm);

/* In MPI_Init. */
void ftc_places_open(void);

#endif
