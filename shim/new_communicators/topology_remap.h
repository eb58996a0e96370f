/* topology_remap: the positions of the survivors in a new grid or graph.
 *
 * A grid or graph keeps its shape, because the program has divided its data by it. Each survivor
 * keeps the position that it has natively. Survivors that have none natively take the positions of
 * the dead, in their order. Positions that stay empty are MPI_PROC_NULL for their neighbors
 * (communicator/virtual_topology.h).
 *
 * For a distributed graph each rank passes its own neighbors to MPI and relies on their number. A
 * dead neighbor therefore stays in the list, as MPI_PROC_NULL. In MPI_Dist_graph_create a rank may
 * pass edges of other ranks, and a rank learns its neighbors only by asking MPI. Edges of the dead
 * are left out there. */
#ifndef FTC_NEW_COMMUNICATORS_TOPOLOGY_REMAP_H
#define FTC_NEW_COMMUNICATORS_TOPOLOGY_REMAP_H

#include "communicator/virtual_topology.h"
#include "creation.h"

struct ftc_topology_remap {
    int *member, count; /* rank in the old communicator, by rank in the new one */
    struct ftc_virtual_topology *topology; /* NULL: the arrangement suffices */

    /* Arguments of the native call that gives the new communicator its topology. */
    enum ftc_call_kind kind;
    struct ftc_arrangement arrangement;
    int *storage[4]; /* memory for the arrangement */
};

/* Returns whether the arguments of @x are valid. Returns false also if native MPI needs no other
 * rank for them. */
bool ftc_topology_remap_is_valid(const struct ftc_creation *x);

/* Returns whether native MPI cannot carry out @x, because it does not know the topology of @x's
 * communicator. */
bool ftc_topology_remap_is_ours(const struct ftc_creation *x);

/* Finds the positions of the survivors of @x without communication. @dead is by rank, of @size
 * ranks; @own is the rank of the caller. Returns false without memory. The caller frees @remap in
 * either case. */
bool ftc_topology_remap_find(const struct ftc_creation *x, int size, int own,
                             const unsigned char *dead, struct ftc_topology_remap *remap);
void ftc_topology_remap_free(struct ftc_topology_remap *remap);

/* Makes *@newcomm with the topology from @of_members, a communicator of the members. All members
 * call this, and wait for each other natively. Returns an MPI error code. */
int ftc_topology_remap_apply(const struct ftc_topology_remap *remap, MPI_Comm of_members,
                             MPI_Comm *newcomm);

/* Keeps the topology with @newcomm, after ftc_topology_remap_apply(). Returns false without
 * memory. */
bool ftc_topology_remap_keep(struct ftc_topology_remap *remap, MPI_Comm newcomm);

/* Makes *@newcomm by the native function for @kind, with the arguments @a. Returns an MPI error
 * code. */
int ftc_topology_remap_native(enum ftc_call_kind kind, MPI_Comm comm,
                              const struct ftc_arrangement *a, MPI_Comm *newcomm);

#endif
