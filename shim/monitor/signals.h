/* signals: forwards to the program the signals that reach the monitor process in its place. */
#ifndef FTC_MONITOR_SIGNALS_H
#define FTC_MONITOR_SIGNALS_H

#include "monitored.h"

/* Finds the monitor process's place among process groups. With Hydra, which starts each rank as the
 * leader of a session and sends signals to the whole process group, the program stays in that group
 * and gets them itself. Below a script, the monitor process leaves the group, so that it only gets
 * what was sent to its own process id; Slurm sends signals to each process of a step, or only to
 * those that it has started. Also arranges for the end of the launcher to end the rank.
 */
void ftc_signals_prepare(struct ftc_monitored *rank);

/* Returns whether the program may have got a signal of the launcher's before the monitor process.
 * Slurm signals one process after the other, Hydra both at once. */
bool ftc_signals_may_be_late(const struct ftc_monitored *rank);

/* Forwards the signals that have arrived, unless the program has got them too or is gone, or they
 * were meant for the monitor process. */
void ftc_signals_forward(struct ftc_monitored *rank);

#endif
