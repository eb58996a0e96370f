/* retained: data of a call that its operation reads after the call has returned. MPI allows the
 * program to free its datatypes, its operation and its communicator by then. MPI forbids it to
 * change arrays of counts, displacements and datatypes. But native MPICH does not read these after
 * the call, so programs free them there, and so do mpi4py and the bindings of mpi_f08. */
#ifndef FTC_COLLECTIVES_RETAINED_H
#define FTC_COLLECTIVES_RETAINED_H

#include "communicator/neighbors.h"
#include "protocols/collective.h"

struct ftc_retained {
    struct ftc_neighbors neighbors;
    int handles;
    struct ftc_retained_handle *handle; /* the arrays follow in the same memory */
};

/* Returns whether @layouts have any arrays. */
bool ftc_layouts_have_arrays(const struct ftc_layouts *layouts);

/* Keeps the arrays, handles and neighbors that @plan needs in @retained, which is zero on entry,
 * and sets plan->is_retained. Makes @layouts, those of the plan's call if it has any, point to
 * copies of their arrays. Returns false without memory. The caller releases @retained by
 * ftc_release_retained(), also after a failure. */
bool ftc_retain(struct ftc_retained *retained, struct ftc_plan *plan, struct ftc_layouts *layouts);
void ftc_release_retained(struct ftc_retained *retained);

#endif
