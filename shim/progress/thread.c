#include "thread.h"

#include "queue.h"
#include "system/clock.h"
#include "system/quiet_thread.h"

#include <time.h>

enum {
    NAP_MIN_NS = 50000,
    NAP_MAX_NS = 1000000,
    NAP_LONGEST_NS = 100000000, /* longest nap, after a round that took as long */
    IDLE_NAPS = 20, /* naps without operations before a sleep that only a system call ends */
};

static pthread_t thread;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static bool is_on, is_asleep, is_ending;
static uint64_t looks; /* number of times that the program advanced the operations */

static void nap(long ns)
{
    ftc_library_unlock();
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
    ftc_library_lock();
}

static void sleep_until_woken(void)
{
    while (is_asleep && !is_ending)
        pthread_cond_wait(&work, &ftc_library.lock);
}

static bool go_on(void)
{
    bool progress = false;

    while (ftc_queue_turn())
        progress = true;
    return progress;
}

/* Advances the operations unless the program has done so. Returns how long to nap before the next
 * round. */
static long round_of_helper(long last_ns)
{
    static uint64_t seen;

    if (looks != seen) {
        seen = looks;
        return NAP_MAX_NS;
    }
    if (go_on())
        return NAP_MIN_NS;
    return 2 * last_ns < NAP_MAX_NS ? 2 * last_ns : NAP_MAX_NS;
}

/* Takes a round and returns how long to nap. The nap is at least as long as the round, so that the
 * program, which may be starting thousands of operations, has the lock for at least as long as the
 * thread. */
static long timed_round(long last_ns)
{
    uint64_t begin_ns = ftc_clock_ns_of(CLOCK_THREAD_CPUTIME_ID);
    long nap_ns = round_of_helper(last_ns);
    long took_ns = (long)(ftc_clock_ns_of(CLOCK_THREAD_CPUTIME_ID) - begin_ns);

    took_ns = took_ns < NAP_LONGEST_NS ? took_ns : NAP_LONGEST_NS;
    return nap_ns > took_ns ? nap_ns : took_ns;
}

static void *run(void *unused)
{
    long nap_ns = NAP_MAX_NS;
    int idle = 0;

    (void)unused;
    pthread_mutex_lock(&ftc_library.lock);
    sleep_until_woken();
    while (!is_ending) {
        if (ftc_queue_is_used()) {
            nap_ns = timed_round(nap_ns);
            idle = 0;
        } else if (++idle > IDLE_NAPS) {
            is_asleep = true;
            sleep_until_woken();
            idle = 0;
        }
        nap(nap_ns);
    }
    pthread_mutex_unlock(&ftc_library.lock);
    return NULL;
}

int ftc_thread_open(void)
{
    int rv;

    ftc_library.interleaved = is_asleep = true;
    rv = ftc_quiet_thread(&thread, run, NULL);
    is_on = rv == 0;
    return -rv;
}

void ftc_thread_close(void)
{
    if (!is_on)
        return;
    if (!ftc_library.locked)
        ftc_library.locked = true;
    ftc_library_lock();
    is_ending = true;
    pthread_cond_signal(&work);
    ftc_library_unlock();
    pthread_join(thread, NULL);
    is_on = false;
}

void ftc_thread_wake(void)
{
    if (!is_asleep)
        return;
    if (!ftc_library.locked) {
        ftc_library.held = false;
        ftc_library.locked = true;
        pthread_mutex_lock(&ftc_library.lock);
    }
    is_asleep = false;
    pthread_cond_signal(&work);
}

void ftc_thread_see_program(void)
{
    looks++;
}
