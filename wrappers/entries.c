#include "entries.h"

#include "lifecycle/outside.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* Aliases of PMPI_X in entries.S, because its own name stands for MPI's function here. */
#define FTC_INTERCEPTED(x) extern HIDDEN const char ftc_profiling_##x[];
#define FTC_NEEDED(x)
#define FTC_OPTIONAL(x)
#include "mpi/mpi_library.def"
#undef FTC_INTERCEPTED

static const struct call {
    const char *name; /* "PMPI_X" */
    void *wrapper, *native;
    const void *profiling; /* this library's PMPI_X */
} calls[] = {
#define FTC_INTERCEPTED(x)                                                                         \
    {"PMPI_" #x, (void *)(uintptr_t)MPI_##x, (void *)(uintptr_t)PMPI_##x, ftc_profiling_##x},
#include "mpi/mpi_library.def"
#undef FTC_INTERCEPTED
#undef FTC_NEEDED
#undef FTC_OPTIONAL
};

enum { CALLS = sizeof calls / sizeof *calls };

/* Targets of the jumps MPI_X and PMPI_X, in the order of calls (entries.S). */
extern HIDDEN void *_Atomic ftc_entry_slot[], *_Atomic ftc_profiling_slot[];

HIDDEN uintptr_t ftc_mpi_code[2]; /* code of the MPI library: start, bytes */
HIDDEN void *ftc_entry_look_up(void *_Atomic *slot, const void *caller);

static const char *without_p(const char *name)
{
    return name + 1;
}

/* Returns the function of the next library that interposes on MPI_X, or else the MPI library's. */
static void *next_of(const struct call *call)
{
    void *next = ftc_loaded_dlsym(RTLD_NEXT, without_p(call->name));

    return next ? next : ftc_loaded_function(ftc_mpi_object(), without_p(call->name));
}

static bool is_of_mpi(const void *address)
{
    struct ftc_loaded object;

    return !address || !ftc_loaded_around(address, &object) ||
           ftc_loaded_is_same(&object, ftc_mpi_object());
}

static void lead(int i, enum ftc_mpi_abi abi)
{
    const struct call *call = &calls[i];
    void *next = next_of(call);

    if (abi == FTC_MPI_MPICH) {
        ftc_entry_slot[i] = is_of_mpi(next) ? call->wrapper : next;
        ftc_profiling_slot[i] = call->wrapper;
    } else {
        ftc_entry_slot[i] = next ? next : call->native;
        ftc_profiling_slot[i] = call->native;
    }
}

enum ftc_mpi_abi ftc_entries_open(const void *caller)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static _Atomic enum ftc_mpi_abi opened;
    enum ftc_mpi_abi abi = opened;

    if (abi != FTC_MPI_NONE)
        return abi;
    abi = ftc_mpi_open(caller);
    pthread_mutex_lock(&lock);
    if (abi != FTC_MPI_NONE && opened == FTC_MPI_NONE) {
        ftc_loaded_code(ftc_mpi_object(), &ftc_mpi_code[0], &ftc_mpi_code[1]);
        for (int i = 0; i < CALLS; i++)
            lead(i, abi);
        opened = abi;
        if (abi == FTC_MPI_OTHER)
            ftc_outside_say_other_mpi(ftc_mpi_object());
    }
    pthread_mutex_unlock(&lock);
    return abi;
}

/* Returns the target of a stub that does not lead anywhere yet. */
void *ftc_entry_look_up(void *_Atomic *slot, const void *caller)
{
    bool is_profiling = slot >= ftc_profiling_slot && slot < ftc_profiling_slot + CALLS;
    ptrdiff_t i = slot - (is_profiling ? ftc_profiling_slot : ftc_entry_slot);

    if (ftc_entries_open(caller) == FTC_MPI_NONE || (is_profiling && is_of_mpi(caller)))
        return calls[i].native;
    return *slot;
}

const void *ftc_entries_find(const char *name)
{
    for (int i = 0; i < CALLS; i++)
        if (strcmp(name, calls[i].name) == 0 || strcmp(name, without_p(calls[i].name)) == 0)
            return calls[i].profiling;
    return NULL;
}
