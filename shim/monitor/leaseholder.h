/* leaseholder: keeps the lease of this host, which is the right of its ranks to go on
 * (board/lease.h), by requests to the authority in mpiexec (net/lease.h).
 *
 * The agent asks often. A lease counts from when its request was sent. The authority counts from
 * the arrival of the request, and waits longer. A lease therefore ends here before the authority
 * takes the host for lost. A process has one leaseholder, in the agent's thread. */
#ifndef FTC_MONITOR_LEASEHOLDER_H
#define FTC_MONITOR_LEASEHOLDER_H

#include "monitored.h"

#include <poll.h>

/* Makes this process the holder of the lease, because it is the agent from now on. Finds the
 * authority, if there is one, by the environment and the launcher's connection. */
void ftc_leaseholder_open(void);

/* Descriptors that the agent's loop has to poll, and the longest time that it may wait, in ms. -1:
 * without limit. */
enum { FTC_LEASEHOLDER_SOURCES = 3 };
void ftc_leaseholder_list(struct pollfd source[FTC_LEASEHOLDER_SOURCES]);
int ftc_leaseholder_patience_ms(const struct ftc_monitored *rank);

/* Sends requests that are due and takes answers. Enters lost hosts in the board. Returns true if
 * one of them is new. */
bool ftc_leaseholder_turn(struct ftc_monitored *rank, uint64_t now_ns);

/* Returns whether this host is given up, or has to assume that it is: the agent has asked in vain
 * for a whole lease. An agent that was stopped for a while asks once more first, because the whole
 * job may have been stopped. */
bool ftc_leaseholder_has_failed(const struct ftc_monitored *rank);

/* Waits, for 0.2 s at most, until the authority knows that no rank of this host is in MPI any more.
 * Called by another thread of a process that is about to end, because it may be the last one here.
 * The authority then does not take what is left of the job here, such as a proxy with its output,
 * for a silent host. Returns at once if this process is not the agent, or a rank of this host is in
 * MPI. */
void ftc_leaseholder_finish(const struct ftc_monitored *rank);

#endif
