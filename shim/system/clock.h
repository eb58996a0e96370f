/* clock: CLOCK_MONOTONIC, which the program and its monitor process share. */
#ifndef FTC_SYSTEM_CLOCK_H
#define FTC_SYSTEM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t ftc_clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline long ftc_clock_ms(void)
{
    return (long)(ftc_clock_ns() / 1000000u);
}

#endif
