/* monitored: data that a monitor process has about its rank. */
#ifndef FTC_MONITOR_MONITORED_H
#define FTC_MONITOR_MONITORED_H

#include "board/board.h"
#include "channel.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ftc_monitor_job {
    pid_t child;    /* process id of the program; 0 after its end */
    pid_t ended;    /* process id of the program after its end; 0 before */
    pid_t launcher; /* process id of the monitor process's parent */
    int channel;    /* monitor process's end of the channel to the program */
    int tether;     /* only writing end of the tether; open as long as this process lives */
    int pmi;        /* the launcher's PMI socket */
    int outer;      /* program's end of an outer monitor process's channel; -1: none */
};

struct ftc_monitored {
    struct ftc_monitor_job job;
    int signals;            /* signalfd of all signals */
    int input;              /* standard input that the launcher sends; -1: none (pipes.h) */
    struct ftc_board board; /* not open until the rank has attached it */
    uint32_t world;
    struct ftc_monitor_options options;
    _Atomic bool stood_down; /* any end of the rank is meant for the whole job */
    /* The launcher signals the process group of the monitor process, which includes the program. */
    bool leads_session;
    sigset_t from_launcher; /* signals that the launcher has sent to the rank */

    /* Events that the first thread announces; other threads enter them. */
    int wakeup;                    /* eventfd: there is a new event */
    _Atomic bool is_ending;        /* the lock on the board has shown the program's end */
    _Atomic int ending_status;     /* status of that end as of waitpid() */
    _Atomic uint32_t inherited;    /* number of next ranks whose monitor processes have ended */
    _Atomic uint64_t inherited_ns; /* CLOCK_MONOTONIC of the last of these ends */
    uint32_t announced;            /* how many of these the first thread has handled */
    _Atomic bool has_lost;         /* a host is lost and not yet announced */
    bool is_watching;              /* a death is announced, but not yet the recovery */

    int listener; /* socket that other hosts connect to (query_server.h); -1 on one host */
};

/* Runs @run with @argument in a thread of its own. Returns false if no thread can be started. */
bool ftc_monitored_start_thread(void *(*run)(void *), void *argument);

#endif
