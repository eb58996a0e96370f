/* ticks: a clock for times that are taken very often.
 *
 * If the kernel keeps time by the processor's counter, it guarantees that the counter is the same
 * on all cores. Then the counter itself is read, which takes 10 ns; CLOCK_MONOTONIC takes 23.
 * Elsewhere ticks are the nanoseconds of CLOCK_MONOTONIC. */
#ifndef FTC_SYSTEM_TICKS_H
#define FTC_SYSTEM_TICKS_H

#include "clock.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns whether ticks are those of the processor's counter. The result is the same in all
 * processes of a host. */
bool ftc_ticks_are_cycles(void);

/* Returns the current time in ticks. @are_cycles is the result of ftc_ticks_are_cycles(). */
static inline uint64_t ftc_ticks(bool are_cycles)
{
#if defined(__x86_64__)
    if (are_cycles)
        return __builtin_ia32_rdtsc();
#endif
    (void)are_cycles;
    return ftc_clock_ns();
}

/* One moment on both clocks. */
struct ftc_moment {
    uint64_t ticks, ns; /* ns by CLOCK_MONOTONIC */
};

/* Returns the current moment. The two times differ by at most some 100 ns, unless the process lost
 * its core in each attempt. */
struct ftc_moment ftc_ticks_now(bool are_cycles);

/* Sorts @count moments, and removes those that contradict an earlier one. Returns how many
 * remain. */
size_t ftc_ticks_sort(struct ftc_moment *moment, size_t count);

/* Returns @ticks as a time of CLOCK_MONOTONIC. Interpolates between the two nearest of @count > 0
 * sorted moments. The counter and the clock drift apart by up to 0.05 %, and not evenly, so near
 * moments are better. With a single moment a tick counts as a nanosecond. */
uint64_t ftc_ticks_to_ns(const struct ftc_moment *moment, size_t count, uint64_t ticks);

#endif
