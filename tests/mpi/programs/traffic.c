/* traffic: correct programs in which one operation must not stand in the way of another.
 *
 *     traffic rendezvous   a peer needs native progress while this rank waits in a reduction
 *     traffic backlog      a rank is many operations ahead on one communicator, and needed on
 * another traffic many         more than a thousand communicators live at once traffic threads two
 * threads use two communicators first in opposite orders traffic ahead        one thread is many
 * operations ahead, another is needed traffic handler      an error handler that makes calls
 * itself; ranks from 2 on die
 *
 * Who is late is so to make the case likely; nothing depends on it. */
#include <ftcoll.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, n;
static MPI_Comm first, second;

static void be_late(int by_ms)
{
    struct timespec t = {.tv_sec = by_ms / 1000, .tv_nsec = by_ms % 1000 * 1000000L};

    while (nanosleep(&t, &t) != 0)
        ;
}

static void allreduce(MPI_Comm comm)
{
    int one = 1, sum = 0, size;

    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (sum != size) {
        printf("traffic: rank %d: %d instead of %d\n", rank, sum, size);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void rendezvous(void)
{
    enum { BYTES = 1 << 20, MESSAGES = 20 };
    char *buffer = calloc(MESSAGES, BYTES);
    MPI_Request *request = calloc(MESSAGES, sizeof *request);
    MPI_Status *status = calloc(MESSAGES, sizeof *status);

    if (rank == 0)
        for (int i = 0; i < MESSAGES; i++)
            MPI_Irecv(buffer + (size_t)i * BYTES, BYTES, MPI_BYTE, 1, i, MPI_COMM_WORLD,
                      &request[i]);
    if (rank == 1) {
        be_late(100);
        for (int i = 0; i < MESSAGES; i++)
            MPI_Send(buffer, BYTES, MPI_BYTE, 0, i, MPI_COMM_WORLD);
    }
    allreduce(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Waitall(MESSAGES, request, status);
    free(status);
    free(request);
    free(buffer);
}

/* @times reductions to rank 1 of @comm, whose other ranks wait for nobody. */
static void run_ahead(MPI_Comm comm, int times)
{
    int one = 1, sum = 0;

    for (int i = 0; i < times; i++)
        MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 1, comm);
}

static void backlog(void)
{
    MPI_Comm pair, other;
    int mine = rank == 1 || rank == 2, others = rank == 1 || rank == 3;

    MPI_Comm_split(MPI_COMM_WORLD, mine ? 0 : MPI_UNDEFINED, rank, &pair);
    MPI_Comm_split(MPI_COMM_WORLD, others ? 0 : MPI_UNDEFINED, rank, &other);
    be_late(rank == 2 ? 600 : rank == 3 ? 300 : 0);
    for (int times = 16; times <= 300; times += 284) { /* a ring, and more than is ever kept */
        if (mine)
            run_ahead(pair, times);
        if (others)
            allreduce(other);
        allreduce(MPI_COMM_WORLD);
    }
}

static void *use_first(void *late)
{
    be_late(late ? 300 : 0);
    allreduce(first);
    return NULL;
}

static void threads(void)
{
    pthread_t thread;

    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &second);
    pthread_create(&thread, NULL, use_first, rank == 0 ? &thread : NULL);
    be_late(rank == 0 ? 0 : 300);
    allreduce(second);
    pthread_join(thread, NULL);
}

static void *use_first_often(void *unused)
{
    (void)unused;
    run_ahead(first, 300);
    return NULL;
}

static void ahead(void)
{
    pthread_t thread;

    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    allreduce(first);
    allreduce(second);
    if (rank == 0) {
        pthread_create(&thread, NULL, use_first_often, NULL);
        be_late(300);
    }
    allreduce(second);
    if (rank == 0)
        pthread_join(thread, NULL);
    else
        use_first_often(NULL);
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    int ranks[8], failed = 0;

    (void)code;
    if (ftcoll_failed_ranks)
        failed = ftcoll_failed_ranks(*comm, 8, ranks);
    printf("traffic: rank %d's handler: %d failed\n", rank, failed);
}

static void handler(void)
{
    int one = 1, sum = 0;
    MPI_Errhandler errhandler;

    MPI_Comm_create_errhandler(on_error, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    allreduce(MPI_COMM_WORLD);
    if (rank >= 2)
        raise(SIGKILL);
    be_late(200);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"rendezvous", rendezvous},
                 {"backlog", backlog},
                 {"threads", threads},
                 {"ahead", ahead},
                 {"handler", handler}};
    int provided, level = MPI_THREAD_SINGLE;

    if (argc > 1 && (argv[1][0] == 't' || argv[1][0] == 'a' || argv[1][0] == 'h'))
        level = MPI_THREAD_MULTIPLE;
    MPI_Init_thread(&argc, &argv, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0)
            kinds[i].run();
    printf("traffic: rank %d of %d is through\n", rank, n);
    MPI_Finalize();
    return 0;
}
