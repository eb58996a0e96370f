/* seating: a topology for the survivors: who of them has which place.
 *
 * A grid or graph keeps its shape, and each survivor the place that it has natively. Survivors that
 * natively have none take those of the dead, in their order. Places that stay empty are
 * MPI_PROC_NULL for their neighbors (communicator/virtual_topology.h): the grid that fits the
 * survivors would be another one than the program has divided its data by.
 *
 * Of a distributed graph each rank tells MPI its own neighbors and knows how many it has named: one
 * that is dead stays in the list, as MPI_PROC_NULL. Where a rank may name edges of others
 * (MPI_Dist_graph_create) nobody knows his neighbors without asking: edges of the dead are left
 * out. */
#ifndef FTC_NEW_COMMUNICATORS_SEATING_H
#define FTC_NEW_COMMUNICATORS_SEATING_H

#include "communicator/virtual_topology.h"
#include "creation.h"

struct ftc_seating {
    int *member, count; /* of the new communicator, in its order, by their ranks in the old one */
    struct ftc_virtual_topology
        *topology; /* MPI_Cart_coords and its kind are to be answered here; or NULL */

    /* How the topology comes to the new communicator. */
    enum ftc_call_kind kind;
    struct ftc_arrangement arrangement;
    int *storage[4]; /* of it */
};

/* False for arguments that native MPI rejects, or of which it does not need the others. */
bool ftc_seating_is_valid(const struct ftc_creation *x);

/* True if MPI does not know the topology that @x begins with: it cannot carry @x out. */
bool ftc_seating_is_ours(const struct ftc_creation *x);

/* For the survivors of @x, of @size ranks of which this is @own; @dead by rank. False without
 * memory; to be freed in any case. Without communication. */
bool ftc_seating_find(const struct ftc_creation *x, int size, int own, const unsigned char *dead,
                      struct ftc_seating *seating);
void ftc_seating_free(struct ftc_seating *seating);

/* Makes *@newcomm with the topology from a communicator of the members. All of them call it; waits
 * for them natively. Returns an MPI error code. */
int ftc_seating_apply(const struct ftc_seating *seating, MPI_Comm of_members, MPI_Comm *newcomm);

/* After that: keeps the places with *@newcomm. False without memory. */
bool ftc_seating_keep(struct ftc_seating *seating, MPI_Comm newcomm);

/* The call that makes a topology, natively. */
int ftc_seating_native(enum ftc_call_kind kind, MPI_Comm comm, const struct ftc_arrangement *a,
                       MPI_Comm *newcomm);

#endif
