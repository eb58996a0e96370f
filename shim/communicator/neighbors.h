/* neighbors: whom a rank sends to, and receives from, by the topology of a communicator. */
#ifndef FTC_COMMUNICATOR_NEIGHBORS_H
#define FTC_COMMUNICATOR_NEIGHBORS_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

struct ftc_neighbors {
    int sources, destinations;
    int *source, *destination; /* ranks, some of which may be MPI_PROC_NULL or stand there twice */
};

/* In the order in which MPI has them. False if @comm has no topology, or without memory. Asks MPI,
 * which knows without communication. */
bool ftc_neighbors_get(MPI_Comm comm, struct ftc_neighbors *neighbors);
void ftc_neighbors_free(struct ftc_neighbors *neighbors);

/* Sets the numbers alone; nothing is to be freed. False if @comm has no topology. */
bool ftc_neighbors_count(MPI_Comm comm, struct ftc_neighbors *neighbors);

#endif
