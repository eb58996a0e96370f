/* dlsym() of the library. For functions of the program's MPI library it returns this library's.
 * Interpreters ask for these in an MPI library that they have loaded themselves, and tools ask for
 * the next function after their own. The C library answers all other calls (lookup.S). */
#include "entries.h"

#include "lifecycle/outside.h"

#include <dlfcn.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

struct answer {
    const void *address;
    uintptr_t is_given; /* 0: the C library's dlsym() has to answer */
};

HIDDEN void *ftc_lookup_native; /* the C library's dlsym() */
HIDDEN struct answer ftc_lookup_answer(void *handle, const char *name, const void *caller);

static bool is_of_mpi(const char *name)
{
    return strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0;
}

/* Finds the object in which dlsym() would find @name. Returns false if there is none. */
static bool find(void *handle, const char *name, const void *caller, struct ftc_loaded *object)
{
    const void *address;

    if (handle == RTLD_NEXT)
        return ftc_loaded_behind(caller, name, object);
    address = ftc_loaded_dlsym(handle, name);
    return address && ftc_loaded_around(address, object);
}

/* Returns whether @object is the program's MPI library, and one that ftcoll works with. */
static bool is_programs_own(const struct ftc_loaded *object, const char *name)
{
    switch (ftc_mpi_abi_of(object)) {
    case FTC_MPI_MPICH:
        return ftc_entries_open(ftc_loaded_function(object, "PMPI_Init")) == FTC_MPI_MPICH &&
               ftc_loaded_is_same(object, ftc_mpi_object());
    case FTC_MPI_OTHER:
        if (strstr(name, "MPI_Init"))
            ftc_outside_say_other_mpi(object);
        return false;
    default:
        return false; /* a tool, or this library */
    }
}

/* Returns whether @caller can reach no MPI library with a function @name. Symbols of this library
 * must not make such a program believe that it has MPI. */
static bool is_missing(void *handle, const char *name, const void *caller)
{
    return handle == RTLD_DEFAULT && !ftc_mpi_is_in_reach(caller) &&
           !ftc_loaded_dlsym(RTLD_NEXT, name);
}

struct answer ftc_lookup_answer(void *handle, const char *name, const void *caller)
{
    static const struct answer none = {NULL, false}, missing = {NULL, true};
    struct ftc_loaded object;
    const void *own = name && is_of_mpi(name) ? ftc_entries_find(name) : NULL;

    ftc_lookup_native = ftc_loaded_native_dlsym();
    if (!own || (ftc_loaded_around(caller, &object) && ftc_loaded_is_own(&object)))
        return none;
    if (handle == RTLD_DEFAULT)
        return is_missing(handle, name, caller) ? missing : none;
    if (!find(handle, name, caller, &object) || !is_programs_own(&object, name))
        return none;
    return (struct answer){own, true};
}
