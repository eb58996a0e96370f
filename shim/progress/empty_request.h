/* empty_request: requests that stand for no message and no operation. Their status is an empty one
 * (MPI 4.0, section 3.7.3). */
#ifndef FTC_PROGRESS_EMPTY_REQUEST_H
#define FTC_PROGRESS_EMPTY_REQUEST_H

#include "mpi/mpi_library.h"

/* Fills *@request with one that is complete once it is given to PMPI_Grequest_complete(). Returns
 * an MPI error code. */
int ftc_empty_request(MPI_Request *request);

/* The same with one that is complete: of what is done when its call returns. */
int ftc_completed_request(MPI_Request *request);

#endif
