/* library: what one process of a protected job holds between MPI_Init and MPI_Finalize.
 *
 * Which lock guards what, and who may write: doc/design.md, section 13. */
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
    FTC_LIBRARY_IDLE = 0, /* not initialised, switched off, or not usable here */
    FTC_LIBRARY_ACTIVE,
    FTC_LIBRARY_ENDED, /* MPI_Finalize is through, as far as the program can tell */
};

struct ftc_library {
    enum ftc_library_state state;
    struct ftc_settings settings;
    struct ftc_board board;
    struct ftc_transport transport;
    struct ftc_notice
        notice; /* what this rank tells people, as far as its monitor process does not */
    int world_rank, world_size;
    bool oversubscribed; /* the cores are fewer than the ranks that may use them */
    bool is_one_machine; /* of which the hosts are containers, if they are several */
    bool suspects;       /* monitor = timeout, on one host: silence means death */
    bool accuses;        /* the same on several: the monitor process ends who is silent */
    bool paused;         /* by MPI_Pcontrol: calls go to native MPI */
    bool threaded;       /* MPI_THREAD_MULTIPLE */
    bool interleaved;    /* operations begin while others run: of threads, or nonblocking ones */
    bool locked;         /* several threads, the program's or the library's: calls hold the lock */
    bool held;           /* where they do not: they would */
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

/* For what MPI may call while this rank has called MPI with the lock. */
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
