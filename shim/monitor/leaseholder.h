/* leaseholder: how the agent of a host keeps the right of its ranks to go on (board/lease.h), with
 * the authority in mpiexec (net/lease.h).
 *
 * It asks often. A lease counts from when that was asked which was granted, so it runs out here
 * before the authority, which counts from when it heard that, and waits longer, takes the host for
 * lost. One of a process, in the agent's thread. */
#ifndef FTC_MONITOR_LEASEHOLDER_H
#define FTC_MONITOR_LEASEHOLDER_H

#include "monitored.h"

#include <poll.h>

/* This process is the agent from now on. Finds the authority, if there is one, by the environment
 * and the launcher's connection. */
void ftc_leaseholder_open(void);

/* What the loop of the agent has to wait for, and how long at most; -1: as long as it likes. */
enum { FTC_LEASEHOLDER_SOURCES = 3 };
void ftc_leaseholder_list(struct pollfd source[FTC_LEASEHOLDER_SOURCES]);
int ftc_leaseholder_patience_ms(const struct ftc_monitored *rank);

/* Asks and hears, as there is time for it. Enters the hosts that are lost in the board: true if
 * there is a new one. */
bool ftc_leaseholder_turn(struct ftc_monitored *rank, uint64_t now_ns);

/* This host is given up, or has to take itself for it. The agent has asked in vain for a whole
 * lease: one that was stopped for a while, as the whole job may have been, asks once more. */
bool ftc_leaseholder_has_failed(const struct ftc_monitored *rank);

/* From another thread: this process is about to end, and may be the last one here. If it is the
 * agent, and no rank of this host is in MPI any more, waits, for 0.2 s at most, until the authority
 * knows it: what is left of the job here, which may be a proxy with its output, is not taken for
 * silent then. */
void ftc_leaseholder_finish(const struct ftc_monitored *rank);

#endif
