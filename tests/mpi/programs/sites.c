/* sites: calls of several kinds from functions of their own, for the report of call sites. "sites
 * die" ends rank 1 in the middle, before anybody makes a call that is not protected. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 300, LARGE = 4096 };

__attribute__((noinline)) static void energy(int *sum)
{
    int one = 1;

    MPI_Allreduce(&one, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    *sum += 0; /* the call is not the last thing here: its return address is inside */
}

__attribute__((noinline)) static void collect(int *all)
{
    int own = 7;

    MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    all[0] += 0;
}

__attribute__((noinline)) static void spectrum(double *sum)
{
    static double own[LARGE];

    MPI_Allreduce(own, sum, LARGE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum[0] += 0;
}

__attribute__((noinline)) static void late(int *sum)
{
    MPI_Request request;
    static int one = 1;

    MPI_Iallreduce(&one, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    static int all[64], sum;
    static double sums[LARGE];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < TURNS; i++)
        energy(&sum);
    if (argc > 1) {
        if (rank == 1)
            raise(SIGKILL);
        energy(&sum);
    } else {
        collect(all);
        spectrum(sums);
        late(&sum);
    }
    MPI_Finalize();
    if (rank == 0)
        printf("sites: the last sum is %d\n", sum);
    return 0;
}
