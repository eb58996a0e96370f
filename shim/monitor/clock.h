/* clock: time for bounds on waiting, in the program and in its monitor process. */
#ifndef FTC_MONITOR_CLOCK_H
#define FTC_MONITOR_CLOCK_H

#include <time.h>

static inline long ftc_clock_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000L + t.tv_nsec / 1000000L;
}

#endif
