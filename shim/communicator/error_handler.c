#include "error_handler.h"

bool ftc_comm_returns_errors(MPI_Comm comm)
{
    MPI_Errhandler handler;
    bool fatal;

    if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS)
        return false;
    fatal = handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_ABORT;
    PMPI_Errhandler_free(&handler);
    return !fatal;
}
