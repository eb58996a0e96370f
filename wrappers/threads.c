/* pthread_create(), for the first thread of a process. Libraries start threads when they are
 * loaded, before this library is initialised: UCX from 1.18 on for its tools, OpenBLAS for its
 * work. A fork after that would leave these threads in the monitor process. The fork is therefore
 * made before the first thread. */
#include "lifecycle/start.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

typedef int creation(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static creation *find_next(void)
{
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    creation *next;

    memcpy(&next, &found, sizeof next);
    return next;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    static creation *_Atomic next;

    ftc_load();
    if (!next)
        next = find_next();
    return next ? next(thread, attributes, run, argument) : EAGAIN;
}
