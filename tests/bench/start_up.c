/* start_up: begins MPI and ends it. Each rank prints its rank, and the seconds that it spent in
 * MPI_Init and in MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    double began = now_s(), initialised, ending;
    int rank;

    MPI_Init(&argc, &argv);
    initialised = now_s();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ending = now_s();
    MPI_Finalize();
    printf("%d %.6f %.6f\n", rank, initialised - began, now_s() - ending);
    return 0;
}
