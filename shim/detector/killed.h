/* killed: ranks that look for deaths themselves.
 *
 * The monitor process of a dead rank enters the death in the board, but has to be given a core
 * first. On a busy host that can take milliseconds, while the ranks that wait for the dead one are
 * running, with nothing to do. */
#ifndef FTC_DETECTOR_KILLED_H
#define FTC_DETECTOR_KILLED_H

#include "communicator/communicator.h"

/* Enters deaths by a signal in the board: those that have happened among some members of @c, which
 * are others in the next call (FTC_COMM_LOOKS). Every other death is left to the monitor processes.
 * Where ranks share cores, makes those that have just died let others go first. */
void ftc_killed_look(struct ftc_comm *c, uint64_t now_ns);

#endif
