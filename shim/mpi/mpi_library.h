/* mpi_library: the MPI library of the program, and its functions.
 *
 * The library is not linked with any MPI library: it is loaded into programs of each, and of none.
 * Whoever includes this header in place of <mpi.h> calls functions PMPI_X as everywhere; they stand
 * for a table of jumps, which is filled when the first of them is called, from the one object that
 * the program has its MPI from: also one that was loaded with RTLD_LOCAL, which the dynamic linker
 * would not find for us, and never one of our own entry points (wrappers/entries.h). */
#ifndef FTC_MPI_MPI_LIBRARY_H
#define FTC_MPI_MPI_LIBRARY_H

#include "later_mpi.h"
#include "system/loaded.h"

#include <stdbool.h>

#define FTC_INTERCEPTED(name)                                                                      \
    extern __typeof__(PMPI_##name) PMPI_##name __asm__("ftc_native_PMPI_" #name);
#define FTC_NEEDED(name)   extern __typeof__(name) name __asm__("ftc_native_" #name);
#define FTC_OPTIONAL(name) FTC_NEEDED(name)
#include "mpi_library.def"
#undef FTC_INTERCEPTED
#undef FTC_NEEDED
#undef FTC_OPTIONAL

/* Their positions in the table. */
enum ftc_mpi_function {
#define FTC_INTERCEPTED(name) FTC_MPI_##name,
#define FTC_NEEDED(name)      FTC_##name,
#define FTC_OPTIONAL(name)    FTC_##name,
#include "mpi_library.def"
#undef FTC_INTERCEPTED
#undef FTC_NEEDED
#undef FTC_OPTIONAL
    FTC_MPI_FUNCTIONS
};

enum ftc_mpi_abi {
    FTC_MPI_NONE = 0, /* no MPI library */
    FTC_MPI_MPICH,    /* handles are integers */
    FTC_MPI_OTHER,    /* handles are pointers: Open MPI's, and MPI's standard ABI */
};

/* Finds the library for @caller, an address in who uses MPI, and fills the table, unless it was
 * done before. Returns FTC_MPI_NONE if there is none yet. */
enum ftc_mpi_abi ftc_mpi_open(const void *caller);

/* The library that was found. */
const struct ftc_loaded *ftc_mpi_object(void);

/* Of a library that need not be the program's; FTC_MPI_NONE: @object is no MPI library. */
enum ftc_mpi_abi ftc_mpi_abi_of(const struct ftc_loaded *object);

/* Of the library that the program was linked with; opens nothing. */
enum ftc_mpi_abi ftc_mpi_linked(void);

/* True if a symbol of MPI that @caller uses leads to some MPI library; opens nothing. */
bool ftc_mpi_is_in_reach(const void *caller);

/* NULL if the library that was found does not have it. */
void *ftc_mpi_function(enum ftc_mpi_function function);

enum { FTC_MPI_VERSION_MAX = 8193 }; /* MPI 5.0's; less in all others */

/* What the library that was found says of itself, in lines; false if there is none. */
bool ftc_mpi_version(char text[FTC_MPI_VERSION_MAX]);

/* What @object, of ABI FTC_MPI_OTHER, calls itself, such as "Open MPI v4.1.4". */
void ftc_mpi_describe(const struct ftc_loaded *object, char *text, size_t size);

/* The name of a needed function that it does not have; NULL if it has them all. */
const char *ftc_mpi_missing(void);

#endif
