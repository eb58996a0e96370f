/* device: whether the MPI library accepts buffers in the memory of a GPU. The CPU cannot read such
 * buffers, so this library cannot combine or copy them. */
#ifndef FTC_MPI_DEVICE_H
#define FTC_MPI_DEVICE_H

#include <stdbool.h>

/* Returns whether MPICH's extensions report support for a GPU. To be called after MPI_Init. */
bool ftc_device_buffers_are_taken(void);

#endif
