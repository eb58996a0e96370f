/* quiet_thread: a thread of the library's own in a process that is not. Signals are for the threads
 * that the process has itself. */
#ifndef FTC_SYSTEM_QUIET_THREAD_H
#define FTC_SYSTEM_QUIET_THREAD_H

#include <pthread.h>
#include <signal.h>

/* As pthread_create(). */
static inline int ftc_quiet_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    int rv;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rv = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rv;
}

#endif
