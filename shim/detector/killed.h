/* killed: deaths by a signal, found by the ranks that wait for the dead one.
 *
 * The monitor process of a dead rank marks the death on the board, but must first get a core. On a
 * busy host that can take milliseconds, in which the waiting ranks run and have nothing to do. */
#ifndef FTC_DETECTOR_KILLED_H
#define FTC_DETECTOR_KILLED_H

#include "communicator/communicator.h"

/* Marks members of @c that a signal has killed as dead on the board. Checks up to FTC_COMM_CHECKS
 * members a call, and the next ones in the next call. All other deaths are left to the monitor
 * processes. Where ranks share cores, lowers the priorities of members that have just died, so that
 * other processes run first. */
void ftc_killed_look(struct ftc_comm *c, uint64_t now_ns);

#endif
