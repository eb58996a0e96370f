/* kept: what an operation reads of its call after the call has returned. MPI allows the program to
 * free its datatypes, its operation and its communicator by then. It forbids to change arrays of
 * counts, displacements and datatypes, but native MPICH has no use for them after the call, and
 * programs free them there; so do mpi4py and the bindings of mpi_f08. */
#ifndef FTC_COLLECTIVES_KEPT_H
#define FTC_COLLECTIVES_KEPT_H

#include "communicator/neighbors.h"
#include "protocols/collective.h"

struct ftc_kept {
    struct ftc_neighbors neighbors;
    int handles;
    struct ftc_kept_handle *handle; /* the arrays follow in the same memory */
};

/* Whether the call of @layouts has arrays. */
bool ftc_layouts_have_arrays(const struct ftc_layouts *layouts);

/* Keeps what @plan needs in @kept, which belongs to it from now on, and sets plan->is_kept.
 * @layouts are those of its call, if it has any, and get copies of its arrays. False without
 * memory. */
bool ftc_keep(struct ftc_kept *kept, struct ftc_plan *plan, struct ftc_layouts *layouts);
void ftc_keep_no_more(struct ftc_kept *kept);

#endif
