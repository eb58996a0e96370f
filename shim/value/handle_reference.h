/* handle_reference: handles of datatypes and operations that an operation of the library still
 * needs. As in native MPI the program may free a handle before that operation is complete. The
 * handle itself is freed when no operation holds it any more. */
#ifndef FTC_VALUE_HANDLE_REFERENCE_H
#define FTC_VALUE_HANDLE_REFERENCE_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

enum ftc_handle_kind { FTC_HANDLE_DATATYPE, FTC_HANDLE_OPERATION };

/* Holds @handle until ftc_handle_release(). Does nothing for predefined and invalid handles.
 * Returns false if there is no memory. */
bool ftc_handle_hold(enum ftc_handle_kind kind, int handle);

/* Undoes one ftc_handle_hold(). The last call frees the handle if the program has freed it. The
 * calling thread must be one that may call MPI. */
void ftc_handle_release(enum ftc_handle_kind kind, int handle);

/* Notes that the program frees @handle. Returns true if the last ftc_handle_release() will free it;
 * if not, the caller must. */
bool ftc_handle_free(enum ftc_handle_kind kind, int handle);

#endif
