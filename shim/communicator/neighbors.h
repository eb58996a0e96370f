/* neighbors: the ranks that a rank sends to and receives from in the topology of a communicator. */
#ifndef FTC_COMMUNICATOR_NEIGHBORS_H
#define FTC_COMMUNICATOR_NEIGHBORS_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

struct ftc_neighbors {
    int sources, destinations;
    int *source, *destination; /* ranks; some may be MPI_PROC_NULL or occur twice */
};

/* Gets the neighbors of this rank in MPI's order. Returns false if @comm has no topology, or
 * without memory. Asks MPI, which knows them without communication. ftc_neighbors_free() frees the
 * arrays. */
bool ftc_neighbors_get(MPI_Comm comm, struct ftc_neighbors *neighbors);
void ftc_neighbors_free(struct ftc_neighbors *neighbors);

/* Sets only the numbers of neighbors; nothing has to be freed. Returns false if @comm has no
 * topology. */
bool ftc_neighbors_count(MPI_Comm comm, struct ftc_neighbors *neighbors);

#endif
