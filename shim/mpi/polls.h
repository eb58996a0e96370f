/* polls: MPICH's own turns, in whatever call it waits.
 *
 * It has no place for others there before 4.2. With device ch4:ucx it polls by a function of UCX
 * that the library stands before (wrappers/communicators.c). Here are the others: libmpich's own
 * call of a function is led elsewhere, in its table of imports, and nobody else's.
 *
 *     ch4:ofi  fi_cq_read() is no function but a look into a table that hangs on the completion
 *              queue (rdma/fabric.h, rdma/fi_eq.h). So what fi_fabric() returns to MPICH gets a
 *              table of ours, what is opened of it too, and at last the queue. What a provider of
 *              libfabric's has below those keeps its own: it may hold locks there.
 *     ch3      poll(), which the module for TCP calls also in a job on one host. */
#ifndef FTC_MPI_POLLS_H
#define FTC_MPI_POLLS_H

#include <stdbool.h>

/* Before MPI is initialised, if the MPI library is one of which this is known (inside.def,
 * ABANDON): from then on it calls @come_by before each look that it takes at its network. Once a
 * process. */
void ftc_polls_open(void (*come_by)(void));

/* Of the calling thread: whether MPICH has found something there, since this was last made false.
 */
extern _Thread_local bool ftc_polls_have_found;

/* Said by who stands before the function by which it looks, which for ch4:ucx is the library's. */
static inline void ftc_polls_note(bool found)
{
    if (found)
        ftc_polls_have_found = true;
}

#endif
