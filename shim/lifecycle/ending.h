/* ending: how MPI ends: in MPI_Finalize, or, if sessions are open by then, in the last
 * MPI_Session_finalize after it. Until then a death is tolerated. */
#ifndef FTC_LIFECYCLE_ENDING_H
#define FTC_LIFECYCLE_ENDING_H

#include "mpi/mpi_library.h"
#include <stdbool.h>

/* When the library is loaded. */
void ftc_ending_prepare(void);

/* Puts the end of native MPI into the library's hands; false if MPI refuses. To be called before
 * the program can set an attribute of MPI_COMM_SELF. */
bool ftc_ending_open(void);

/* In place of PMPI_Finalize, whose error codes it returns. If no session is open the attributes of
 * MPI_COMM_SELF are deleted, the survivors synchronise, and the process manager is told that this
 * rank has ended (doc/design.md, section 7). Else that is left to the last session. */
int ftc_ending_finalize(void);

/* In place of the PMPI_ functions of these names, whose error codes they return. After the end of
 * MPI a session cannot be opened: that is an error of class MPI_ERR_OTHER, and a line on standard
 * error; with an error handler that is fatal the process exits. */
int ftc_ending_session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session);
int ftc_ending_session_finalize(MPI_Session *session);

#endif
