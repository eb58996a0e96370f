/* hash: FNV-1a (Fowler, Noll, Vo) with 64 bits, for data that are the same on all ranks. */
#ifndef FTC_SYSTEM_HASH_H
#define FTC_SYSTEM_HASH_H

#include <stddef.h>
#include <stdint.h>

#define FTC_HASH_START 0xcbf29ce484222325ull

/* Adds the @count bytes at @bytes to @hash, which begins as FTC_HASH_START. Returns the new
 * hash. */
static inline uint64_t ftc_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash;
}

/* Adds a number to @hash. The upper half of the result is well mixed. */
static inline uint64_t ftc_hash_mix(uint64_t hash, uint64_t number)
{
    return (hash ^ number) * 0xff51afd7ed558ccdull;
}

#endif
