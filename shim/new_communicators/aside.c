#include "aside.h"

#include "mpi/mpi_library.h"
#include "system/imports.h"
#include "system/quiet_thread.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum state { RUNNING, OVER, LEFT };
enum { UNKNOWN = -1 };

struct ftc_aside {
    void (*function)(void *);
    void *argument;
    _Atomic int state;
    int locks; /* of MPICH's that its thread holds; known from a poll on */
};

static _Thread_local struct ftc_aside *own;

_Atomic bool ftc_aside_is_any_left;

static void *run(void *argument)
{
    struct ftc_aside *a = argument;

    own = a;
    a->function(a->argument);
    own = NULL;
    if (atomic_exchange(&a->state, OVER) == LEFT)
        free(a);
    return NULL;
}

struct ftc_aside *ftc_aside_begin(void (*function)(void *argument), void *argument)
{
    struct ftc_aside *a = calloc(1, sizeof *a);
    pthread_t thread;

    if (!a)
        return NULL;
    a->function = function;
    a->argument = argument;
    a->locks = UNKNOWN;
    if (ftc_guest_thread(&thread, run, a) != 0) {
        free(a);
        return NULL;
    }
    pthread_detach(thread);
    return a;
}

bool ftc_aside_is_over(const struct ftc_aside *a)
{
    return atomic_load(&a->state) == OVER;
}

/* ---- the way to sleep ---- */

static struct ftc_aside *own_if_left(void)
{
    return own && atomic_load(&own->state) == LEFT ? own : NULL;
}

/* MPICH's wait gives up its one lock, and takes it again. */
static int lock(pthread_mutex_t *mutex)
{
    struct ftc_aside *a = own_if_left();

    while (a && a->locks == 0)
        pause();
    if (a && a->locks > 0)
        a->locks++;
    return pthread_mutex_lock(mutex);
}

static int unlock(pthread_mutex_t *mutex)
{
    struct ftc_aside *a = own_if_left();

    if (a && a->locks > 0)
        a->locks--;
    return pthread_mutex_unlock(mutex);
}

static void redirect_locks(void)
{
    const struct ftc_loaded *mpi = ftc_mpi_object();

    if (ftc_imports_redirect(mpi, "pthread_mutex_unlock", (void *)(uintptr_t)unlock) &&
        ftc_imports_redirect(mpi, "pthread_mutex_lock", (void *)(uintptr_t)lock))
        ftc_aside_is_any_left = true;
}

void ftc_aside_poll(void)
{
    struct ftc_aside *a = own_if_left();

    if (a)
        a->locks = 1;
}

bool ftc_aside_close(struct ftc_aside *a)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    bool is_over = atomic_exchange(&a->state, LEFT) == OVER;

    if (is_over)
        free(a);
    else
        pthread_once(&once, redirect_locks);
    return is_over;
}
