/* threads: under MPI_THREAD_MULTIPLE, threads reduce at the same time, each on its own
 * communicator, while a rank dies. Each result must contain every survivor once, and the dead rank
 * at most once.
 *
 *     threads OPERATIONS DIES_AT        the last rank dies in about operation DIES_AT of a thread
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3 };

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    int number;
};

static int rank, n, operations, dies_at;
static atomic_int problems;

/* Rank r contributes 8 to the power of r. */
static void check(int number, int operation, long sum)
{
    for (int r = 0; r < n; r++) {
        long times = sum >> (3 * r) & 7;

        if (times != 1 && !(times == 0 && r == n - 1 && dies_at <= operations) && problems++ < 5)
            fprintf(stderr,
                    "threads: rank %d, thread %d, operation %d: rank %d is in it %ld times\n", rank,
                    number, operation, r, times);
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;
    long mine = 1L << (3 * rank), sum;

    for (int i = 0; i < operations; i++) {
        if (rank == n - 1 && i == dies_at && w->number == 1)
            raise(SIGKILL);
        sum = 0;
        if (i % 3 == w->number) {
            MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, 0, w->comm);
            if (rank != 0)
                continue;
        } else {
            MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, w->comm);
        }
        check(w->number, i, sum);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker worker[THREADS];
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (argc != 3 || provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 2);
    operations = atoi(argv[1]);
    dies_at = atoi(argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < THREADS; i++) {
        worker[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &worker[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&worker[i].thread, NULL, work, &worker[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(worker[i].thread, NULL);
    MPI_Finalize();
    if (problems == 0)
        printf("threads: rank %d is content\n", rank);
    return problems > 0;
}
