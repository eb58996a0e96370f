/* persistent ROUNDS SEED [VICTIMS ROUND] [threads]: persistent reductions on several communicators,
 * which each rank starts and completes in an order and with calls of its own, with point-to-point
 * requests, blocking reductions and MPI_Comm_free among them. VICTIMS, such as 1,3, die in ROUND,
 * between two starts, or by the library's fault injection with ROUND = -1. With threads each thread
 * has its own.
 *
 * Rank r contributes 8 to the power of r, so that a sum tells who is in it, and how often. All
 * survivors of an allreduce must have found the same ranks. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS = 12, REQUESTS = OPERATIONS + 2, COUNT = 3, THREADS = 3 };

struct operation {
    bool is_reduce, is_in_place;
    int root;
    long in[COUNT], out[COUNT];
};

struct worker {
    pthread_t thread;
    MPI_Comm comm[2]; /* the second is freed once its requests are made */
    int number;
    uint64_t shared, own; /* random numbers: the same on all ranks, this rank's */
    struct operation operation[OPERATIONS];
    MPI_Request request[REQUESTS];
    int message[2];
};

static int rank, n, rounds, seed, dies_in = -1;
static const char *victims = "";
static atomic_int problems;

static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % below;
}

static void complain(const char *what, int round)
{
    if (problems++ < 5)
        fprintf(stderr, "persistent: rank %d, round %d: %s\n", rank, round, what);
}

static bool is_victim(int whom)
{
    char digit[] = {(char)('0' + whom), '\0'};

    return strpbrk(victims, digit) != NULL;
}

static void make(struct worker *w, int i)
{
    struct operation *o = &w->operation[i];
    MPI_Comm comm = w->comm[i % 2];
    const void *in = o->in;

    o->is_reduce = draw(&w->shared, 3) == 0;
    o->is_in_place = !o->is_reduce && draw(&w->shared, 3) == 0;
    o->root = (int)draw(&w->shared, 1000) % n;
    if (o->is_in_place)
        in = MPI_IN_PLACE;
    if (o->is_reduce && i < OPERATIONS / 2)
        MPI_Reduce_init(in, o->out, COUNT, MPI_LONG, MPI_SUM, o->root, comm, MPI_INFO_NULL,
                        &w->request[i]);
    else if (o->is_reduce)
        MPI_Reduce_init_c(in, o->out, COUNT, MPI_LONG, MPI_SUM, o->root, comm, MPI_INFO_NULL,
                          &w->request[i]);
    else if (i < OPERATIONS / 2)
        MPI_Allreduce_init(in, o->out, COUNT, MPI_LONG, MPI_SUM, comm, MPI_INFO_NULL,
                           &w->request[i]);
    else
        MPI_Allreduce_init_c(in, o->out, COUNT, MPI_LONG, MPI_SUM, comm, MPI_INFO_NULL,
                             &w->request[i]);
}

static void fill(struct operation *o)
{
    for (int i = 0; i < COUNT; i++) {
        o->in[i] = 1L << (3 * rank);
        o->out[i] = o->is_in_place ? o->in[i] : -1;
    }
}

/* The other threads of a victim die in any of their rounds. */
static bool may_lack(const struct worker *w, int other, int round)
{
    return is_victim(other) && (round >= dies_in || w->number > 0);
}

static void check(const struct worker *w, const struct operation *o, int round)
{
    for (int i = 0; i < COUNT; i++)
        for (int other = 0; other < n; other++) {
            long times = o->out[i] >> (3 * other) & 7;

            if (times != 1 && !(times == 0 && may_lack(w, other, round)))
                complain("wrong ranks in a result", round);
        }
}

static void agree(const struct worker *w, int round)
{
    long any[OPERATIONS], all[OPERATIONS], found[OPERATIONS] = {0};

    for (int i = 0; i < OPERATIONS; i++)
        if (!w->operation[i].is_reduce)
            found[i] = w->operation[i].out[0];
    MPI_Allreduce(found, any, OPERATIONS, MPI_LONG, MPI_BOR, w->comm[0]);
    MPI_Allreduce(found, all, OPERATIONS, MPI_LONG, MPI_BAND, w->comm[0]);
    if (memcmp(any, all, sizeof any) != 0)
        complain("survivors have found different ranks", round);
}

/* ---- in any order ---- */

static void start_some(struct worker *w, int order[OPERATIONS], int from, int to)
{
    MPI_Request several[OPERATIONS];

    for (int i = from; i < to; i++)
        fill(&w->operation[order[i]]);
    if (draw(&w->own, 2) == 0) {
        for (int i = from; i < to; i++)
            MPI_Start(&w->request[order[i]]);
        return;
    }
    for (int i = from; i < to; i++)
        several[i - from] = w->request[order[i]];
    MPI_Startall(to - from, several);
    for (int i = from; i < to; i++)
        if (several[i - from] != w->request[order[i]])
            complain("MPI_Startall has changed a handle", -1);
}

/* Some requests rest for three rounds. */
static bool is_started(int i, int round)
{
    return i >= OPERATIONS / 3 || round % 4 == 0;
}

/* Those of a round, in an order of this rank's; returns how many. */
static int shuffle(struct worker *w, int round, int order[OPERATIONS])
{
    int count = 0;

    for (int i = 0; i < OPERATIONS; i++) {
        int k = (int)draw(&w->own, (unsigned)count + 1);

        if (!is_started(i, round))
            continue;
        order[count] = order[k];
        order[k] = i;
        count++;
    }
    return count;
}

