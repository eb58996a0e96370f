/* address_space: limit of a process's address space, set by a user or a batch system (RLIMIT_AS;
 * ulimit -v, h_vmem). */
#ifndef FTC_SYSTEM_ADDRESS_SPACE_H
#define FTC_SYSTEM_ADDRESS_SPACE_H

#include <stddef.h>

/* Returns the bytes that this process may still map; SIZE_MAX without a limit. */
size_t ftc_address_space_left(void);

#endif
