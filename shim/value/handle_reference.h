/* handle_reference: handles of datatypes and operations that an operation of the library still
 * needs. As in native MPI the program may free them before that is complete: they are freed once
 * nobody holds them any more. */
#ifndef FTC_VALUE_HANDLE_REFERENCE_H
#define FTC_VALUE_HANDLE_REFERENCE_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

enum ftc_handle_kind { FTC_HANDLE_DATATYPE, FTC_HANDLE_OPERATION };

/* Of what is predefined, or no handle at all, nothing is noted. False without memory. */
bool ftc_handle_hold(enum ftc_handle_kind kind, int handle);

/* Once for each ftc_handle_hold(). By a thread that may call MPI. */
void ftc_handle_release(enum ftc_handle_kind kind, int handle);

/* The program frees it: true if that is left to who releases it last. */
bool ftc_handle_free(enum ftc_handle_kind kind, int handle);

#endif
