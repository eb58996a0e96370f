#include "ticks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 8 };

#define BEYOND 9e18 /* beyond 64 bits: not a valid time; the board may be corrupt */

bool ftc_ticks_are_cycles(void)
{
#if defined(__x86_64__)
    char name[8] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    if (read(fd, name, sizeof name - 1) < 0)
        name[0] = '\0';
    close(fd);
    return strcmp(name, "tsc\n") == 0;
#else
    return false;
#endif
}

/* Reads both clocks several times and returns the moment of the fastest reading. */
struct ftc_moment ftc_ticks_now(bool are_cycles)
{
    struct ftc_moment best = {0};
    uint64_t least = UINT64_MAX;

    if (!are_cycles) {
        best.ticks = best.ns = ftc_clock_ns();
        return best;
    }
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = ftc_ticks(are_cycles), ns = ftc_clock_ns();
        uint64_t taken = ftc_ticks(are_cycles) - before;

        if (taken >= least)
            continue;
        least = taken;
        best = (struct ftc_moment){.ticks = before + taken / 2, .ns = ns};
    }
    return best;
}

static int by_ticks(const void *a, const void *b)
{
    const struct ftc_moment *left = a, *right = b;

    return (left->ticks > right->ticks) - (left->ticks < right->ticks);
}

size_t ftc_ticks_sort(struct ftc_moment *moment, size_t count)
{
    size_t kept = 0;

    qsort(moment, count, sizeof *moment, by_ticks);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 ||
            (moment[i].ticks > moment[kept - 1].ticks && moment[i].ns > moment[kept - 1].ns))
            moment[kept++] = moment[i];
    return kept;
}

/* Returns the index of the moment with which the interval for @ticks begins. It is the last moment
 * not after @ticks, or the first moment. It is never the last of all @count > 1 moments, because
 * the next moment ends the interval. */
static size_t find_interval(const struct ftc_moment *moment, size_t count, uint64_t ticks)
{
    size_t low = 0, high = count - 1;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (moment[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t ftc_ticks_to_ns(const struct ftc_moment *moment, size_t count, uint64_t ticks)
{
    const struct ftc_moment *from = &moment[0];
    double ns_a_tick = 1, ns;

    if (count > 1) {
        from = &moment[find_interval(moment, count, ticks)];
        ns_a_tick = (double)(from[1].ns - from[0].ns) / (double)(from[1].ticks - from[0].ticks);
    }
    ns = (double)(int64_t)(ticks - from->ticks) * ns_a_tick;
    return ns > -BEYOND && ns < BEYOND ? from->ns + (uint64_t)(int64_t)ns : from->ns;
}
