/* monitored: what a monitor process knows of its rank. */
#ifndef FTC_MONITORED_H
#define FTC_MONITORED_H

#include "board/board.h"
#include "channel.h"
#include "process.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct ftc_monitored {
    struct ftc_monitor_job job;
    int signals;            /* signalfd of everything */
    struct ftc_board board; /* not open until the rank has attached it */
    uint32_t slot;
    struct ftc_monitor_options options;
    _Atomic bool stood_down; /* the rank's end, whatever it is, is meant for the whole job */
    bool leads_session; /* the launcher signals its process group, of which the program is a member
                         */
    sigset_t from_launcher; /* signals that the launcher has sent to the rank */
};

#endif
