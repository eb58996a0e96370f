/* polls: a hook that runs each time MPICH polls its network, whatever call it waits in.
 *
 * MPICH has no such hook before 4.2. With device ch4:ucx it polls by a function of UCX on which the
 * library interposes (wrappers/communicators.c). This file serves other devices. It redirects a
 * function in libmpich's table of imports, so only libmpich's own calls of it change:
 *
 *     ch4:ofi  fi_cq_read() is an inline function that calls a function in a table of the
 *              completion queue (rdma/fabric.h, rdma/fi_eq.h). The object that fi_fabric() returns
 *              to MPICH therefore gets a table of this library, as do the objects opened from it,
 *              down to the queue. Objects that a provider of libfabric opens for itself keep their
 *              tables, because the provider may hold locks there.
 *     ch3      poll(), which the module for TCP also calls in a job on one host. */
#ifndef FTC_MPI_POLLS_H
#define FTC_MPI_POLLS_H

#include <stdbool.h>

/* Makes MPICH with one of these devices call @come_by before each poll of its network, if the
 * loaded version is known (inside.def, ABANDON). To be called before MPI is initialised. A second
 * call has no effect. */
void ftc_polls_open(void (*come_by)(void));

/* Result of this thread's polls: whether MPICH has found something since this was last set to
 * false. */
extern _Thread_local bool ftc_polls_have_found;

/* Notes whether a poll has @found something. To be called by the function that interposes on the
 * poll, with ch4:ucx that in wrappers/communicators.c. */
static inline void ftc_polls_note(bool found)
{
    if (found)
        ftc_polls_have_found = true;
}

#endif
