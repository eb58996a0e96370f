/* quiet_thread: a thread of the library with a small stack. Signals go to the threads of the
 * program, except those that this thread causes itself. A handler of the program gets these.
 * Floating-point exceptions do not trap in the thread. */
#ifndef FTC_SYSTEM_QUIET_THREAD_H
#define FTC_SYSTEM_QUIET_THREAD_H

#include <pthread.h>

/* Creates a thread as pthread_create() does. Returns 0 or an error number. */
int ftc_quiet_thread(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
