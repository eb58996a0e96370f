/* periods: a program that makes communicators as it goes, as couplers and libraries do: in each
 * period even and odd ranks work for themselves. It knows of no fault tolerance. */
#include <mpi.h>
#include <stdio.h>

enum { PERIODS = 20, STEPS = 10 };

int main(int argc, char **argv)
{
    int rank, size, one = 1, in_part = 0, in_all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int period = 0; period < PERIODS; period++) {
        MPI_Comm part;

        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
        for (int step = 0; step < STEPS; step++)
            MPI_Allreduce(&one, &in_part, 1, MPI_INT, MPI_SUM, part);
        MPI_Comm_size(part, &size);
        MPI_Comm_free(&part);
    }
    MPI_Allreduce(&one, &in_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d: %d of %d in its last part, %d in all\n", rank, in_part, size, in_all);
    MPI_Finalize();
    return in_part == size ? 0 : 1;
}
