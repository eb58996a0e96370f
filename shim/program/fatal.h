/* fatal: ends of this process that MPI itself decides on.
 *
 * MPICH ends the job through its launcher only for errors on MPI_COMM_WORLD. For errors on another
 * communicator, and for MPI_Abort() on one, it notifies the members and calls exit(), as each
 * notified member does (4.0.2, MPID_Abort()). For internal errors it calls exit() or abort(). The
 * launcher then ends the job, because a rank has ended without MPI_Finalize. UCX also calls abort()
 * where a native call would have to receive data of a dead rank. Such an end is no failure that the
 * other ranks survive: it ends the job.
 *
 * The code that calls exit() or abort() shows who ends the process. If MPI has called an error
 * handler or operator, and that calls exit(), the program ends the process. */
#ifndef FTC_PROGRAM_FATAL_H
#define FTC_PROGRAM_FATAL_H

#include "mpi/mpi_library.h"

/* Finds the code of MPI. To be called in MPI_Init, once MPI works. */
void ftc_fatal_open(void);

/* Reports to the monitor process if MPI ends this process, and notes on the board if the library
 * does (ftc_own_crash_note()). @return_address is that of the call that ends the process. */
void ftc_fatal_end(const void *return_address);

#endif
