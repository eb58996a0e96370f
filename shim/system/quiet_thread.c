#include "quiet_thread.h"

#include "floating.h"
#include "libc.h"

#include <errno.h>
#include <link.h>
#include <signal.h>

enum { THREAD_STACK_BYTES = 256 * 1024 };

/* Adds the size of the thread-local variables of one loaded object to *@sum. */
static int add_own_variables(struct dl_phdr_info *object, size_t size, void *sum)
{
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            *(size_t *)sum += object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
    return 0;
}

/* Returns the size of a thread's stack. The C library places the thread-local variables of the
 * program and all its libraries there. The size is computed for the first thread, because in a
 * monitor process later ones may find the dynamic linker locked. */
static size_t stack_bytes(void)
{
    static size_t bytes;

    if (bytes == 0) {
        dl_iterate_phdr(add_own_variables, &bytes);
        bytes += THREAD_STACK_BYTES;
    }
    return bytes;
}

/* Creates a thread with a stack of @bytes; 0: the default size. */
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
    if (c->rv == EINVAL && c->bytes > 0) /* still too small */
        c->rv = create(c->thread, c->run, c->argument, 0);
}

/* Blocks all signals but those that a thread itself causes. These signals go to a handler of the
 * program, as on each other thread. If they were blocked, they would kill the process without
 * calling the handler. *@before gets the previous mask. */
static void block_others(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t others;

    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

/* Creates the thread without traps for floating-point exceptions. The program may have set some,
 * and threads inherit them. */
int ftc_quiet_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    struct creation c = {thread, run, argument, stack_bytes(), 0};
    sigset_t before;

    block_others(&before);
    ftc_floating_run_plainly(create_plainly, &c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return c.rv;
}
