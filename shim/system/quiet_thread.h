/* quiet_thread: a thread of the library's own, with a small stack. Signals are for the threads that
 * the process has itself, but for those that the thread causes: a handler of the program's gets
 * these. Floating-point exceptions do not trap in it. */
#ifndef FTC_SYSTEM_QUIET_THREAD_H
#define FTC_SYSTEM_QUIET_THREAD_H

#include <pthread.h>

/* As pthread_create(), which gives 0 or an error number. */
int ftc_quiet_thread(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
