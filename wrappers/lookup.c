/* dlsym(): who asks it for a function of the program's MPI library, as interpreters do for a
 * library that they have loaded themselves and tools for what stands behind them, is given ours.
 * All other questions are the C library's (lookup.S). */
#include "entries.h"

#include "lifecycle/outside.h"

#include <dlfcn.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

struct answer {
    const void *address;
    uintptr_t is_given; /* else dlsym() itself is to answer */
};

HIDDEN void *ftc_lookup_native; /* the C library's dlsym() */
HIDDEN struct answer ftc_lookup_answer(void *handle, const char *name, const void *caller);

static bool is_of_mpi(const char *name)
{
    return strncmp(name, "MPI_", 4) == 0 || strncmp(name, "PMPI_", 5) == 0;
}

/* Where dlsym() would find it. */
static bool find(void *handle, const char *name, const void *caller, struct ftc_loaded *object)
{
    const void *address;

    if (handle == RTLD_NEXT)
        return ftc_loaded_behind(caller, name, object);
    address = ftc_loaded_dlsym(handle, name);
    return address && ftc_loaded_around(address, object);
}

/* True if @object is the program's MPI library, and one that ftcoll works with. */
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

/* Our symbols must not make a program that asks for MPI's believe that it has them. */
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
