/* blocked: reports ranks that stay in a native call which needs a dead rank, and jobs that stand
 * still after a death, or ends the job then (setting on_blocked). */
#ifndef FTC_MONITOR_BLOCKED_H
#define FTC_MONITOR_BLOCKED_H

#include "monitored.h"

/* Sleeps until the first death of a rank. From then on checks the marks of @rank's program ten
 * times per blocked_ms, and reports once for each mark which rank waits for which. With on_blocked
 * = abort then ends the job; if the call may complete without the dead rank, not before the whole
 * job stands still. Returns when the program is no longer in MPI. Must be called in a thread of its
 * own. */
void ftc_blocked_watch(struct ftc_monitored *rank);

#endif
