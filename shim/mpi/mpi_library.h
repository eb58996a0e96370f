/* mpi_library: the program's MPI library and its functions.
 *
 * This library is not linked with any MPI library, because it is loaded into programs of all MPI
 * libraries, and into programs without MPI. A file that includes this header in place of <mpi.h>
 * calls functions PMPI_X as usual. They stand for entries of a table of jumps. The first call of
 * one of them fills the table from the library that provides the program's MPI. This also finds a
 * library loaded with RTLD_LOCAL, which the dynamic linker would not, and never leads to an entry
 * point of this library (wrappers/entries.h). */
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

/* Positions of the functions in the table. */
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

/* Finds the MPI library of @caller, an address in code that uses MPI, and fills the table, unless
 * that was done before. Returns FTC_MPI_NONE if no MPI library is loaded yet. */
enum ftc_mpi_abi ftc_mpi_open(const void *caller);

/* Returns the library that ftc_mpi_open() has found. */
const struct ftc_loaded *ftc_mpi_object(void);

/* Returns the ABI of @object, which need not be the program's MPI library; FTC_MPI_NONE if it is no
 * MPI library. */
enum ftc_mpi_abi ftc_mpi_abi_of(const struct ftc_loaded *object);

/* Returns the ABI of the library that the program was linked with. Opens nothing. */
enum ftc_mpi_abi ftc_mpi_linked(void);

/* Returns whether a symbol of MPI in the code at @caller leads to an MPI library. Opens nothing. */
bool ftc_mpi_is_in_reach(const void *caller);

/* Returns the address of @function; NULL if the library that was found does not have it. */
void *ftc_mpi_function(enum ftc_mpi_function function);

enum { FTC_MPI_VERSION_MAX = 8193 }; /* MPI 5.0's; less in all others */

/* Copies the lines of PMPI_Get_library_version() to @text. Returns false if no library was found,
 * or if it does not report a version. */
bool ftc_mpi_version(char text[FTC_MPI_VERSION_MAX]);

/* Writes the name, version and file of @object, of ABI FTC_MPI_OTHER, to @text, such as "Open MPI
 * v4.1.4 (libmpi.so.40)". */
void ftc_mpi_describe(const struct ftc_loaded *object, char *text, size_t size);

/* Returns the name of a needed function that the library does not have; NULL if it has them all. */
const char *ftc_mpi_missing(void);

#endif
