/* random: numbers that depend on nothing but their seed (splitmix64). */
#ifndef FTC_SIM_RANDOM_H
#define FTC_SIM_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* 0..@limit-1 */
static inline unsigned random_below(uint64_t *state, unsigned limit)
{
    return (unsigned)((random_next(state) >> 32) * limit >> 32);
}

#endif
