#include "gap.h"

#include "mpi/inside.h"
#include "mpi/mpi_library.h"
#include "system/imports.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How far apart MPICH's two calls are at most: 16 bytes in 4.0.2, 179 in 4.2.1, 345 in 5.0.2. */
enum { GAP_BYTES = 1024, TIMES = 16 };

static _Thread_local void (*awaiting)(void);
static _Thread_local int locks; /* of MPICH's that the thread holds, while it awaits */

/* Where it has given up the last of them, and then taken one; and how often there in a row. */
static _Thread_local struct {
    uintptr_t given_up, taken;
    int times;
} place;

/* A wait gives its one lock up, and takes it again in the same function, turn for turn. Around a
 * function of the program's, or between two calls of MPI, it is another place in between. */
static bool is_in_gap(uintptr_t taken)
{
    if (!awaiting || locks > 0)
        return false;
    place.times = place.taken == taken ? place.times + 1 : 1;
    place.taken = taken;
    return taken - place.given_up + GAP_BYTES < 2 * GAP_BYTES && place.times >= TIMES;
}

static int lock(pthread_mutex_t *mutex)
{
    while (is_in_gap((uintptr_t)__builtin_return_address(0)))
        awaiting();
    if (awaiting)
        locks++;
    return pthread_mutex_lock(mutex);
}

static int unlock(pthread_mutex_t *mutex)
{
    if (awaiting && locks > 0)
        locks--;
    place.given_up = (uintptr_t)__builtin_return_address(0);
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
    place.times = 0;
}
