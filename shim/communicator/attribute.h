/* attribute: what the library keeps of a communicator of MPI, in one attribute of it.
 *
 * Whoever keeps something is a tenant: it has a place there, and is told when MPI frees the
 * communicator. MPI deletes attributes in the reverse of the order in which they were set, and a
 * delete callback of the program may still use the communicator: it must come before the library
 * forgets what it knows, because what would be kept anew in the middle of the end would never be
 * deleted, and be taken for what is known of the next communicator with this handle. So ours is
 * older than the program's: MPI_COMM_WORLD has it from MPI_Init on, a communicator with a lineage
 * from when it is made, a duplicate by MPI's copy of the parent's, which is an empty one. Others
 * get it when a tenant first keeps something. */
#ifndef FTC_COMMUNICATOR_ATTRIBUTE_H
#define FTC_COMMUNICATOR_ATTRIBUTE_H

#include "mpi/mpi_library.h"

#include <stdbool.h>

/* In the order in which they are told. */
enum ftc_tenant {
    FTC_TENANT_COMM,          /* communicator/registry.c */
    FTC_TENANT_LINEAGE,       /* communicator/lineage.c */
    FTC_TENANT_MARKS,         /* program/native_call.c */
    FTC_TENANT_PEERS,         /* p2p/peers.c */
    FTC_TENANT_CONTEXT,       /* new_communicators/context.c */
    FTC_TENANT_PLACES,        /* communicator/places.c */
    FTC_TENANT_SPARES,        /* communicator/spares.c */
    FTC_TENANT_ERROR_HANDLER, /* communicator/error_handler.c */
    FTC_TENANTS
};

/* In MPI_Init; 0 or a negative errno. */
int ftc_attribute_open(void);

/* Has @forget called with what @tenant keeps of a communicator when MPI frees that, without a lock
 * of the library or of MPICH. */
void ftc_attribute_on_free(enum ftc_tenant tenant, void (*forget)(MPI_Comm comm, void *kept));

/* Returns what @tenant keeps of @comm; NULL: nothing. */
void *ftc_attribute_get(MPI_Comm comm, enum ftc_tenant tenant);

/* Keeps @kept, which is not NULL, in place of what was kept before. False without memory. The
 * tenant sees to it that its threads do not come at once with different things. */
bool ftc_attribute_keep(MPI_Comm comm, enum ftc_tenant tenant, void *kept);

/* Forgets all that is kept of @comm, as if MPI freed it. */
void ftc_attribute_forget(MPI_Comm comm);

#endif
