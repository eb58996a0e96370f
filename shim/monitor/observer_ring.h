/* observer_ring: each monitor process observes the next one of its host, so that the end of a
 * monitor process together with its rank is noticed. */
#ifndef FTC_MONITOR_OBSERVER_RING_H
#define FTC_MONITOR_OBSERVER_RING_H

#include "monitored.h"

/* Waits, once all ranks are ready, for the end of the monitor process of the next rank on this
 * host, and then of that rank, which the kernel kills. Enters the death in the board, if no rank
 * has, and does what the rank's own monitor process would have done. Then observes the rank after
 * that, whose observer has ended. Thereby each rank has an observer as long as one is left, at the
 * cost of a sleeping thread. Returns when no other rank of this host is left. Must be called in a
 * thread of its own. */
void ftc_observer_ring_watch(struct ftc_monitored *rank);

#endif
