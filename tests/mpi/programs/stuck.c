/* stuck: rank 1 dies, all others know of it, and then are in calls that need living ranks only.
 *
 * Scenes that never end:
 *
 *     sends       each sends to the next, which does not receive
 *     apart       rank 0 is in a barrier of one communicator, the others in one of another
 *     file        the last rank closes a file, the others are in a barrier
 *     leaves      rank 0 is in MPI_Finalize, the others wait for messages from it
 *     requests    rank 0 waits for a reduction that the others have not begun
 *
 * Scenes that end, in which no call ends for a while:
 *
 *     computes    rank 0 computes, and the others wait for it
 *     combines    rank 0 computes in an operation of its own (MPI_Op_create)
 *     beside      as computes, while a reduction of its own goes on
 *     tests       likewise, and it calls MPI_Test now and then
 *     thread      a thread of rank 0 computes, and its main thread waits, too
 *     stopped     rank 0 is stopped by a signal in a call
 *     reads       rank 0 reads a file in a call
 *     writes      rank 0 writes one
 *     moves       rank 0 moves data in a call, slowly
 *     works       all work, in calls nearly all the time
 *
 * Messages from any source, after a reduction that has left out rank 1:
 *
 *     neighbors   each receives one from the rank before it, which is alive
 *     older       a receive that began before the death ends by it
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 100000, WHILE_MS = 4000, PIECE_MS = 20, PIECE_BYTES = 1 << 20, PAGE = 4096 };

static int rank, n, next, before, file;
static double large[MANY], other[MANY];
static MPI_Request older;
static MPI_Comm copy;
static char *memory;

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + (double)t.tv_nsec / 1e6;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void compute(double ms)
{
    double start = now_ms();

    while (now_ms() - start < ms)
        continue;
}

static void receive(int from)
{
    int value;

    MPI_Recv(&value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_to_all(void)
{
    for (int i = 1; i < n; i++)
        MPI_Send(&rank, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
}

/* ---- scenes that never end ---- */

