/* attribute: what the library keeps of a communicator of MPI, in one attribute of it.
 *
 * The attribute has sections, each of one file, whose callback is called when MPI frees the
 * communicator. MPI deletes attributes in the reverse of the order in which they were set, and a
 * delete callback of the program may still use the communicator: it must come before the library
 * forgets what it knows, because what would be kept anew in the middle of the end would never be
 * deleted, and be taken for what is known of the next communicator with this handle. So ours is
 * older than the program's: MPI_COMM_WORLD has it from MPI_Init on, a communicator with a lineage
 * from when it is made, a duplicate by MPI's copy of the parent's, which is an empty one. Others
 * get it when something is first kept in a section. */
#ifndef FTC_COMMUNICATOR_ATTRIBUTE_H
#define FTC_COMMUNICATOR_ATTRIBUTE_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* In the order in which their callbacks are called. */
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

/* In MPI_Init; 0 or a negative errno. */
int ftc_attribute_open(void);

/* Has @forget called with the content of @section when MPI frees its communicator, without a lock
 * of the library or of MPICH. */
void ftc_attribute_on_free(enum ftc_attribute_section section,
                           void (*forget)(MPI_Comm comm, void *kept));

/* Returns the content of @section for @comm; NULL: nothing. */
void *ftc_attribute_get(MPI_Comm comm, enum ftc_attribute_section section);

/* Keeps @kept, which is not NULL, in place of what was kept before. False without memory. The
 * caller sees to it that its threads do not come at once with different things. */
bool ftc_attribute_keep(MPI_Comm comm, enum ftc_attribute_section section, void *kept);

/* Forgets all that is kept of @comm, as if MPI freed it. */
void ftc_attribute_forget(MPI_Comm comm);

#endif
