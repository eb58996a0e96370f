#include "libc.h"

#include "loaded.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* Finds the function that a call by @name reaches, which may be in a sanitizer. If that is this
 * library's own definition, finds the next one. */
static void find(const char *name, void *function)
{
    void *found = ftc_loaded_dlsym(RTLD_DEFAULT, name);
    struct ftc_loaded object;

    if (found && ftc_loaded_around(found, &object) && ftc_loaded_is_own(&object))
        found = ftc_loaded_dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

void ftc_libc_exit(int status)
{
    void (*end)(int);

    find("exit", &end);
    end(status);
    __builtin_unreachable();
}

int ftc_libc_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*run)(void *), void *argument)
{
    static int (*_Atomic known)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = known;

    if (!create) {
        find("pthread_create", &create);
        known = create;
    }
    return create ? create(thread, attributes, run, argument) : EAGAIN;
}
