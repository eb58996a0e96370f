/* blocked: a rank that sits in an unprotected call which needs a dead rank does not do so silently
 * (setting on_blocked). */
#ifndef FTC_MONITOR_BLOCKED_H
#define FTC_MONITOR_BLOCKED_H

#include "monitored.h"

/* Sleeps until the first death of a rank; from then on looks at the marks of @rank's program, ten
 * times in blocked_ms, and says once a mark who waits for whom. With on_blocked = abort it ends the
 * job then; where the call may go on without the dead, not before the whole job stands still.
 * Returns when the program has ended MPI. To be called in a thread of its own. */
void ftc_blocked_watch(struct ftc_monitored *rank);

#endif
