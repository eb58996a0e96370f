/* creations: blocks of MPI_Comm_dup and MPI_Comm_free with MPI_THREAD_MULTIPLE, in turns through
 * the library (side ours) and past it (native). Lines as latency.c prints them; a message is not
 * counted.
 *
 *     creations PAIRS */
#include "past.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 50 };

static int (*native_dup)(MPI_Comm, MPI_Comm *), (*native_free)(MPI_Comm *);

static void ours(void)
{
    MPI_Comm made;

    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
}

static void native(void)
{
    MPI_Comm made;

    native_dup(MPI_COMM_WORLD, &made);
    native_free(&made);
}

/* Microseconds a round. */
static double block(void (*round)(void))
{
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int i = 0; i < ROUNDS; i++)
        round();
    return (MPI_Wtime() - start) / ROUNDS * 1e6;
}

int main(int argc, char **argv)
{
    int provided, rank, size, pairs = argc > 1 ? atoi(argv[1]) : 1;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    past_library("PMPI_Comm_dup", &native_dup);
    past_library("PMPI_Comm_free", &native_free);
    for (int pair = 0; pair < pairs; pair++) {
        double us[2];

        us[pair % 2] = block(pair % 2 ? native : ours); /* each goes first in half of the pairs */
        us[1 - pair % 2] = block(pair % 2 ? ours : native);
        if (rank == 0)
            printf("creations,%d,0,%d,ours,%.3f,%d,\ncreations,%d,0,%d,native,%.3f,%d,\n", size,
                   pair, us[0], ROUNDS, size, pair, us[1], ROUNDS);
    }
    MPI_Finalize();
    return 0;
}
