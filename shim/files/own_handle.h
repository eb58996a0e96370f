/* own_handle: a handle of this rank alone for a file that it has opened together with others.
 *
 * MPI-IO keeps the communicator of a file until the file is closed. A call on a handle that was
 * opened on MPI_COMM_SELF waits for no other rank. */
#ifndef FTC_FILES_OWN_HANDLE_H
#define FTC_FILES_OWN_HANDLE_H

#include "mpi/mpi_library.h"

/* Returns a copy of @name that names the same file after chdir(). The caller frees it. Returns NULL
 * without memory. */
char *ftc_own_handle_path(const char *name);

/* Opens the file at @path again. The handle has the error handler, view, position and atomicity of
 * @shared. Returns MPI_FILE_NULL if the file cannot be opened (it may have been deleted), if this
 * rank can make no more communicators, or if the file is sequential, because a rank then has no
 * position of its own. */
MPI_File ftc_own_handle_open(MPI_File shared, const char *path);

#endif
