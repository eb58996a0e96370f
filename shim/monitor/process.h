/* process: the monitor process from the fork to its end. */
#ifndef FTC_MONITOR_PROCESS_H
#define FTC_MONITOR_PROCESS_H

#include "monitored.h"

/* Runs the monitor process. All signals must be blocked, and SIGCHLD must have its default
 * disposition. */
_Noreturn void ftc_monitor_run(const struct ftc_monitor_job *job);

#endif
