/* entries: the symbols of MPI that the library shows, MPI_X and PMPI_X for each X that it stands
 * before (FTC_INTERCEPTED in shim/mpi/mpi_library.def).
 *
 * A wrapper is written as int MPI_X(...); its symbol has another name, which is not shown. Behind
 * the two that are shown is a jump (entries.S), because the right target is not known before the
 * program's MPI library is:
 *
 *     library          MPI_X                                       PMPI_X
 *     MPICH's ABI      the next library that stands before MPI_X,  the wrapper; for calls from
 *                      a profiling tool, else the wrapper          within MPI, its own function
 *     another ABI      whoever comes next                          MPI's own function
 *
 * So each call comes to a tool and to the wrapper once, in whichever order they are loaded: a tool
 * calls PMPI_X. One that asks dlsym() for it instead is given our PMPI_X too (lookup.c). */
#ifndef FTC_ENTRIES_H
#define FTC_ENTRIES_H

#include "mpi/mpi_library.h"

#define FTC_INTERCEPTED(name)                                                                      \
    extern __typeof__(MPI_##name) MPI_##name __asm__("ftc_wrapper_MPI_" #name);
#define FTC_NEEDED(name)
#define FTC_OPTIONAL(name)
#include "mpi/mpi_library.def"
#undef FTC_INTERCEPTED
#undef FTC_NEEDED
#undef FTC_OPTIONAL

/* Finds the program's MPI library for @caller, and where each entry leads, unless it was done
 * before. Returns FTC_MPI_NONE if there is no MPI library yet. */
enum ftc_mpi_abi ftc_entries_open(const void *caller);

/* Our PMPI_X for "MPI_X" and "PMPI_X"; NULL for all other names. */
const void *ftc_entries_find(const char *name);

#endif
