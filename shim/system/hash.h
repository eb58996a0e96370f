/* hash: FNV-1a (Fowler, Noll, Vo), 64 bits: of what all ranks have the same of. */
#ifndef FTC_SYSTEM_HASH_H
#define FTC_SYSTEM_HASH_H

#include <stddef.h>
#include <stdint.h>

#define FTC_HASH_START 0xcbf29ce484222325ull

static inline uint64_t ftc_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash;
}

/* For numbers: the upper half of the result is well mixed. */
static inline uint64_t ftc_hash_mix(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * 0xff51afd7ed558ccdull;
}

#endif
