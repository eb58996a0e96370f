/* clock: CLOCK_MONOTONIC, which the program and its monitor process share; CLOCK_BOOTTIME, which
 * runs on while the host is suspended; and CLOCK_REALTIME for output to users. */
#ifndef FTC_SYSTEM_CLOCK_H
#define FTC_SYSTEM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t ftc_clock_ns_of(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t ftc_clock_ns(void)
{
    return ftc_clock_ns_of(CLOCK_MONOTONIC);
}

static inline uint64_t ftc_clock_boot_ns(void)
{
    return ftc_clock_ns_of(CLOCK_BOOTTIME);
}

/* Returns by how many nanoseconds CLOCK_REALTIME is ahead of CLOCK_BOOTTIME. The value jumps when
 * the time is set, and in a virtual machine that was stopped from outside. */
static inline int64_t ftc_clock_ahead_ns(void)
{
    enum { TOGETHER_NS = 1000000 }; /* most between two readings while this process runs */
    uint64_t before_ns, real_ns;

    do {
        before_ns = ftc_clock_boot_ns();
        real_ns = ftc_clock_ns_of(CLOCK_REALTIME);
    } while (ftc_clock_boot_ns() - before_ns > TOGETHER_NS);
    return (int64_t)(real_ns - before_ns);
}

static inline long ftc_clock_ms(void)
{
    return (long)(ftc_clock_ns() / 1000000u);
}

static inline struct timespec ftc_clock_utc(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return now;
}

/* Returns what CLOCK_REALTIME was at @then_ns of CLOCK_MONOTONIC. If @then_ns is in the future,
 * returns the current time. */
static inline struct timespec ftc_clock_utc_at(uint64_t then_ns)
{
    uint64_t now_ns = ftc_clock_ns(), ago_ns = now_ns > then_ns ? now_ns - then_ns : 0, utc_ns;
    struct timespec now = ftc_clock_utc();

    utc_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - ago_ns;
    return (struct timespec){.tv_sec = (time_t)(utc_ns / 1000000000u),
                             .tv_nsec = (long)(utc_ns % 1000000000u)};
}

#endif
