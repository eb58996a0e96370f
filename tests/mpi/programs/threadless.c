/* threadless: a library that is preloaded before the one under test, for which there are no more
 * threads, as where a user's limit is reached. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static int is_under_test(const void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) && strstr(info.dli_fname, "libftcoll") != NULL;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    union {
        void *address;
        int (*call)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    } next = {dlsym(RTLD_NEXT, "pthread_create")};

    if (is_under_test(__builtin_return_address(0)))
        return EAGAIN;
    return next.call(thread, attributes, run, argument);
}
