/* topology_remap: which survivor has which position of a new grid or graph.
 *
 * A grid or graph keeps its shape, because the program has divided its data by it. Each survivor
 * keeps the position that it has natively. Survivors without one natively take the positions of the
 * dead, in their order. Positions that stay empty are MPI_PROC_NULL for their neighbors
 * (communicator/virtual_topology.h).
 *
 * For a distributed graph each rank names its own neighbors to MPI and relies on their number. So a
 * dead neighbor stays in the list, as MPI_PROC_NULL. In MPI_Dist_graph_create a rank may name edges
 * of others, and a rank learns its neighbors only by asking. There edges of the dead are left out.
 */
#ifndef FTC_NEW_COMMUNICATORS_TOPOLOGY_REMAP_H
#define FTC_NEW_COMMUNICATORS_TOPOLOGY_REMAP_H

#include "communicator/virtual_topology.h"
#include "creation.h"

struct ftc_topology_remap {
    int *member, count; /* ranks in the old communicator of the members of the new one, in order */
    struct ftc_virtual_topology *topology; /* NULL: the arrangement says all */

    /* Arguments of the native call that gives the new communicator its topology. */
    enum ftc_call_kind kind;
    struct ftc_arrangement arrangement;
    int *storage[4]; /* memory for the arrangement */
};

/* Returns false for arguments that native MPI rejects, or for which it needs no other rank. */
bool ftc_topology_remap_is_valid(const struct ftc_creation *x);

/* Returns true if MPI does not know the topology that @x begins with, and so cannot carry @x out.
 */
bool ftc_topology_remap_is_ours(const struct ftc_creation *x);

/* Finds the positions of the survivors of @x without communication. @dead is by rank, of @size
 * ranks; @own is the caller's. Returns false without memory; the caller frees @remap either way. */
bool ftc_topology_remap_find(const struct ftc_creation *x, int size, int own,
                             const unsigned char *dead, struct ftc_topology_remap *remap);
void ftc_topology_remap_free(struct ftc_topology_remap *remap);

/* Makes *@newcomm with the topology from a communicator of the members. All members call it; waits
 * for them natively. Returns an MPI error code. */
int ftc_topology_remap_apply(const struct ftc_topology_remap *remap, MPI_Comm of_members,
                             MPI_Comm *newcomm);

/* Keeps the topology with @newcomm, after ftc_topology_remap_apply(). Returns false without
 * memory. */
bool ftc_topology_remap_keep(struct ftc_topology_remap *remap, MPI_Comm newcomm);

/* Calls the native function that makes a topology. */
int ftc_topology_remap_native(enum ftc_call_kind kind, MPI_Comm comm,
                              const struct ftc_arrangement *a, MPI_Comm *newcomm);

#endif
