/* own: a program with large variables of its threads' own, like Fortran's THREADPRIVATE. Rank 1
 * dies in the middle. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifndef BYTES
#define BYTES 300000
#endif

enum { ROUNDS = 20 };

static _Thread_local char large[BYTES];

int main(int argc, char **argv)
{
    int rank, one = 1, sum = 0;

    memset(large, argc, sizeof large);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 1 && round == ROUNDS / 2)
            raise(SIGKILL);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("own: rank %d: %d in the last sum\n", rank, sum);
    MPI_Finalize();
    return large[BYTES / 2] == 0;
}
