/* last: many ranks reduce until the file "done" is there. The last of them die in the middle.
 *
 *     last COUNT    so many die, at once */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUND = 20, PAUSE_US = 1000 };

int main(int argc, char **argv)
{
    int rank, n, is_over = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (rank == 0) {
        printf("go\n");
        fflush(stdout);
    }
    for (int round = 0; !is_over; round++) {
        int is_there = access("done", F_OK) == 0;

        if (round == ROUND && argc == 2 && rank >= n - atoi(argv[1]))
            raise(SIGKILL);
        MPI_Allreduce(&is_there, &is_over, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        usleep(PAUSE_US);
    }
    MPI_Finalize();
    return 0;
}
