/* tooled: a known number of calls of each kind, for a tool to count (tool.c). Rank 1 kills itself
 * after half of them. "tooled pmpi" calls PMPI_X itself. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { ALLREDUCES = 20, REDUCES = 10, BARRIERS = 4 };

__attribute__((noinline)) static int energy(int value, int is_pmpi)
{
    int sum = 0;

    (is_pmpi ? PMPI_Allreduce : MPI_Allreduce)(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum + 0 * value;
}

int main(int argc, char **argv)
{
    int is_pmpi = argc > 1 && strcmp(argv[1], "pmpi") == 0, rank, size, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < BARRIERS; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && size > 1)
        MPI_Send(&size, 1, MPI_INT, size - 1, 0, MPI_COMM_WORLD);
    if (rank == size - 1 && size > 1)
        MPI_Recv(&size, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < ALLREDUCES; i++) {
        if (rank == 1 && i == ALLREDUCES / 2)
            raise(SIGKILL);
        sum = energy(1, is_pmpi);
    }
    for (int i = 0; i < REDUCES; i++)
        MPI_Reduce(&rank, &size, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    printf("tooled: rank %d: %d in the last sum\n", rank, sum);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
