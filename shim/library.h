/* library: state of one process of a protected job between MPI_Init and MPI_Finalize.
 *
 * doc/design.md, section 13, says which lock guards which data, and which thread or process may
 * write them. */
#ifndef FTC_LIBRARY_H
#define FTC_LIBRARY_H

#include "board/board.h"
#include "config/settings.h"
#include "mpi/mpi_library.h"
#include "reporting/notice.h"
#include "transport/transport.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum ftc_library_state {
    FTC_LIBRARY_IDLE = 0, /* not initialised, switched off, or not usable in this job */
    FTC_LIBRARY_ACTIVE,
    FTC_LIBRARY_ENDED, /* MPI_Finalize has returned, as far as the program can tell */
};

struct ftc_library {
    enum ftc_library_state state;
    struct ftc_settings settings;
    struct ftc_board board;
    struct ftc_transport transport;
    struct ftc_notice notice; /* context of the lines and reports that this rank itself writes */
    int world_rank, world_size;
    bool oversubscribed; /* fewer cores than ranks that may use them */
    bool is_one_machine; /* all ranks run on one machine: on one host, or in several containers */
    bool suspects;       /* monitor = timeout on one host: ranks declare a silent rank dead */
    bool accuses;        /* monitor = timeout on several hosts: ranks ask the monitor process of a
                            silent rank to kill it */
    bool paused;         /* calls go to native MPI (MPI_Pcontrol, lifecycle/ending.c) */
    bool threaded;       /* MPI_THREAD_MULTIPLE */
    bool interleaved;    /* an operation may begin while others run: threads, nonblocking calls */
    bool locked;         /* several threads, the program's or the library's: calls take the lock */
    bool held;           /* unless locked: a call is where it would hold the lock */
    uint64_t messages_sent;
    pthread_mutex_t lock;
};

extern struct ftc_library ftc_library;

static inline void ftc_library_lock(void)
{
    if (ftc_library.locked)
        pthread_mutex_lock(&ftc_library.lock);
    else
        ftc_library.held = true;
}

/* Takes the lock if it is free, and returns whether it did. For callbacks of MPI, which may run
 * while this process calls MPI with the lock held. */
static inline bool ftc_library_trylock(void)
{
    if (ftc_library.locked)
        return pthread_mutex_trylock(&ftc_library.lock) == 0;
    if (ftc_library.held)
        return false;
    ftc_library.held = true;
    return true;
}

static inline void ftc_library_unlock(void)
{
    if (ftc_library.locked)
        pthread_mutex_unlock(&ftc_library.lock);
    else
        ftc_library.held = false;
}

#endif