static void start_all(struct worker *w, int round)
{
    bool dies = round == dies_in && is_victim(rank) && w->number == 0;
    int order[OPERATIONS], count = shuffle(w, round, order);
    int half = (int)draw(&w->own, (unsigned)count - 1) + 1;

    start_some(w, order, 0, half);
    if (dies)
        raise(SIGKILL);
    start_some(w, order, half, count);
    MPI_Irecv(&w->message[0], 1, MPI_INT, 0, w->number, MPI_COMM_SELF, &w->request[OPERATIONS]);
    MPI_Isend(&w->message[1], 1, MPI_INT, 0, w->number, MPI_COMM_SELF, &w->request[OPERATIONS + 1]);
}

/* One call for any of them, which may be complete already; whether all have ended. */
static bool end_some(struct worker *w)
{
    int one = (int)draw(&w->own, REQUESTS), done = 0, index[REQUESTS];
    MPI_Request *request = w->request;
    MPI_Status status[REQUESTS];

    switch (draw(&w->own, 8)) {
    case 0:
        MPI_Wait(&request[one], status);
        return false;
    case 1:
        MPI_Test(&request[one], &done, status);
        return false;
    case 2:
        MPI_Waitany(REQUESTS, request, &one, MPI_STATUS_IGNORE);
        return one == MPI_UNDEFINED;
    case 3:
        MPI_Testany(REQUESTS, request, &one, &done, status);
        return done && one == MPI_UNDEFINED;
    case 4:
        MPI_Waitsome(REQUESTS, request, &done, index, status);
        return done == MPI_UNDEFINED;
    case 5:
        MPI_Testsome(REQUESTS, request, &done, index, status);
        return done == MPI_UNDEFINED;
    case 6:
        while (!done)
            MPI_Request_get_status(request[one], &done, status);
        MPI_Test(&request[one], &done, status);
        if (!done)
            complain("MPI_Request_get_status was wrong", -1);
        return false;
    default:
        MPI_Waitall(REQUESTS, request, status);
        return true;
    }
}

static void end_all(struct worker *w)
{
    int others = (int)draw(&w->own, 12), done;
    MPI_Status status[REQUESTS];

    while (others-- > 0 && !end_some(w))
        ;
    MPI_Waitall(REQUESTS, w->request, status);
    MPI_Testall(REQUESTS, w->request, &done, status);
    if (!done)
        complain("requests that are complete are not", -1);
    for (int i = 0; i < OPERATIONS; i++)
        if (w->request[i] == MPI_REQUEST_NULL)
            complain("a persistent request is gone", -1);
}

static void *work(void *argument)
{
    struct worker *w = argument;

    for (int round = 0; round < rounds; round++) {
        w->message[0] = 0;
        w->message[1] = round + 1;
        start_all(w, round);
        if (round % 3 == 0) /* a blocking one meanwhile */
            MPI_Allreduce(MPI_IN_PLACE, &(int){1}, 1, MPI_INT, MPI_SUM, w->comm[0]);
        end_all(w);
        for (int i = 0; i < OPERATIONS; i++)
            if (is_started(i, round) &&
                (!w->operation[i].is_reduce || w->operation[i].root == rank))
                check(w, &w->operation[i], round);
        if (w->message[0] != round + 1)
            complain("a message of its own is wrong", round);
        agree(w, round);
    }
    return NULL;
}

static void prepare(struct worker *w, int number)
{
    w->number = number;
    w->shared = (uint64_t)(seed + 100 * number);
    w->own = w->shared * 1000 + (uint64_t)rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &w->comm[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &w->comm[1]);
    for (int i = 0; i < OPERATIONS; i++)
        make(w, i);
    MPI_Comm_free(&w->comm[1]);
}

static void finish(struct worker *w)
{
    for (int i = 0; i < OPERATIONS; i++) {
        MPI_Request_free(&w->request[i]);
        if (w->request[i] != MPI_REQUEST_NULL)
            complain("a freed request is still there", -1);
    }
    MPI_Comm_free(&w->comm[0]);
}

static void number(int argc, char **argv, int i, int *value)
{
    if (i < argc)
        *value = atoi(argv[i]);
}

int main(int argc, char **argv)
{
    bool with_threads = argc > 1 && strcmp(argv[argc - 1], "threads") == 0;
    static struct worker worker[THREADS];
    int threads = with_threads ? THREADS : 1, provided;

    argc -= with_threads;
    MPI_Init_thread(&argc, &argv, with_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    number(argc, argv, 1, &rounds);
    number(argc, argv, 2, &seed);
    if (argc > 3)
        victims = argv[3];
    number(argc, argv, 4, &dies_in);
    for (int i = 0; i < threads; i++)
        prepare(&worker[i], i);
    for (int i = 1; i < threads; i++)
        pthread_create(&worker[i].thread, NULL, work, &worker[i]);
    work(&worker[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(worker[i].thread, NULL);
    for (int i = 0; i < threads; i++)
        finish(&worker[i]);
    MPI_Finalize();
    if (problems == 0)
        printf("persistent: rank %d is content\n", rank);
    return problems > 0;
}
