#include "limits.h"

#include "board/bulk.h"
#include "program/error.h"
#include "round_status.h"

#include <stdint.h>

enum { MOST = 65536, LEAST = 64, TIMES = 16, RANKS_MOST = 64, MEBIBYTE = 1 << 20 };

size_t ftc_limits_part_bytes(int ranks)
{
    size_t bytes = (size_t)ftc_library.settings.max_bytes, least = LEAST * (size_t)ranks;

    if (!ftc_limits_are_protected())
        return bytes;
    if (ftc_library.world_size <= RANKS_MOST)
        bytes = bytes * TIMES < MOST ? bytes * TIMES : MOST;
    return bytes > least ? bytes : least;
}

size_t ftc_limits_memory_bytes(void)
{
    if (!ftc_limits_are_protected())
        return SIZE_MAX / 2;
    return (size_t)ftc_library.settings.large_memory * MEBIBYTE;
}

int ftc_limits_error(const struct ftc_call *call, uint32_t flags)
{
    if (!ftc_limits_are_protected())
        return ftc_error_no_memory();
    return flags & FTC_ROUND_NO_REGION
               ? ftc_error_too_many(call, FTC_BULK_REGIONS)
               : ftc_error_large_memory(call, ftc_library.settings.large_memory);
}
