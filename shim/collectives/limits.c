#include "limits.h"

#include "library.h"

enum { MOST = 65536, LEAST = 64, TIMES = 16, RANKS_MOST = 64, MEBIBYTE = 1 << 20 };

size_t ftc_limits_part_bytes(void)
{
    size_t bytes = (size_t)ftc_library.settings.max_bytes;

    if (ftc_library.world_size <= RANKS_MOST)
        bytes = bytes * TIMES < MOST ? bytes * TIMES : MOST;
    return bytes > LEAST ? bytes : LEAST;
}

size_t ftc_limits_memory_bytes(void)
{
    return (size_t)ftc_library.settings.large_memory * MEBIBYTE;
}
