#include "quiet_thread.h"

#include "floating.h"
#include "libc.h"

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
    rv = ftc_libc_pthread_create(thread, &attributes, run, argument);
    pthread_attr_destroy(&attributes);
    return rv;
}

struct creation {
    pthread_t *thread;
    void *(*run)(void *);
    void *argument;
    size_t bytes;
    int rv;
};

static void create_plainly(void *argument)
{
    struct creation *c = argument;

    c->rv = create(c->thread, c->run, c->argument, c->bytes);
    if (c->rv == EINVAL && c->bytes > 0) /* still too few */
        c->rv = create(c->thread, c->run, c->argument, 0);
}

/* What the thread itself causes is for a handler of the program's, as on each other thread: a
 * signal that is blocked would kill the process past it. */
static void block_others(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t others;

    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

/* The program may have traps for floating-point exceptions, which threads inherit. */
int ftc_quiet_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    struct creation c = {thread, run, argument, stack_bytes(), 0};
    sigset_t before;

    block_others(&before);
    ftc_floating_run_plainly(create_plainly, &c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return c.rv;
}
