/* own_handle: a handle of this rank alone on a file that it has opened together with others.
 *
 * MPI-IO keeps the communicator of a file until the file is closed. A call on a handle that
 * MPI_COMM_SELF has opened waits for no other rank. */
#ifndef FTC_FILES_OWN_HANDLE_H
#define FTC_FILES_OWN_HANDLE_H

#include "mpi/mpi_library.h"

/* Returns a copy of @name that names the same file after chdir(); NULL without memory. */
char *ftc_own_handle_path(const char *name);

/* Opens the file at @path again. The handle has the error handler, view, position and atomicity of
 * @shared. Returns MPI_FILE_NULL if that cannot be: the file may have no name any more, this rank
 * may make no communicators any more, and a sequential file has no position of one rank. */
MPI_File ftc_own_handle_open(MPI_File shared, const char *path);

#endif
