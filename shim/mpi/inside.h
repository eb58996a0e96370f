/* inside: behaviour of MPICH, UCX and PMI that the library relies on although no interface promises
 * it, in parts that inside.def names. Code that relies on a part first asks ftc_inside_has(). If
 * the loaded version or MPICH's device is not one for which the part is known, the code does
 * without it. */
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

/* Returns whether @part can be relied on. No part of MPICH can before the MPI library is found. */
bool ftc_inside_has(enum ftc_inside part);

/* As above, and remembers that @part was wanted, for ftc_inside_describe_missing(). */
bool ftc_inside_want(enum ftc_inside part);

/* Switches @part off, whatever the version is, because this build of MPICH hides what the part
 * needs. */
void ftc_inside_miss(enum ftc_inside part);

/* Notes the version of PMI in which the launcher has answered, as 100 * major + minor; 0: it has
 * not answered. */
void ftc_inside_heard(unsigned version);

/* Switches all parts on, whatever is loaded, if @all is true (setting untested). Parts of which
 * ftc_inside_miss() was called stay off. */
void ftc_inside_trust(bool all);

/* Fills @text with the loaded versions, the wanted parts that are off, and what is lost without
 * them. Returns false if no wanted part is off. */
bool ftc_inside_describe_missing(char *text, size_t size);

/* Returns the version of UCX that is loaded, as 100 * major + minor; 0 without UCX. */
unsigned ftc_inside_ucx(void);

/* Returns the version of MPICH that is loaded, as 100 * major + minor; 0 for any other library,
 * even one that is derived from MPICH. */
unsigned ftc_inside_mpich(void);

/* Returns MPICH's device, such as "ch4:ucx"; "" if MPICH does not report it. */
const char *ftc_inside_device(void);

/* Result of PMPI_Get_library_version(). */
struct ftc_inside_mpi {
    unsigned version; /* version as 100 * major + minor; 0: any library but MPICH itself */
    char name[96];    /* text such as "MPICH 4.0.2 (ch4:ucx)"; for another library the first line */
    char device[32];  /* device such as "ch4:ucx"; "": not reported */
};

/* Fills @mpi from @library_version, the text of PMPI_Get_library_version(). */
void ftc_inside_read(const char *library_version, struct ftc_inside_mpi *mpi);

#endif
