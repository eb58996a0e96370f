/* ending: the end of MPI: in MPI_Finalize, or, if sessions are open then, in the last
 * MPI_Session_finalize after it. Until then a death is tolerated. */
#ifndef FTC_LIFECYCLE_ENDING_H
#define FTC_LIFECYCLE_ENDING_H

#include "mpi/mpi_library.h"
#include <stdbool.h>

/* Switches off an option of MPICH that puts off the end of MPI until the process exits. To be
 * called when the library is loaded. */
void ftc_ending_prepare(void);

/* Sets attributes by which the library gets control at the end of native MPI. To be called before
 * the program can set an attribute of MPI_COMM_SELF. Returns false if MPI refuses. */
bool ftc_ending_open(void);

/* Ends MPI in place of PMPI_Finalize, whose error codes it returns. If no session is open, the
 * attributes of MPI_COMM_SELF are deleted, the survivors synchronise, and the process manager
 * learns that this rank has ended (doc/design.md, section 7). Else the last session does this. */
int ftc_ending_finalize(void);

/* Opens a session in place of PMPI_Session_init, whose error codes it returns. After the end of MPI
 * it prints a line and returns an error of class MPI_ERR_OTHER; with a fatal error handler the
 * process exits. */
int ftc_ending_session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session);

/* Finalizes a session in place of PMPI_Session_finalize, whose error codes it returns. The last
 * session ends MPI if MPI_Finalize has been called. */
int ftc_ending_session_finalize(MPI_Session *session);

#endif
