/* ticks: a clock for times that are taken very often.
 *
 * Where the kernel keeps time by the processor's counter, and so vouches for its being the same on
 * all cores, that counter itself is read: 10 ns, where CLOCK_MONOTONIC takes 23. Elsewhere ticks
 * are CLOCK_MONOTONIC's nanoseconds. */
#ifndef FTC_SYSTEM_TICKS_H
#define FTC_SYSTEM_TICKS_H

#include "clock.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether ticks are the processor's here: the same for all processes of a host. */
bool ftc_ticks_are_cycles(void);

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
    uint64_t ticks, ns; /* CLOCK_MONOTONIC */
};

/* Now; the two are at most some 100 ns apart unless the process is kept from its core each time. */
struct ftc_moment ftc_ticks_now(bool are_cycles);

/* Sorts @count moments, and drops those that contradict an earlier one; returns how many are left.
 */
size_t ftc_ticks_sort(struct ftc_moment *moment, size_t count);

/* When @ticks was, on CLOCK_MONOTONIC: between the two nearest of @count > 0 sorted moments. The
 * counter and the clock drift apart by up to 0.05 %, and not evenly, so the nearer they are the
 * better. With one moment alone ticks count as nanoseconds. */
uint64_t ftc_ticks_to_ns(const struct ftc_moment *moment, size_t count, uint64_t ticks);

#endif
