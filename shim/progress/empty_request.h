/* empty_request: requests that stand for no message and no operation. Their status is empty (MPI
 * 4.0, section 3.7.3).
 *
 * None of them is, even for a moment, a persistent request to MPI_PROC_NULL. MPICH 4.0.2 reuses the
 * memory of such a request. MPI_Start then does nothing for a persistent collective in that memory,
 * because MPID_Startall() finds the old MPI_PROC_NULL before it checks the kind of the request. */
#ifndef FTC_PROGRESS_EMPTY_REQUEST_H
#define FTC_PROGRESS_EMPTY_REQUEST_H

#include "mpi/mpi_library.h"

/* Stores in *@request a request that completes when the caller passes it to
 * PMPI_Grequest_complete(). Returns an MPI error code. */
int ftc_empty_request(MPI_Request *request);

/* Stores in *@request a complete request, for an operation that is done when its call returns.
 * Returns an MPI error code. */
int ftc_completed_request(MPI_Request *request);

/* Stores in *@request an inactive persistent request, which native MPI treats as complete. The
 * caller must not start it. Returns an MPI error code. */
int ftc_inactive_request(MPI_Request *request);

/* Returns the rank to name instead of @peer in a persistent request that is never started. */
static inline int ftc_inactive_peer(int peer)
{
    return peer == MPI_PROC_NULL ? 0 : peer;
}

#endif
