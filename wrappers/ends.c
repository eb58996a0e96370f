/* Functions of the C library by which a process ends itself. If MPI calls one of them, the job has
 * to end (shim/program/fatal.h). */
#include "program/fatal.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void (*next_exit)(int);
static void (*next_abort)(void);
static void (*next_assert_fail)(const char *, const char *, unsigned, const char *);

static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(function, &found, sizeof found);
}

/* Finds these functions early: they may be called where the dynamic linker must not be used. */
__attribute__((constructor)) static void find_next(void)
{
    find("exit", &next_exit);
    find("abort", &next_abort);
    find("__assert_fail", &next_assert_fail);
}

void exit(int status)
{
    if (!next_exit) /* called by a library that is loaded before this one */
        find_next();
    ftc_fatal_end(__builtin_return_address(0));
    next_exit(status);
    __builtin_unreachable();
}

void abort(void)
{
    if (!next_abort)
        find_next();
    ftc_fatal_end(__builtin_return_address(0));
    next_abort();
    __builtin_unreachable();
}

/* Interposes on this function too, because glibc's own calls glibc's abort(), not the one above. */
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    if (!next_assert_fail)
        find_next();
    ftc_fatal_end(__builtin_return_address(0));
    next_assert_fail(assertion, file, line, function);
    __builtin_unreachable();
}
