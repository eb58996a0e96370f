/* held: handles of datatypes and operations that an operation of the library still needs. As in
 * native MPI the program may free them before that is complete: they are freed once nobody holds
 * them any more. */
#ifndef FTC_VALUE_HELD_H
#define FTC_VALUE_HELD_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

enum ftc_held_kind { FTC_HELD_DATATYPE, FTC_HELD_OPERATION };

/* Of what is predefined, or no handle at all, nothing is noted. False without memory. */
bool ftc_held_hold(enum ftc_held_kind kind, int handle);

/* Once for each ftc_held_hold(). By a thread that may call MPI. */
void ftc_held_release(enum ftc_held_kind kind, int handle);

/* The program frees it: true if that is left to who releases it last. */
bool ftc_held_free(enum ftc_held_kind kind, int handle);

#endif
