/* unreceived: messages that nobody will receive, on a communicator that is freed after a failure.
 *
 * Where a rank has died, survivors may have given up receives for which a message comes all the
 * same. MPICH 4.0 leaves such messages alone; since 4.2 its MPI_Comm_free() waits until each has
 * come, for ever if the sender is dead, and then ends the job because there were any. */
#ifndef FTC_NEW_COMMUNICATORS_UNRECEIVED_H
#define FTC_NEW_COMMUNICATORS_UNRECEIVED_H

#include "mpi/mpi_library.h"

/* Receives all messages that have been announced on @comm, without waiting for their data: of a
 * message whose data are still to come the memory is lost. */
void ftc_unreceived_take(MPI_Comm comm);

#endif
