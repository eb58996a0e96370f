/* looks: the time of a process that looks at something again and again, to see for how long it has
 * been as it is. That of CLOCK_MONOTONIC, but between two looks no more than a little passes: if it
 * was more, nobody did anything meanwhile, because a batch system had stopped the job or the
 * machine stood still. */
#ifndef FTC_SYSTEM_LOOKS_H
#define FTC_SYSTEM_LOOKS_H

#include "clock.h"

enum { FTC_LOOKS_LATE_NS = 100000000 }; /* that a look may be: others may be in its way */

/* Zero at the start. */
struct ftc_looks {
    uint64_t first_ns, last_ns; /* CLOCK_MONOTONIC */
    uint64_t lost_ns;
};

/* Looks, which is to happen every @interval_ns, at the clock. */
static inline uint64_t ftc_looks_now(struct ftc_looks *l, uint64_t interval_ns)
{
    uint64_t now_ns = ftc_clock_ns(), most_ns = interval_ns + FTC_LOOKS_LATE_NS;

    if (l->last_ns == 0)
        l->first_ns = now_ns;
    else if (now_ns - l->last_ns > most_ns)
        l->lost_ns += now_ns - l->last_ns - most_ns;
    l->last_ns = now_ns;
    return now_ns - l->lost_ns;
}

/* The same; the time since the first look. */
static inline uint64_t ftc_looks_waited_ns(struct ftc_looks *l, uint64_t interval_ns)
{
    uint64_t now_ns = ftc_looks_now(l, interval_ns);

    return now_ns - l->first_ns;
}

#endif
