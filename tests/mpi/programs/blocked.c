/* blocked: ranks that sit in a call which native MPI carries out, while another one is dead. Each
 * scene leaves the ranks blocked for good, or shows that they are not. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* All members of @comm are in it, or dead. */
static void __attribute__((noinline)) gather(MPI_Comm comm)
{
    int all[64];

    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, comm);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        raise(SIGKILL);
    gather(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
