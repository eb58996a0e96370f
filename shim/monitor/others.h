/* others: who notices that a monitor process has been killed, together with its rank. */
#ifndef FTC_MONITOR_OTHERS_H
#define FTC_MONITOR_OTHERS_H

#include "monitored.h"

/* Waits, once all ranks are ready, for the end of the monitor process of the next rank, and then
 * of that rank, which the kernel kills; enters the death in the board, if no rank has, and does for
 * it what its own monitor process would have; and goes on to the rank after that, whose watcher is
 * gone now. So each is watched, at the cost of a sleeping thread, as long as one is left. Returns
 * when there is no other rank left. To be called in a thread of its own. */
void ftc_others_watch(struct ftc_monitored *rank);

#endif
