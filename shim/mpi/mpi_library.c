#include "mpi_library.h"

#include "system/lines.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const name[] = {
#define FTC_INTERCEPTED(x) "PMPI_" #x,
#define FTC_NEEDED(x)      #x,
#define FTC_OPTIONAL(x)    #x,
#include "mpi_library.def"
#undef FTC_INTERCEPTED
#undef FTC_NEEDED
#undef FTC_OPTIONAL
};

static const bool is_needed[] = {
#define FTC_INTERCEPTED(x) false,
#define FTC_NEEDED(x)      true,
#define FTC_OPTIONAL(x)    false,
#include "mpi_library.def"
#undef FTC_INTERCEPTED
#undef FTC_NEEDED
#undef FTC_OPTIONAL
};

/* Addresses to which the stubs jump (mpi_library.S). While a slot is not filled, its stub calls
 * ftc_mpi_look_up(). */
extern __attribute__((visibility("hidden"))) void *_Atomic ftc_mpi_slot[];
__attribute__((visibility("hidden"))) void *ftc_mpi_look_up(void *_Atomic *slot,
                                                            const void *caller);

static void *function[FTC_MPI_FUNCTIONS];
static struct ftc_loaded library;
static _Atomic enum ftc_mpi_abi found; /* ABI of the library; set after the table is filled */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- which library ---- */

static bool is_found_at(const void *address, struct ftc_loaded *object)
{
    return address && ftc_loaded_around(address, object) && !ftc_loaded_is_own(object);
}

/* Finds the library in which MPI calls of the whole program end. */
static bool find_global(struct ftc_loaded *object)
{
    return is_found_at(ftc_loaded_dlsym(RTLD_NEXT, "PMPI_Init"), object);
}

/* Finds the library in which MPI calls of one module end. The module was loaded together with an
 * MPI library of its own. */
static bool find_by_user(const void *caller, struct ftc_loaded *object)
{
    struct ftc_loaded user;
    void *handle, *init;

    if (!is_found_at(caller, &user) || ftc_loaded_is_program(&user))
        return false;
    handle = dlopen(user.path, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return false;
    init = ftc_loaded_dlsym(handle, "PMPI_Init");
    dlclose(handle);
    return is_found_at(init, object);
}

static bool find_library(const void *caller, struct ftc_loaded *object)
{
    return find_global(object) || find_by_user(caller, object) ||
           ftc_loaded_behind(name, "PMPI_Init", object);
}

/* Recognises MPICH's ABI by MPIR_Dup_fn, which the mpi.h of all libraries with that ABI names. */
enum ftc_mpi_abi ftc_mpi_abi_of(const struct ftc_loaded *object)
{
    static const char standard[] = "libmpi_abi.";

    if (ftc_loaded_is_own(object) || !ftc_loaded_function(object, "PMPI_Init"))
        return FTC_MPI_NONE;
    if (strncmp(ftc_loaded_name(object), standard, strlen(standard)) == 0 ||
        !ftc_loaded_function(object, "MPIR_Dup_fn"))
        return FTC_MPI_OTHER;
    return FTC_MPI_MPICH;
}

enum ftc_mpi_abi ftc_mpi_linked(void)
{
    struct ftc_loaded object;

    return find_global(&object) ? ftc_mpi_abi_of(&object) : FTC_MPI_NONE;
}

bool ftc_mpi_is_in_reach(const void *caller)
{
    struct ftc_loaded object;

    return find_global(&object) || find_by_user(caller, &object);
}

/* ---- its functions ---- */

static void fill(void)
{
    for (int i = 0; i < FTC_MPI_FUNCTIONS; i++) {
        function[i] = ftc_loaded_function(&library, name[i]);
        if (function[i])
            ftc_mpi_slot[i] = function[i];
    }
}

/* Keeps the library from being unloaded, because the table leads to it. */
static void keep(void)
{
    dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

enum ftc_mpi_abi ftc_mpi_open(const void *caller)
{
    if (found != FTC_MPI_NONE)
        return found;
    pthread_mutex_lock(&lock);
    if (found == FTC_MPI_NONE && find_library(caller, &library)) {
        keep();
        fill();
        found = ftc_mpi_abi_of(&library);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

const struct ftc_loaded *ftc_mpi_object(void)
{
    return &library;
}

void *ftc_mpi_function(enum ftc_mpi_function which)
{
    return function[which];
}

const char *ftc_mpi_missing(void)
{
    for (int i = 0; i < FTC_MPI_FUNCTIONS; i++)
        if (is_needed[i] && !function[i])
            return name[i];
    return NULL;
}

static int refuse(void)
{
    return MPI_ERR_OTHER;
}

void *ftc_mpi_look_up(void *_Atomic *slot, const void *caller)
{
    ptrdiff_t i = slot - ftc_mpi_slot;
    bool has_library = ftc_mpi_open(caller) != FTC_MPI_NONE;

    if (function[i])
        return function[i];
    ftc_lines_say("ftcoll: %s is called, but %s\n", name[i],
                  has_library ? "the program's MPI library does not have it"
                              : "no MPI library is loaded");
    return (void *)(uintptr_t)refuse;
}

/* ---- its name and version ---- */

static bool ask_version(const struct ftc_loaded *object, char text[FTC_MPI_VERSION_MAX])
{
    int (*version)(char *, int *), length;
    void *address = ftc_loaded_function(object, "PMPI_Get_library_version");

    text[0] = '\0';
    memcpy(&version, &address, sizeof version);
    return version && version(text, &length) == MPI_SUCCESS;
}

bool ftc_mpi_version(char text[FTC_MPI_VERSION_MAX])
{
    return found != FTC_MPI_NONE && ask_version(&library, text);
}

/* Cuts the text where the version ends: in Open MPI at a comma, in other libraries at the end of a
 * line. */
void ftc_mpi_describe(const struct ftc_loaded *object, char *text, size_t size)
{
    char whole[FTC_MPI_VERSION_MAX];

    ask_version(object, whole);
    whole[strcspn(whole, ",\n")] = '\0';
    snprintf(text, size, "%s (%s)", whole[0] ? whole : "another MPI", ftc_loaded_name(object));
}
