/* A rank that dies before a message of native MPI's that is counted. */
#ifndef SENDS_H
#define SENDS_H

#include "native.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>

/* NULL, or why the messages that MPICH sends are not counted here. */
static const char *sends_are_not_counted(void)
{
    return native_device_is("ch4:ucx")
               ? NULL
               : "the messages that MPICH sends can be counted with UCX only";
}

static int sends_left; /* before this rank dies; 0: any number */

/* Stands before that of libucp, through which MPICH sends. */
void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, unsigned long tag,
                       const void *parameters);

void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, unsigned long tag,
                       const void *parameters)
{
    static void *(*next)(void *, const void *, size_t, unsigned long, const void *);

    if (!next) {
        void *found = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");

        memcpy(&next, &found, sizeof found);
    }
    if (sends_left > 0 && --sends_left == 0)
        raise(SIGKILL);
    return next(endpoint, buffer, count, tag, parameters);
}

#endif
