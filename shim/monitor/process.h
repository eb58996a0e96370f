/* monitor_process: what the monitor process itself does from the fork to its end. */
#ifndef FTC_MONITOR_PROCESS_H
#define FTC_MONITOR_PROCESS_H

#include <sys/types.h>

struct ftc_monitor_job {
    pid_t child;    /* the program */
    pid_t launcher; /* parent of the monitor process */
    int channel;    /* this end of the channel to the program */
    int tether;     /* this end, of which there is no other; open as long as the process lives */
    int pmi;        /* the launcher's PMI socket */
    int outer;      /* program's end of an outer monitor process's channel; -1 below the launcher */
};

/* Runs the monitor process. All signals must be blocked and SIGCHLD have its default disposition.
 */
_Noreturn void ftc_monitor_run(const struct ftc_monitor_job *job);

#endif
