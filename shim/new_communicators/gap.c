#include "gap.h"

#include "mpi/inside.h"
#include "mpi/mpi_library.h"
#include "system/imports.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static _Thread_local void (*awaiting)(void);
static _Thread_local int locks; /* of MPICH's that the thread holds, while it awaits */

/* MPICH's wait gives up its one lock, and takes it again. */
static int lock(pthread_mutex_t *mutex)
{
    while (awaiting && locks == 0)
        awaiting();
    if (awaiting)
        locks++;
    return pthread_mutex_lock(mutex);
}

static int unlock(pthread_mutex_t *mutex)
{
    if (awaiting && locks > 0)
        locks--;
    return pthread_mutex_unlock(mutex);
}

/* With ch3 all other threads wait meanwhile for the one that polls. */
static bool is_there(void)
{
    return strncmp(ftc_inside_device(), "ch4:", 4) == 0;
}

static void redirect_locks(void)
{
    const struct ftc_loaded *mpi = ftc_mpi_object();

    if (is_there() && ftc_imports_redirect(mpi, "pthread_mutex_unlock", (void *)(uintptr_t)unlock))
        ftc_imports_redirect(mpi, "pthread_mutex_lock", (void *)(uintptr_t)lock);
}

void ftc_gap_await(void (*then)(void))
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, redirect_locks);
    awaiting = then;
    locks = 1;
}

void ftc_gap_forget(void)
{
    awaiting = NULL;
}
