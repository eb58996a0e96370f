/* entries: the MPI symbols that the library exports, MPI_X and PMPI_X for each X that it interposes
 * on (FTC_INTERCEPTED in shim/mpi/mpi_library.def).
 *
 * A wrapper is written as int MPI_X(...). Its symbol has another name, which is not exported. The
 * two exported symbols are jumps (entries.S), because their right target is not known before the
 * program's MPI library is:
 *
 *     library          MPI_X                                       PMPI_X
 *     MPICH's ABI      the next library that interposes on MPI_X,  the wrapper; for calls from
 *                      a profiling tool, else the wrapper          within MPI, its own function
 *     another ABI      the next library's MPI_X                    MPI's own function
 *
 * So each call reaches a tool and the wrapper once, in whichever order they are loaded, because a
 * tool calls PMPI_X. A tool that asks dlsym() for PMPI_X gets this library's too (lookup.c). */
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

/* Returns this library's PMPI_X for "MPI_X" and for "PMPI_X"; NULL for all other names. */
const void *ftc_entries_find(const char *name);

#endif
