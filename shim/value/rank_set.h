/* rank_set: a set of ranks, a bit each, in words of 64 bits. */
#ifndef FTC_VALUE_RANK_SET_H
#define FTC_VALUE_RANK_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of words of a set of ranks below @ranks. */
#define FTC_RANK_SET_WORDS(ranks) (((size_t)(ranks) + 63) / 64)

static inline uint64_t ftc_rank_set_bit(uint32_t rank)
{
    return UINT64_C(1) << rank % 64;
}

static inline bool ftc_rank_set_has(const uint64_t *set, uint32_t rank)
{
    return (set[rank / 64] & ftc_rank_set_bit(rank)) != 0;
}

static inline void ftc_rank_set_add(uint64_t *set, uint32_t rank)
{
    set[rank / 64] |= ftc_rank_set_bit(rank);
}

#endif
