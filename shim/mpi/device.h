/* device: does the MPI library take buffers in the memory of a GPU? The CPU cannot read these, so
 * the library here can not combine or copy them. */
#ifndef FTC_MPI_DEVICE_H
#define FTC_MPI_DEVICE_H

#include <stdbool.h>

/* Asks MPICH's extensions, after MPI_Init. */
bool ftc_device_buffers_are_taken(void);

#endif
