/* recovery: how soon the survivors of a killed rank have their result, and how fast they go on.
 *
 *     recovery VICTIM
 *
 * Run with libftcoll.so preloaded. After a warm-up all ranks leave a barrier together; the victim
 * notes the time and kills itself, the others call MPI_Allreduce. Prints one line of CSV, times in
 * microseconds of the slowest survivor:
 *
 *     ranks,victim,recovery,before,first,later
 *
 * recovery: from just before the SIGKILL to the return of the survivors' MPI_Allreduce.
 *
 * before, first, later: mean latency of the 100 operations before the kill, of the 100 that follow
 * the one that the victim has missed (the kernel still takes the dead process apart meanwhile), and
 * of the next 100. */
#include "shared_page.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WARM_UP = 300, OPERATIONS = 100, KILLED_AT = 0 };

static int rank, ranks, victim;

static void allreduce(double expected)
{
    double mine = rank + 1, sum = 0;

    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != expected) {
        fprintf(stderr, "recovery: rank %d of %d, victim %d: %g instead of %g\n", rank, ranks,
                victim, sum, expected);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static double mean_us(int operations, double expected)
{
    uint64_t start = clock_ns();

    for (int i = 0; i < operations; i++)
        allreduce(expected);
    return (double)(clock_ns() - start) / 1e3 / operations;
}

/* The survivors' numbers among themselves. */
static int survivor(void)
{
    return rank > victim ? rank - 1 : rank;
}

int main(int argc, char **argv)
{
    double everybody, survivors, before, recovery, first, later;
    struct shared_page *page;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    victim = argc > 1 ? atoi(argv[1]) : ranks - 1;
    everybody = ranks * (ranks + 1) / 2.0;
    survivors = everybody - (victim + 1);
    page = shared_page_open();

    mean_us(WARM_UP, everybody);
    before = mean_us(OPERATIONS, everybody);
    shared_barrier(page, ranks);
    if (rank == victim) {
        page->mark_ns[KILLED_AT] = clock_ns();
        kill(getpid(), SIGKILL);
    }
    allreduce(survivors);
    recovery = (double)(clock_ns() - page->mark_ns[KILLED_AT]) / 1e3;
    first = mean_us(OPERATIONS, survivors);
    later = mean_us(OPERATIONS, survivors);

    before = shared_max(page, survivor(), ranks - 1, before);
    recovery = shared_max(page, survivor(), ranks - 1, recovery);
    first = shared_max(page, survivor(), ranks - 1, first);
    later = shared_max(page, survivor(), ranks - 1, later);
    if (survivor() == 0)
        printf("%d,%d,%.2f,%.3f,%.3f,%.3f\n", ranks, victim, recovery, before, first, later);
    MPI_Finalize();
    return 0;
}