static void sends(void)
{
    MPI_Send(large, MANY, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
}

static void apart(void)
{
    MPI_Barrier(rank == 0 ? MPI_COMM_WORLD : copy);
}

static void close_file(void)
{
    MPI_File opened;

    MPI_File_open(MPI_COMM_WORLD, "stuck.data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &opened);
    if (rank == n - 1)
        MPI_File_close(&opened);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

static void leaves(void)
{
    if (rank != 0)
        receive(0);
}

static void requests(void)
{
    MPI_Request request;
    int one = 1, sum;

    if (rank != 0)
        receive(0);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* ---- scenes that end ---- */

static void computes(void)
{
    if (rank != 0)
        receive(0);
    else
        compute(WHILE_MS);
    if (rank == 0)
        send_to_all();
}

static void add_slowly(void *from, void *into, int *count, MPI_Datatype *type)
{
    (void)type;
    if (rank == 0)
        compute(WHILE_MS);
    for (int i = 0; i < *count; i++)
        ((int *)into)[i] += ((int *)from)[i];
}

static void combines(void)
{
    int one = 1, sum;
    MPI_Op op;

    MPI_Op_create(add_slowly, 1, &op);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
}

static void beside(void)
{
    MPI_Request request;
    int one = 1, sum;

    if (rank != 0)
        receive(0);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 0) {
        compute(WHILE_MS);
        send_to_all();
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void tests(void)
{
    double start = now_ms();
    MPI_Request request;
    int value, flag = 0;

    if (rank != 0) {
        receive(0);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(&value, 1, MPI_INT, n - 1, 1, MPI_COMM_WORLD, &request);
    while (now_ms() - start < WHILE_MS) {
        compute(1);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    send_to_all();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 2; i < n - 1; i++)
        MPI_Recv(&value, 1, MPI_INT, i, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *compute_and_send(void *unused)
{
    compute(WHILE_MS);
    send_to_all();
    return unused;
}

static void thread(void)
{
    pthread_t other_thread;

    if (rank == 0)
        pthread_create(&other_thread, NULL, compute_and_send, NULL);
    receive(rank == 0 ? n - 1 : 0);
    if (rank == n - 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        pthread_join(other_thread, NULL);
}

/* A process of its own stops rank 0, which waits for the last rank, and that one for a file. */
static void stopped(void)
{
    pid_t self = getpid(), child = rank == 0 ? fork() : -1;

    if (child == 0) {
        sleep_ms(WHILE_MS / 8);
        kill(self, SIGSTOP);
        sleep_ms(WHILE_MS);
        kill(self, SIGCONT);
        _exit(0);
    }
    if (rank == n - 1)
        sleep_ms(WHILE_MS / 4);
    MPI_Barrier(MPI_COMM_WORLD);
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* What rank 0 does in an operation of its own, within a call of all. */
static void (*slowly)(int piece);

static void combine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    for (int i = 0; rank == 0 && slowly && i < WHILE_MS / PIECE_MS; i++) {
        slowly(i);
        sleep_ms(PIECE_MS);
    }
    slowly = NULL;
}

static void sum_slowly(void (*how)(int piece))
{
    int one = 1, sum = 0;
    MPI_Op op;

    MPI_Op_create(combine, 1, &op);
    slowly = how;
    MPI_Reduce(&one, &sum, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Op_free(&op);
}

static void read_piece(int piece)
{
    char page[PAGE];

    (void)!pread(file, page, sizeof page, piece % 2);
}

static void write_piece(int piece)
{
    char page[PAGE] = "";

    (void)!pwrite(file, page, sizeof page, piece % 2);
}

static void move_piece(int piece)
{
    memset(memory + (size_t)piece * PIECE_BYTES, piece, PIECE_BYTES);
}

static void reads(void)
{
    file = open("/proc/self/exe", O_RDONLY);
    sum_slowly(read_piece);
}

static void writes(void)
{
    file = open("stuck.data", O_CREAT | O_RDWR, 0600);
    sum_slowly(write_piece);
}

static void moves(void)
{
    memory = malloc((size_t)PIECE_BYTES * WHILE_MS / PIECE_MS);
    sum_slowly(move_piece);
}

static void works(void)
{
    double start = now_ms();
    int goes_on = 1;

    while (goes_on) {
        MPI_Sendrecv(large, MANY, MPI_DOUBLE, next, 0, other, MANY, MPI_DOUBLE, before, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(large, other, MANY, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        goes_on = now_ms() - start < WHILE_MS;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/* ---- any source ---- */

static void neighbors(void)
{
    MPI_Request request;
    MPI_Status status;

    MPI_Irecv(other, MANY, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    MPI_Send(large, MANY, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    if (status.MPI_SOURCE != before)
        printf("stuck: rank %d has a message of rank %d, not %d\n", rank, status.MPI_SOURCE,
               before);
}

static void end_older(void)
{
    MPI_Status status;

    if (rank == 0)
        MPI_Wait(&older, &status);
    if (rank == 0 && status.MPI_SOURCE != MPI_PROC_NULL)
        printf("stuck: the older receive has a message of rank %d\n", status.MPI_SOURCE);
}

static const struct scene {
    const char *name;
    void (*run)(void);
} scenes[] = {{"sends", sends},     {"apart", apart},       {"file", close_file},
              {"leaves", leaves},   {"requests", requests}, {"computes", computes},
              {"beside", beside},   {"tests", tests},       {"thread", thread},
              {"stopped", stopped}, {"reads", reads},       {"writes", writes},
              {"moves", moves},     {"works", works},       {"neighbors", neighbors},
              {"older", end_older}, {"combines", combines}};

/* Rank 1 dies, and a reduction leaves it out. */
static void lose_rank_1(void)
{
    int one = 1, sum = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        raise(SIGKILL);
    while (sum != n - 1)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    next = rank == n - 1 ? 0 : rank == 0 ? 2 : rank + 1;
    before = rank == 0 ? n - 1 : rank == 2 ? 0 : rank - 1;
}

int main(int argc, char **argv)
{
    const char *scene = argc > 1 ? argv[1] : "";
    static int value;
    int provided;

    MPI_Init_thread(&argc, &argv,
                    strcmp(scene, "thread") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (rank == 0 && strcmp(scene, "older") == 0)
        MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &older);
    lose_rank_1();
    if (rank == 0) {
        puts("go");
        fflush(stdout);
    }
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        if (strcmp(scene, scenes[i].name) == 0)
            scenes[i].run();
    MPI_Finalize();
    printf("stuck: rank %d is through\n", rank);
    return 0;
}
