/* attribute: the data that the library keeps with a communicator, in one MPI attribute.
 *
 * The attribute has sections, each used by one file. MPI calls the section's callback when it frees
 * the communicator. MPI deletes attributes in the reverse of the order in which they were set, and
 * a delete callback of the program may still use the communicator. If the library's attribute were
 * deleted first, data that the library keeps anew in such a callback would never be deleted, and
 * would seem to belong to the next communicator with the same handle. The library's attribute must
 * therefore be older than the program's, so that it is deleted last. MPI_COMM_WORLD has it from
 * MPI_Init on, and a communicator with a lineage from when it is made. A duplicate gets an empty
 * one when MPI copies that of its parent. Other communicators get it when a section is first
 * filled. */
#ifndef FTC_COMMUNICATOR_ATTRIBUTE_H
#define FTC_COMMUNICATOR_ATTRIBUTE_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* Sections, in the order in which their callbacks are called. */
enum ftc_attribute_section {
    FTC_SECTION_COMM,             /* communicator/registry.c */
    FTC_SECTION_LINEAGE,          /* communicator/lineage.c */
    FTC_SECTION_MARKS,            /* program/native_call.c */
    FTC_SECTION_PEERS,            /* p2p/peers.c */
    FTC_SECTION_CONTEXT,          /* new_communicators/context.c */
    FTC_SECTION_VIRTUAL_TOPOLOGY, /* communicator/virtual_topology.c */
    FTC_SECTION_SPARES,           /* communicator/spares.c */
    FTC_SECTION_ERROR_HANDLER,    /* communicator/error_handler.c */
    FTC_SECTIONS
};

/* Creates the attribute key and gives MPI_COMM_WORLD its attribute. Called in MPI_Init. Returns 0
 * or a negative errno. */
int ftc_attribute_open(void);

/* Sets the callback of @section. When MPI frees a communicator, it calls @forget with the section's
 * content, unless that is NULL, and without a lock of the library or of MPICH. */
void ftc_attribute_on_free(enum ftc_attribute_section section,
                           void (*forget)(MPI_Comm comm, void *kept));

/* Returns the content of @section of @comm, or NULL if it has none. */
void *ftc_attribute_get(MPI_Comm comm, enum ftc_attribute_section section);

/* Keeps @kept, which must not be NULL, in place of the former content of @section. Returns false
 * without memory. The caller must prevent its threads from keeping different data at the same
 * time. */
bool ftc_attribute_keep(MPI_Comm comm, enum ftc_attribute_section section, void *kept);

/* Deletes the attribute of @comm and calls the callbacks, as if MPI freed @comm. */
void ftc_attribute_forget(MPI_Comm comm);

#endif
