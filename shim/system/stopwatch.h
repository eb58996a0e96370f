/* stopwatch: measures for how long a process, which reads the stopwatch regularly, has seen the
 * same state. It runs like CLOCK_MONOTONIC, but between two readings it advances by little more
 * than their interval. A longer gap does not count, because a batch system had suspended the job,
 * or the machine had been stopped. */
#ifndef FTC_SYSTEM_STOPWATCH_H
#define FTC_SYSTEM_STOPWATCH_H

#include "clock.h"

enum { FTC_STOPWATCH_LATE_NS = 100000000 }; /* allowed delay of a reading on a busy core */

/* State of a stopwatch; zero at the start. */
struct ftc_stopwatch {
    uint64_t first_ns, last_ns; /* times of the first and last reading, by CLOCK_MONOTONIC */
    uint64_t lost_ns;
};

/* Reads the stopwatch, which must be done every @interval_ns. Returns its time in nanoseconds. */
static inline uint64_t ftc_stopwatch_now(struct ftc_stopwatch *s, uint64_t interval_ns)
{
    uint64_t now_ns = ftc_clock_ns(), most_ns = interval_ns + FTC_STOPWATCH_LATE_NS;

    if (s->last_ns == 0)
        s->first_ns = now_ns;
    else if (now_ns - s->last_ns > most_ns)
        s->lost_ns += now_ns - s->last_ns - most_ns;
    s->last_ns = now_ns;
    return now_ns - s->lost_ns;
}

/* As above, but returns the time since the first reading. */
static inline uint64_t ftc_stopwatch_elapsed_ns(struct ftc_stopwatch *s, uint64_t interval_ns)
{
    uint64_t now_ns = ftc_stopwatch_now(s, interval_ns);

    return now_ns - s->first_ns;
}

#endif
