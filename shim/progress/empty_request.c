#include "empty_request.h"

#include <stddef.h>

static int query(void *unused, MPI_Status *status)
{
    (void)unused;
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    return MPI_SUCCESS;
}

static int release(void *unused)
{
    (void)unused;
    return MPI_SUCCESS;
}

static int cancel(void *unused, int is_complete)
{
    (void)unused;
    (void)is_complete;
    return MPI_SUCCESS;
}

int ftc_empty_request(MPI_Request *request)
{
    return PMPI_Grequest_start(query, release, cancel, NULL, request);
}

int ftc_completed_request(MPI_Request *request)
{
    int rv = ftc_empty_request(request);

    return rv == MPI_SUCCESS ? PMPI_Grequest_complete(*request) : rv;
}

int ftc_inactive_request(MPI_Request *request)
{
    return PMPI_Send_init(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, request);
}
