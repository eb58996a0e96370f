/* looks: the time of a process that looks at something again and again, to see for how long it has
 * been as it is. That of CLOCK_MONOTONIC, but between two looks no more than a little passes: if it
 * was more, nobody did anything meanwhile, because a batch system had stopped the job or the
 * machine stood still. */
#ifndef FTC_SYSTEM_LOOKS_H
#define FTC_SYSTEM_LOOKS_H

#include "clock.h"

/* Zero at the start. */
struct ftc_looks {
    uint64_t last_ns, lost_ns;
};

/* It is @now_ns by ftc_clock_ns(); between two looks pass no more than @most_ns. */
static inline uint64_t ftc_looks_at(struct ftc_looks *l, uint64_t now_ns, uint64_t most_ns)
{
    uint64_t gap_ns = now_ns - l->last_ns;

    if (l->last_ns != 0 && gap_ns > most_ns)
        l->lost_ns += gap_ns - most_ns;
    l->last_ns = now_ns;
    return now_ns - l->lost_ns;
}

/* What is the most for looks that are to be @interval_ns apart: others may be in their way. */
enum { FTC_LOOKS_LATE_NS = 100000000 };

static inline uint64_t ftc_looks_most_ns(uint64_t interval_ns)
{
    return interval_ns + FTC_LOOKS_LATE_NS;
}

#endif
