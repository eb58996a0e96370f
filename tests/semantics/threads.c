/* threads: under MPI_THREAD_MULTIPLE, threads that reduce at the same time, each on a communicator
 * of its own, and that make, use and free communicators themselves. */
#include "output.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 24, CREATED = 6 };

struct worker {
    pthread_t thread;
    const char *directory;
    MPI_Comm comm;
    int number;
};

static int rank, n;

static void reduce(MPI_Comm comm, int number, int round)
{
    long mine = (rank + 1L) * (number + 3) + round, all = -1;
    int size, rv;

    MPI_Comm_size(comm, &size);
    if (round % 4 == number % 4) {
        rv = MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, round % size, comm);
        output_result("reduce", rv, &all, sizeof all);
    } else {
        rv = MPI_Allreduce(&mine, &all, 1, MPI_LONG, round % 3 ? MPI_SUM : MPI_MAX, comm);
        output_result("allreduce", rv, &all, sizeof all);
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;

    output_open(w->directory, "thread", 100 * rank + w->number);
    for (int round = 0; round < ROUNDS; round++)
        reduce(w->comm, w->number, round);
    for (int i = 0; i < CREATED; i++) {
        MPI_Comm comm;

        if (i % 2)
            MPI_Comm_split(w->comm, rank % 2, w->number % 2 ? -rank : rank, &comm);
        else
            MPI_Comm_dup(w->comm, &comm);
        for (int round = 0; round < 3; round++)
            reduce(comm, w->number, round);
        MPI_Comm_free(&comm);
    }
    output_close();
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker worker[THREADS];
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    output_open(argv[1], "rank", rank);
    output_line("threads %s", provided == MPI_THREAD_MULTIPLE ? "allowed" : "not allowed");
    for (int i = 0; i < THREADS; i++) {
        worker[i] = (struct worker){.number = i, .directory = argv[1]};
        MPI_Comm_dup(MPI_COMM_WORLD, &worker[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&worker[i].thread, NULL, work, &worker[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(worker[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&worker[i].comm);
    output_close();
    MPI_Finalize();
    return 0;
}
