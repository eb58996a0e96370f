/* hosts: which rank is on which host, as the engine numbers ranks.
 *
 * Hosts are numbered in the order in which they first appear among the ranks, so the numbers are
 * the same on all of them, and rank 0 is on host 0. */
#ifndef FTC_ENGINE_HOSTS_H
#define FTC_ENGINE_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

struct ftc_hosts {
    int count; /* at least 1 */
    /* A message between two of them is mostly on its way, as in a network; false: it is mostly work
     * at either end, as between containers of one machine. */
    bool are_far;
    const int32_t *of; /* by rank: 0..count-1; NULL: all are on one host */
};

static inline int ftc_hosts_of(const struct ftc_hosts *h, int rank)
{
    return h->of ? h->of[rank] : 0;
}

#endif
