/* error_handler: what becomes of an error on a communicator. */
#ifndef FTC_COMMUNICATOR_ERROR_HANDLER_H
#define FTC_COMMUNICATOR_ERROR_HANDLER_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* False if the error handler in force ends the job: only a program that gets the code back can ask
 * for its text, or go on. */
bool ftc_comm_returns_errors(MPI_Comm comm);

#endif
