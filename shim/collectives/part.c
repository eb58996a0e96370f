#include "part.h"

#include "library.h"

enum { MOST = 65536, LEAST = 64, TIMES = 16, RANKS_MOST = 64 };

size_t ftc_part_bytes(void)
{
    size_t bytes = (size_t)ftc_library.settings.max_bytes;

    if (ftc_library.world_size <= RANKS_MOST)
        bytes = bytes * TIMES < MOST ? bytes * TIMES : MOST;
    return bytes > LEAST ? bytes : LEAST;
}
