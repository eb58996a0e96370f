/* agent: the monitor process that enters in this host's board what other hosts send about their
 * ranks (board/replica.h). Each host has one agent at a time: the monitor process that holds a lock
 * on the board. If it ends, the next one gets the lock. There are agents only in jobs on several
 * hosts.
 *
 * An agent hears each other host by a connection to one of its monitor processes, and if that one
 * is gone, to the next. If no monitor process of a host can be heard for unreachable_ms, the job
 * ends with a message. Where mpiexec declares hosts lost (leaseholder.h) this takes longer
 * (ftc_lease_patience_ms()), and the ranks of a lost host are dead. */
#ifndef FTC_MONITOR_AGENT_H
#define FTC_MONITOR_AGENT_H

#include "monitored.h"

/* Waits for the lock, then works until the process ends. Must be called in a thread of its own. */
void ftc_agent_run(struct ftc_monitored *rank);

#endif
