/* completed: a request for what is done when its call returns. */
#ifndef FTC_NEW_COMMUNICATORS_COMPLETED_H
#define FTC_NEW_COMMUNICATORS_COMPLETED_H

#include "mpi/mpi_library.h"

/* Fills *@request with a request that is complete. Returns an MPI error code. */
int ftc_completed_request(MPI_Request *request);

#endif
