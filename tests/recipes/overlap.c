/* overlap: the mean of what ranks compute, added up by MPI_Iallreduce while the next round is
 * computed. An ordinary MPI program: it knows of no fault tolerance. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 200, EACH = 2000 };

/* A round's mean is round + 1/2, whichever ranks take part. */
static void compute(int round, double *sum)
{
    sum[0] = sum[1] = 0;
    for (int i = 0; i < EACH; i++) {
        sum[0] += round + (i + 0.5) / EACH;
        sum[1] += 1;
    }
}

/* Whether this is the lowest of the ranks that are left: it prints, as rank 0 may be dead. All
 * ranks call it. */
static int is_first(int rank)
{
    int first;

    MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return rank == first;
}

int main(int argc, char **argv)
{
    double mine[2][2], all[2], worst = 0;
    MPI_Request request;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    compute(0, mine[0]);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Iallreduce(mine[round % 2], all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
        compute(round + 1, mine[(round + 1) % 2]);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        worst = fmax(worst, fabs(all[0] / all[1] - round - 0.5));
    }
    if (is_first(rank))
        printf("the mean of %.0f numbers in the last round, off by at most %.1e\n", all[1], worst);
    MPI_Finalize();
    return worst < 1e-9 ? 0 : 1;
}
