#include "file_limit.h"

#include <errno.h>
#include <time.h>

static sigset_t only_signal(void)
{
    sigset_t only;

    sigemptyset(&only);
    sigaddset(&only, SIGXFSZ);
    return only;
}

void ftc_file_limit_hold(struct ftc_file_limit *limit)
{
    const sigset_t only = only_signal();
    sigset_t pending;

    pthread_sigmask(SIG_BLOCK, &only, &limit->mask);
    sigpending(&pending);
    limit->was_pending = sigismember(&pending, SIGXFSZ) == 1;
}

/* Leaves a signal that was pending before to the program, which has blocked it. */
void ftc_file_limit_release(const struct ftc_file_limit *limit)
{
    const sigset_t only = only_signal();
    const struct timespec at_once = {0};
    const int error = errno;

    while (!limit->was_pending && sigtimedwait(&only, NULL, &at_once) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &limit->mask, NULL);
    errno = error;
}
