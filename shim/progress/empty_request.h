/* empty_request: requests that stand for no message and no operation. Their status is an empty one
 * (MPI 4.0, section 3.7.3).
 *
 * No persistent request to MPI_PROC_NULL is among them, also for a moment: MPICH 4.0.2 uses its
 * memory again, and MPI_Start then does nothing for a persistent collective there, because
 * MPID_Startall() finds the old MPI_PROC_NULL before it asks which kind of request it is. */
#ifndef FTC_PROGRESS_EMPTY_REQUEST_H
#define FTC_PROGRESS_EMPTY_REQUEST_H

#include "mpi/mpi_library.h"

/* Fills *@request with one that is complete once it is given to PMPI_Grequest_complete(). Returns
 * an MPI error code. */
int ftc_empty_request(MPI_Request *request);

/* Makes a request that is complete, for an operation that is done when its call returns. */
int ftc_completed_request(MPI_Request *request);

/* Makes an inactive persistent request, which native MPI takes for complete. It is not started. */
int ftc_inactive_request(MPI_Request *request);

/* Returns the rank that a persistent request is made for instead of @peer, if it is never started.
 */
static inline int ftc_inactive_peer(int peer)
{
    return peer == MPI_PROC_NULL ? 0 : peer;
}

#endif
