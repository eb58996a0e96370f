/* unit_clock: clocks of a host that is suspended, or whose time is set, for a Check suite. */
#ifndef FTC_TESTS_UNIT_CLOCK_H
#define FTC_TESTS_UNIT_CLOCK_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t suspended_ns, set_ns; /* how far CLOCK_BOOTTIME and CLOCK_REALTIME are shifted */

/* Stands in for the C library's. */
int clock_gettime(clockid_t id, struct timespec *t)
{
    const int64_t second_ns = 1000000000;
    int64_t shift_ns = id == CLOCK_BOOTTIME   ? suspended_ns
                       : id == CLOCK_REALTIME ? suspended_ns + set_ns
                                              : 0;
    int64_t ns;

    if (syscall(SYS_clock_gettime, id, t) != 0)
        return -1;
    ns = t->tv_sec * second_ns + t->tv_nsec + shift_ns;
    t->tv_sec = ns / second_ns;
    t->tv_nsec = ns % second_ns;
    return 0;
}

#endif
