/* recovery_large: how soon the survivors of a rank that is killed in the middle of a large
 * allreduce have their result, beside that call undisturbed.
 *
 *     recovery_large VICTIM BYTES
 *
 * Run with libftcoll.so preloaded and large = protected. A timer of half the undisturbed time kills
 * the victim. Prints one line of CSV, times in microseconds of the slowest survivor:
 *
 *     ranks,victim,bytes,undisturbed,recovery
 *
 * recovery: from just before the SIGKILL to the return of the survivors' MPI_Allreduce; 0 if that
 * returned before the timer. */
#include "shared_page.h"
#include "sorted.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { WARM_UP = 3, OPERATIONS = 9, KILLED_AT = 0 };

static struct shared_page *page;
static int rank, ranks, victim, count;
static double *in, *out;

static double allreduce(void)
{
    uint64_t start = clock_ns();

    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return (double)(clock_ns() - start) / 1e3;
}

static double undisturbed(void)
{
    double us[OPERATIONS];

    for (int i = 0; i < OPERATIONS; i++) {
        shared_barrier(page, ranks);
        us[i] = allreduce();
    }
    sort(us, OPERATIONS);
    return us[OPERATIONS / 2];
}

static void die(int signal_number)
{
    (void)signal_number;
    page->mark_ns[KILLED_AT] = clock_ns();
    kill(getpid(), SIGKILL);
}

static void die_in(double us)
{
    struct itimerval timer = {.it_value.tv_usec = (suseconds_t)us + 1};

    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv)
{
    double us, recovery;
    uint64_t killed_ns;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    victim = atoi(argv[1]);
    count = atoi(argv[2]) / (int)sizeof(double);
    in = calloc((size_t)count, sizeof *in);
    out = calloc((size_t)count, sizeof *out);
    for (int i = 0; i < count; i++)
        in[i] = rank + 1;
    page = shared_page_open();
    for (int i = 0; i < WARM_UP; i++)
        allreduce();
    us = shared_max(page, rank, ranks, undisturbed());
    shared_barrier(page, ranks);
    if (rank == victim)
        die_in(us / 2);
    allreduce();
    killed_ns = page->mark_ns[KILLED_AT];
    recovery = killed_ns == 0 ? 0 : (double)(clock_ns() - killed_ns) / 1e3;
    while (rank == victim)
        pause();
    recovery = shared_max(page, rank - (rank > victim), ranks - 1, recovery);
    if (rank == (victim == 0))
        printf("%d,%d,%zu,%.1f,%.1f\n", ranks, victim, count * sizeof *in, us, recovery);
    MPI_Finalize();
    return 0;
}
