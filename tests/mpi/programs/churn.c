/* churn: a communicator is made, used and freed CYCLES times. Each rank prints how many kB it has
 * more at the end than after 100 of them, if that is above KB.
 *
 *     churn CYCLES KB */
#include "resident.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void cycle(void)
{
    MPI_Comm copy;
    int one = 1, sum = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    int cycles = argc > 2 ? atoi(argv[1]) : 0, rank;
    long first_kb = 0, more_kb, most_kb = argc > 2 ? atol(argv[2]) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < cycles; i++) {
        if (i == 100)
            first_kb = resident_kb("VmRSS");
        cycle();
    }
    more_kb = resident_kb("VmRSS") - first_kb;
    if (first_kb <= 0 || more_kb > most_kb)
        printf("churn: rank %d: %ld kB, and %ld more\n", rank, first_kb, more_kb);
    else
        printf("churn: rank %d is content\n", rank);
    MPI_Finalize();
    return 0;
}
