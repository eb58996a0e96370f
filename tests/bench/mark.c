/* mark: what it costs to mark a call that native MPI carries out.
 *
 *     mark single|multiple BLOCKS
 *
 * MPI_Allgather and the MPI library's own, which nothing marks, on MPI_COMM_SELF in turns, CALLS a
 * block.
 * Rank 0 prints a line for each pair of blocks: by how many ns a call of the first is slower. */
#include "past.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 200 };

typedef int allgather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

static double block_ns(allgather *call)
{
    struct timespec from, to;
    int in = 1, out;

    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < CALLS; i++)
        call(&in, 1, MPI_INT, &out, 1, MPI_INT, MPI_COMM_SELF);
    clock_gettime(CLOCK_MONOTONIC, &to);
    return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / CALLS;
}

int main(int argc, char **argv)
{
    int level =
        argc > 1 && strcmp(argv[1], "multiple") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int blocks = argc > 2 ? atoi(argv[2]) : 1000, rank;
    allgather *past;

    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    past_library("PMPI_Allgather", &past);
    for (int i = 0; rank == 0 && i < blocks; i++) {
        double direct = block_ns(past), marked = block_ns(MPI_Allgather);

        printf("%.2f\n", marked - direct);
    }
    MPI_Finalize();
    return 0;
}
