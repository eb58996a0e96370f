/* recovery: how soon the survivors of a killed rank have their result, and how fast they go on.
 *
 *     recovery VICTIM
 *
 * Run with libftcoll.so preloaded. After a warm-up all ranks leave a barrier together; the victim
 * notes the time and kills itself, the others call MPI_Allreduce. Prints one line of CSV, times in
 * microseconds of the slowest survivor:
 *
 *     ranks,victim,recovery,before_mean,before_median,first_mean,first_median,later_mean,later_median
 *
 * recovery: from just before the SIGKILL to the return of the survivors' MPI_Allreduce.
 *
 * before, first, later: latency of the 100 operations before the kill, of the 100 that follow the
 * one that the victim has missed, and of the next 100. Meanwhile the kernel takes the dead process
 * apart, and who waits for its core waits for milliseconds: such an operation counts in the mean,
 * but not in the median. */
#include "shared_page.h"
#include "sorted.h"

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

/* Latency of a row of operations, in microseconds. */
struct latency {
    double mean, median;
};

static struct latency measure(double expected)
{
    double us[OPERATIONS], sum = 0;

    for (int i = 0; i < OPERATIONS; i++) {
        uint64_t start = clock_ns();

        allreduce(expected);
        us[i] = (double)(clock_ns() - start) / 1e3;
        sum += us[i];
    }
    sort(us, OPERATIONS);
    return (struct latency){.mean = sum / OPERATIONS, .median = us[OPERATIONS / 2]};
}

/* The survivors' numbers among themselves. */
static int survivor(void)
{
    return rank > victim ? rank - 1 : rank;
}

/* The slowest survivor's. */
static double slowest(struct shared_page *page, double us)
{
    return shared_max(page, survivor(), ranks - 1, us);
}

int main(int argc, char **argv)
{
    enum { BEFORE, FIRST, LATER, TIMES };
    struct latency latency[TIMES];
    double everybody, survivors, recovery;
    struct shared_page *page;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    victim = argc > 1 ? atoi(argv[1]) : ranks - 1;
    everybody = ranks * (ranks + 1) / 2.0;
    survivors = everybody - (victim + 1);
    page = shared_page_open();

    for (int i = 0; i < WARM_UP; i++)
        allreduce(everybody);
    latency[BEFORE] = measure(everybody);
    shared_barrier(page, ranks);
    if (rank == victim) {
        page->mark_ns[KILLED_AT] = clock_ns();
        kill(getpid(), SIGKILL);
    }
    allreduce(survivors);
    recovery = (double)(clock_ns() - page->mark_ns[KILLED_AT]) / 1e3;
    latency[FIRST] = measure(survivors);
    latency[LATER] = measure(survivors);

    recovery = slowest(page, recovery);
    for (int i = 0; i < TIMES; i++) {
        latency[i].mean = slowest(page, latency[i].mean);
        latency[i].median = slowest(page, latency[i].median);
    }
    if (survivor() == 0) {
        printf("%d,%d,%.2f", ranks, victim, recovery);
        for (int i = 0; i < TIMES; i++)
            printf(",%.3f,%.3f", latency[i].mean, latency[i].median);
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
