/* limits: how much of the data of a large call one operation carries, and how much memory a rank
 * takes for it. */
#ifndef FTC_COLLECTIVES_LIMITS_H
#define FTC_COLLECTIVES_LIMITS_H

#include "call/call.h"

#include <stddef.h>

/* With ranks on several hosts: bytes of the data of all ranks together; the same on all. More than
 * setting max_bytes where the rings of the board do not grow beyond measure: they have room for it
 * between each two ranks. */
size_t ftc_limits_part_bytes(void);

/* Setting large_memory, in bytes: for copies in one call. */
size_t ftc_limits_memory_bytes(void);

/* The error of @call if a rank has no memory for its data; @flags are those of the vote about it.
 */
int ftc_limits_error(const struct ftc_call *call, uint32_t flags);

#endif
