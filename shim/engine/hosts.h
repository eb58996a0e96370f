/* hosts: the host of each rank, in the engine's numbering of ranks.
 *
 * Hosts are numbered in the order in which they first appear among the ranks. So all ranks have the
 * same numbers, and rank 0 is on host 0. */
#ifndef FTC_ENGINE_HOSTS_H
#define FTC_ENGINE_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

struct ftc_hosts {
    int count; /* at least 1 */
    /* Whether a message between two hosts is in flight for most of its time, as in a network. If
     * false, most of its time is work at both ends, as between containers of one machine. */
    bool are_far;
    const int32_t *of; /* by rank: its host, 0..count-1; NULL: all are on one host */
};

static inline int ftc_hosts_of(const struct ftc_hosts *h, int rank)
{
    return h->of ? h->of[rank] : 0;
}

#endif
