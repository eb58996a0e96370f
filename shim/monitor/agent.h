/* agent: the monitor process that enters in this host's board what the other hosts send of their
 * ranks (board/replica.h). One of each host at a time: who holds a lock on the board; if it ends,
 * the next one gets it. Only in jobs on several hosts.
 *
 * From each host it hears by a connection to one of its monitor processes, to the next one if that
 * is gone. A host from which nobody can be heard for unreachable_ms ends the job, with a line;
 * where mpiexec declares hosts lost (leaseholder.h) that takes longer (ftc_lease_patience_ms()),
 * and a lost host is the death of its ranks. */
#ifndef FTC_MONITOR_AGENT_H
#define FTC_MONITOR_AGENT_H

#include "monitored.h"

/* Waits for the lock, and then works until the process ends. To be called in a thread of its own.
 */
void ftc_agent_run(struct ftc_monitored *rank);

#endif
