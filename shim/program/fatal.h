/* fatal: ends of this process that MPI itself decides on.
 *
 * MPICH ends the job through its launcher only for errors on MPI_COMM_WORLD. For those on another
 * communicator, and MPI_Abort() on one, it tells the members and calls exit() (4.0.2, MPID_Abort();
 * the members do so when they are told), for internal errors exit() or abort(); the launcher ends
 * the job then, because a rank has gone without MPI_Finalize. Such an end is no death that others
 * survive. UCX calls abort() as well, where data of a dead rank are to be received by a native
 * call. Such an end differs from a program's own by who calls: an error handler, or an operator,
 * that MPI has called and that calls exit() is the program's. */
#ifndef FTC_PROGRAM_FATAL_H
#define FTC_PROGRAM_FATAL_H

#include "mpi/mpi_library.h"

/* In MPI_Init, once MPI works. */
void ftc_fatal_open(void);

/* This process is about to end, by a call that would have returned to @return_address. */
void ftc_fatal_end(const void *return_address);

#endif
