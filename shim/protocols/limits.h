/* limits: bytes of a large call that one operation carries, and memory that a rank uses for the
 * call. */
#ifndef FTC_PROTOCOLS_LIMITS_H
#define FTC_PROTOCOLS_LIMITS_H

#include "call/call.h"

#include "library.h"

#include <stddef.h>

/* Returns whether setting large protects data that are too large for one message. */
static inline bool ftc_limits_are_protected(void)
{
    return ftc_library.settings.large == FTC_LARGE_PROTECTED;
}

/* Returns the bytes of all @ranks ranks together that one operation carries in messages. The result
 * is the same on all ranks. With large = native it is max_bytes. With large = protected the rings
 * have room for more in jobs of up to 64 ranks: 16 times max_bytes and at most 64 KiB. In larger
 * jobs it is max_bytes, because there is a ring for each ordered pair of ranks. With large =
 * protected it is at least 64 bytes a rank. */
size_t ftc_limits_part_bytes(int ranks);

/* Returns the bytes that a rank may copy in one call: setting large_memory. With large = native
 * there is no such limit. */
size_t ftc_limits_memory_bytes(void);

/* Returns the MPI error code of @call if a rank lacks memory for its data. @flags are those of the
 * vote (enum ftc_round_flag). */
int ftc_limits_error(const struct ftc_call *call, uint32_t flags);

#endif
