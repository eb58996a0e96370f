#include "quiet_thread.h"

#include <errno.h>
#include <link.h>
#include <signal.h>

enum { THREAD_STACK_BYTES = 256 * 1024 };

/* Of one object that is loaded. */
static int add_own_variables(struct dl_phdr_info *object, size_t size, void *sum)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)sum += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
    return 0;
}

/* The C library takes a thread's own variables, of the program and all its libraries, from the
 * thread's stack. Asked for by the first thread: in a monitor process others may find the dynamic
 * linker locked. */
static size_t stack_bytes(void)
{
    static size_t bytes;

    if (bytes == 0) {
        dl_iterate_phdr(add_own_variables, &bytes);
        bytes += THREAD_STACK_BYTES;
    }
    return bytes;
}

/* @bytes 0: as many as threads have that ask for nothing. */
static int create(pthread_t *thread, void *(*run)(void *), void *argument, size_t bytes)
{
    pthread_attr_t attributes;
    int rv = pthread_attr_init(&attributes);

    if (rv != 0)
        return rv;
    if (bytes > 0)
        pthread_attr_setstacksize(&attributes, bytes);
    rv = pthread_create(thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return rv;
}

static int create_quiet(pthread_t *thread, void *(*run)(void *), void *argument, size_t bytes)
{
    sigset_t all, before;
    int rv;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rv = create(thread, run, argument, bytes);
    if (rv == EINVAL && bytes > 0) /* still too few */
        rv = create(thread, run, argument, 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rv;
}

int ftc_quiet_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    return create_quiet(thread, run, argument, stack_bytes());
}

int ftc_guest_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    return create_quiet(thread, run, argument, 0);
}
