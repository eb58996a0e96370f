/* locked: keeps all its memory from being paged out, as programs with deadlines do: from before
 * MPI_Init, or from after it. Shared memory of more than KB is too much then.
 *
 *     locked before|after|never KB */
#include "resident.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void lock_if(int is_now)
{
    if (is_now && mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
        printf("locked: skipped: the limit of locked memory\n");
}

int main(int argc, char **argv)
{
    long most_kb = argc > 2 ? atol(argv[2]) : 0, shared_kb;
    int rank, n, one = 1, sum = 0;
    double begin_s, init_s;

    lock_if(most_kb > 0 && strcmp(argv[1], "before") == 0);
    begin_s = now_s();
    MPI_Init(&argc, &argv);
    init_s = now_s() - begin_s;
    lock_if(most_kb > 0 && strcmp(argv[1], "after") == 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    shared_kb = resident_kb("RssShmem");
    printf("locked: rank %d %s: %ld kB are shared, %ld locked, MPI_Init took %.2f s\n", rank,
           shared_kb <= most_kb && sum == n ? "is content" : "has too much", shared_kb,
           resident_kb("VmLck"), init_s);
    MPI_Finalize();
    return 0;
}
