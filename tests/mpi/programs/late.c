/* late: rank 0 comes to a reduction of which it is the root when another rank has sent its part,
 * gone on, and died. It must find the message and the news of the death at once, and its result
 * must contain the dead rank's part. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

/* Whether rank 1 is dead by then does not change the result, only what is tested. */
static void come_late(void)
{
    struct timespec t = {.tv_nsec = 200000000};

    while (nanosleep(&t, &t) != 0)
        ;
}

int main(int argc, char **argv)
{
    int rank, one = 1, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD); /* rank 0 must have left the allreduce before rank 1 dies */
    if (rank == 0)
        come_late();
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 1)
        raise(SIGKILL);
    if (rank == 0)
        printf("late: the sum is %d\n", sum);
    MPI_Finalize();
    return 0;
}
