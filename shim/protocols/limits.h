/* limits: how much of the data of a large call one operation carries, and how much memory a rank
 * takes for it. */
#ifndef FTC_PROTOCOLS_LIMITS_H
#define FTC_PROTOCOLS_LIMITS_H

#include "call/call.h"

#include "library.h"

#include <stddef.h>

/* Whether setting large protects data that are too large for one message. */
static inline bool ftc_limits_are_protected(void)
{
    return ftc_library.settings.large == FTC_LARGE_PROTECTED;
}

/* Returns the bytes of the data that an operation carries of @ranks ranks together, if messages
 * carry them; the same on all ranks, and at least a byte for each (with large = native where
 * max_bytes has that). With large = protected, the rings of the board have room for more than
 * max_bytes between each two ranks, unless they would grow beyond measure. */
size_t ftc_limits_part_bytes(int ranks);

/* Returns how much a rank may copy in one call: setting large_memory, which bounds large =
 * protected alone. */
size_t ftc_limits_memory_bytes(void);

/* The error of @call if a rank has no memory for its data; @flags are those of the vote about it.
 */
int ftc_limits_error(const struct ftc_call *call, uint32_t flags);

#endif
