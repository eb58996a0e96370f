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
    pid_t child;    /* the program; 0 once it is over */
    pid_t ended;    /* the same, which has ended; until then 0 */
    pid_t launcher; /* parent of the monitor process */
    int channel;    /* this end of the channel to the program */
    int tether;     /* this end, of which there is no other; open as long as the process lives */
    int pmi;        /* the launcher's PMI socket */
    int outer;      /* program's end of an outer monitor process's channel; -1 below the launcher */
};

struct ftc_monitored {
    struct ftc_monitor_job job;
    int signals;            /* signalfd of everything */
    int input;              /* standard input that the launcher sends; -1: none (pipes.h) */
    struct ftc_board board; /* not open until the rank has attached it */
    uint32_t world;
    struct ftc_monitor_options options;
    _Atomic bool stood_down; /* the rank's end, whatever it is, is meant for the whole job */
    bool leads_session; /* the launcher signals its process group, of which the program is a member
                         */
    sigset_t from_launcher; /* signals that the launcher has sent to the rank */

    /* Events that the first thread announces; other threads enter them. */
    int bell;                      /* eventfd: there is something new */
    _Atomic bool is_ending;        /* the program's end is in the board, */
    _Atomic int ending_status;     /* with this status as of waitpid */
    _Atomic uint32_t inherited;    /* next ranks whose monitor processes have gone */
    _Atomic uint64_t inherited_ns; /* CLOCK_MONOTONIC of the last */
    uint32_t announced;            /* of these, by the first thread */
    _Atomic bool has_lost;         /* a host is lost, and that is not announced */
    bool is_watching;              /* a death is announced, and not yet what came of it */

    int listener; /* several hosts: where others come (query_server.h) */
};

/* Runs @run with @argument in a thread of its own; false if there is none. */
bool ftc_monitored_start_thread(void *(*run)(void *), void *argument);

#endif
