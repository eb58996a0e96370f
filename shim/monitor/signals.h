/* signals: forwards to the program the signals that reach the monitor process in its place. */
#ifndef FTC_MONITOR_SIGNALS_H
#define FTC_MONITOR_SIGNALS_H

#include "monitored.h"

/* Prepares the monitor process for signals. Hydra starts each rank as the leader of a session and
 * signals its whole process group. The program stays in that group and gets these signals itself.
 * Below a script the monitor process leaves the group, so that it gets only what was sent to its
 * own process id. Slurm signals each process of a step, or only those that it has started. Also
 * makes the rank end when the launcher ends. */
void ftc_signals_prepare(struct ftc_monitored *rank);

/* Returns whether the program may have received a signal of the launcher before the monitor
 * process. Slurm signals one process after the other, Hydra both at once. */
bool ftc_signals_may_be_late(const struct ftc_monitored *rank);

/* Forwards the signals that have arrived, unless the program has received them too or has ended, or
 * they were meant for the monitor process. */
void ftc_signals_forward(struct ftc_monitored *rank);

#endif
