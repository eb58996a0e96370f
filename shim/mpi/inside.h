/* inside: what the library takes for granted of MPICH and UCX beyond their interfaces, in parts
 * that are named in inside.def. Whoever relies on one asks for it first, and does without where the
 * version that is loaded, or MPICH's device, is not one for which that was tested. */
#ifndef FTC_MPI_INSIDE_H
#define FTC_MPI_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

enum ftc_inside {
#define FTC_INSIDE(part, ...) FTC_INSIDE_##part,
#include "inside.def"
#undef FTC_INSIDE
    FTC_INSIDE_PARTS
};

/* True if @part can be relied on. Before the MPI library is found none of MPICH's can. */
bool ftc_inside_has(enum ftc_inside part);

/* The same, for who does something else because of that: it is remembered that @part was wanted. */
bool ftc_inside_want(enum ftc_inside part);

/* @part cannot be relied on, whatever the version says: MPICH was built so that what it stands on
 * cannot be found. */
void ftc_inside_miss(enum ftc_inside part);

/* The launcher has answered in this version of PMI, as 100 * major + minor; 0: it does not. */
void ftc_inside_heard(unsigned version);

/* All parts, whatever is loaded (setting untested). */
void ftc_inside_trust(bool all);

/* Fills @text with what is loaded, the parts that were wanted in vain, and what is lost without
 * them; false if there is none. */
bool ftc_inside_describe_missing(char *text, size_t size);

/* The version of UCX that is loaded, as 100 * major + minor; 0 without UCX. */
unsigned ftc_inside_ucx(void);

/* The version of MPICH itself that is loaded, as 100 * major + minor; 0 of another library. */
unsigned ftc_inside_mpich(void);

/* MPICH's device, such as "ch4:ucx"; "" if it is not told. */
const char *ftc_inside_device(void);

/* What PMPI_Get_library_version() says. */
struct ftc_inside_mpi {
    unsigned version; /* as 100 * major + minor; 0: of another library than MPICH itself */
    char name[96];    /* such as "MPICH 4.0.2 (ch4:ucx)", else its first line */
    char device[32];  /* such as "ch4:ucx"; "": not told */
};

void ftc_inside_read(const char *library_version, struct ftc_inside_mpi *mpi);

#endif
