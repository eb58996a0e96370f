/* frozen: the last rank stops for good in the middle of the job, while all others look for the end
 * of an operation by MPI_Test and wait for nothing.
 *
 * With monitor = timeout the survivors come to an end. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

enum { ROUNDS = 20 };

int main(int argc, char **argv)
{
    int rank, n, one = 1, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request;
        int is_over = 0;

        if (round == ROUNDS / 2 && rank == n - 1)
            raise(SIGSTOP);
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        while (!is_over)
            MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    }
    printf("frozen: rank %d is through, %d in the last sum\n", rank, sum);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
