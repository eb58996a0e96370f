/* monitored: what a monitor process knows of its rank. */
#ifndef FTC_MONITOR_MONITORED_H
#define FTC_MONITOR_MONITORED_H

#include "board/board.h"
#include "channel.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ftc_monitor_job {
    pid_t child;    /* the program */
    pid_t launcher; /* parent of the monitor process */
    int channel;    /* this end of the channel to the program */
    int tether;     /* this end, of which there is no other; open as long as the process lives */
    int pmi;        /* the launcher's PMI socket */
    int outer;      /* program's end of an outer monitor process's channel; -1 below the launcher */
};

struct ftc_monitored {
    struct ftc_monitor_job job;
    int signals;            /* signalfd of everything */
    struct ftc_board board; /* not open until the rank has attached it */
    uint32_t world;
    struct ftc_monitor_options options;
    _Atomic bool stood_down; /* the rank's end, whatever it is, is meant for the whole job */
    bool leads_session; /* the launcher signals its process group, of which the program is a member
                         */
    sigset_t from_launcher; /* signals that the launcher has sent to the rank */
};

#endif
