/* A barrier is an allreduce without data. */
#include "kinds.h"

static bool needs_mpi(const struct ftc_plan *plan)
{
    (void)plan;
    return false;
}

static const void *contribute(struct ftc_plan *plan)
{
    (void)plan;
    return "";
}

static int deliver(const struct ftc_plan *plan)
{
    (void)plan;
    return MPI_SUCCESS;
}

const struct ftc_collective ftc_collective_barrier = {
    .is_described_alike = true,
    .needs_mpi = needs_mpi,
    .contribute = contribute,
    .deliver = deliver,
};
