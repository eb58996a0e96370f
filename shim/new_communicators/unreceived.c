#include "unreceived.h"

#include <stdbool.h>
#include <stdlib.h>

/* False if there is no memory for it; then MPICH may say so itself. */
static bool take(MPI_Message *message, const MPI_Status *status)
{
    MPI_Request request;
    MPI_Count bytes = 0;
    int is_here = 0;
    void *data;

    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    data = malloc((size_t)bytes + 1);
    if (!data)
        return false;
    if (PMPI_Imrecv_c(data, bytes, MPI_BYTE, message, &request) != MPI_SUCCESS) {
        free(data);
        return false;
    }
    PMPI_Test(&request, &is_here, MPI_STATUS_IGNORE);
    if (is_here)
        free(data);
    else
        PMPI_Request_free(&request);
    return true;
}

void ftc_unreceived_take(MPI_Comm comm)
{
    MPI_Message message;
    MPI_Status status;
    int is_there;

    do {
        is_there = 0;
        PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, &message, &status);
    } while (is_there && take(&message, &status));
}
