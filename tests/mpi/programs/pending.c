/* pending: many nonblocking reductions on several communicators at once, blocking ones and
 * point-to-point requests among them, which each rank ends in its own way.
 *
 *     pending many ROUNDS SEED [VICTIM ROUND]   VICTIM dies in ROUND, between its calls; with
 *                                               ROUND = -1 by the library's fault injection
 *     pending threads ...                       the same in several threads
 *     pending rule                              a rank in a native call while others wait for it
 *     pending derived ROUNDS [threads]          datatypes with gaps and operations of the program's
 *                                               own, which are freed before the end, with that rule
 *     pending products                          of complex numbers, which MPI itself multiplies
 *     pending native                            a rank waits that owes others a message
 *     pending crossed                           more at once than the rings have room for, begun in
 *                                               another order on each rank
 *     pending free                              communicators and requests freed before the end
 *     pending outrun                            the last rank is stopped in one, and the others end
 *                                               it, free its communicator, and make many others
 *     pending excess                            ranks 1 and 2 die: the error comes out of the wait
 *     pending wrong                             ranks call different operations
 *
 * Rank r contributes 8 to the power of r, so that a sum tells who is in it, and how often. */
#include "process_state.h"

#include <complex.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    COMMS = 4,
    OPERATIONS = 24,
    REQUESTS = 2 * OPERATIONS,
    COUNT = 3,
    THREADS = 3,
    RANKS_MAX = 8,
    LARGE = 1 << 23
};

struct operation {
    int comm, root; /* -1: an allreduce */
    long in[COUNT], out[COUNT];
};

static int rank, n, rounds, victim = -1, dies_in = -1;
static atomic_int problems;

/* Of each thread. */
static _Thread_local MPI_Comm comm[COMMS];
static _Thread_local int thread_number;
static _Thread_local uint64_t shared, own; /* random numbers: the same on all ranks, this rank's */

static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % below;
}

static void complain(const char *what, int round)
{
    if (problems++ < 5)
        fprintf(stderr, "pending: rank %d, round %d: %s\n", rank, round, what);
}

static void make_comms(MPI_Comm made[COMMS])
{
    MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &made[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &made[2]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &made[3]);
}

static int is_member(int other, int which)
{
    return which != 2 || other % 2 == rank % 2;
}

/* The other threads of the victim die in any of their rounds. */
static bool may_lack(int other, int round)
{
    return other == victim && (round >= dies_in || thread_number > 0);
}

static void check(const struct operation *o, int round)
{
    for (int i = 0; i < COUNT; i++)
        for (int other = 0; other < n; other++) {
            long times = o->out[i] >> (3 * other) & 7;

            if (times != is_member(other, o->comm) && !(times == 0 && may_lack(other, round)))
                complain("wrong ranks in a result", round);
        }
}

static void begin(struct operation *o, MPI_Request *request)
{
    int size;

    o->comm = (int)draw(&shared, COMMS);
    MPI_Comm_size(comm[o->comm], &size);
    o->root = draw(&shared, 3) == 0 ? (int)draw(&shared, 1000) % size : -1;
    for (int i = 0; i < COUNT; i++) {
        o->in[i] = 1L << (3 * rank);
        o->out[i] = -1;
    }
    *request = MPI_REQUEST_NULL;
    switch (draw(&shared, 8)) {
    case 0:
        o->root = -1;
        MPI_Allreduce(o->in, o->out, COUNT, MPI_LONG, MPI_SUM, comm[o->comm]);
        break;
    case 1:
        o->root = -1;
        memcpy(o->out, o->in, sizeof o->in);
        MPI_Iallreduce(MPI_IN_PLACE, o->out, COUNT, MPI_LONG, MPI_SUM, comm[o->comm], request);
        break;
    default:
        if (o->root < 0)
            MPI_Iallreduce(o->in, o->out, COUNT, MPI_LONG, MPI_SUM, comm[o->comm], request);
        else
            MPI_Ireduce(o->in, o->out, COUNT, MPI_LONG, MPI_SUM, o->root, comm[o->comm], request);
    }
}

static int gives_result(const struct operation *o)
{
    int own_rank;

    MPI_Comm_rank(comm[o->comm], &own_rank);
    return o->root < 0 || o->root == own_rank;
}

static void talk_to_self(MPI_Request request[2], int value[2])
{
    MPI_Irecv(&value[0], 1, MPI_INT, 0, thread_number, MPI_COMM_SELF, &request[0]);
    MPI_Isend(&value[1], 1, MPI_INT, 0, thread_number, MPI_COMM_SELF, &request[1]);
}

static int pick(int count, const MPI_Request *request)
{
    int start = (int)draw(&own, (unsigned)count);

    for (int i = 0; i < count; i++)
        if (request[(start + i) % count] != MPI_REQUEST_NULL)
            return (start + i) % count;
    return -1;
}

/* One call; returns whether all requests have ended. */
static int end_some(int count, MPI_Request *request)
{
    int one = pick(count, request), done = 0, index[REQUESTS];
    MPI_Status status[REQUESTS];

    if (one < 0)
        return 1;
    switch (draw(&own, 9)) {
    case 0:
        MPI_Wait(&request[one], status);
        break;
    case 1:
        MPI_Test(&request[one], &done, status);
        break;
    case 2:
        MPI_Waitany(count, request, &one, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Testany(count, request, &one, &done, status);
        break;
    case 4:
        MPI_Waitsome(count, request, &done, index, status);
        break;
    case 5:
        MPI_Testsome(count, request, &done, index, status);
        break;
    case 6:
        MPI_Testall(count, request, &done, status);
        return done;
    case 7:
        while (!done)
            MPI_Request_get_status(request[one], &done, status);
        break;
    default:
        MPI_Waitall(count, request, status);
        return 1;
    }
    return 0;
}

static void run_round(int round)
{
    static _Thread_local struct operation operation[OPERATIONS];
    MPI_Request request[REQUESTS];
    int count = 1 + (int)draw(&shared, OPERATIONS), requests = 0, value[2][2] = {{0, 1}, {0, 2}};
    int dies_at = round == dies_in && rank == victim && thread_number == 0
                      ? (int)draw(&own, (unsigned)count)
                      : -1;

    talk_to_self(&request[requests], value[0]);
    requests += 2;
    for (int i = 0; i < count; i++) {
        if (i == dies_at)
            raise(SIGKILL);
        begin(&operation[i], &request[requests++]);
        if (draw(&own, 4) == 0)
            end_some(requests, request);
    }
    talk_to_self(&request[requests], value[1]);
    requests += 2;
    while (!end_some(requests, request))
        ;
    if (value[0][0] != 1 || value[1][0] != 2)
        complain("a message of its own is wrong", round);
    for (int i = 0; i < count; i++)
        if (gives_result(&operation[i]))
            check(&operation[i], round);
}

struct worker {
    pthread_t thread;
    MPI_Comm comm[COMMS];
    int number;
    uint64_t seed;
};

static void *work(void *argument)
{
    const struct worker *w = argument;

    memcpy(comm, w->comm, sizeof comm);
    thread_number = w->number;
    shared = w->seed;
    own = w->seed * 1000 + (uint64_t)rank;
    for (int round = 0; round < rounds; round++)
        run_round(round);
    return NULL;
}

static void many(int seed, int threads)
{
    struct worker worker[THREADS];

    for (int i = 0; i < threads; i++) {
        worker[i].number = i;
        worker[i].seed = (uint64_t)(seed + 100 * i);
        make_comms(worker[i].comm);
    }
    for (int i = 1; i < threads; i++)
        pthread_create(&worker[i].thread, NULL, work, &worker[i]);
    work(&worker[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(worker[i].thread, NULL);
}

static void sum_of(int members, int sum, const char *what)
{
    if (sum != members)
        complain(what, 0);
}

/* Rank 0 sits in a receive that ends only after the operations: the others wait for its part. */
static void rule(void)
{
    int one = 1, sum[3] = {0}, got = 0;
    MPI_Request request[3];
    MPI_Status status[3];

    for (int i = 0; i < 3; i++)
        MPI_Iallreduce(&one, &sum[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]);
    if (rank == 0)
        MPI_Recv(&got, 1, MPI_INT, n - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(3, request, status);
    if (rank == n - 1)
        MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        sum_of(n, sum[i], "a wrong sum");
}

static void add_spread(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size;

    MPI_Type_size(*type, &size);
    if (size != 2 * (int)sizeof(int))
        complain("an operation is told of another datatype", 0);
    for (int i = 0; i < 3 * *count; i += i % 3 ? 1 : 2)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Two ints with a gap between them. */
static MPI_Datatype make_spread(void)
{
    MPI_Datatype type;

    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

enum { GAP = -5 };

/* With the rule, or on a communicator that is freed before the end. */
static void derived_round(MPI_Comm parent, bool waits_for_message)
{
    MPI_Comm on = parent;
    int one[3] = {1, GAP, 2}, sum[3] = {0, GAP, 0}, block[3] = {rank, GAP, 7}, all[RANKS_MAX][3];
    int root[3] = {rank, GAP, 7}, got = 0;
    MPI_Datatype spread = make_spread();
    MPI_Request request[3];
    MPI_Status status[3];
    MPI_Op op;

    for (int i = 0; i < n; i++)
        all[i][0] = all[i][1] = all[i][2] = GAP;
    if (!waits_for_message)
        MPI_Comm_dup(parent, &on);
    MPI_Op_create(add_spread, 1, &op);
    MPI_Iallreduce(one, sum, 1, spread, op, on, &request[0]);
    MPI_Iallgather(block, 1, spread, all, 1, spread, on, &request[1]);
    MPI_Ibcast(root, 1, spread, n - 1, on, &request[2]);
    MPI_Type_free(&spread);
    MPI_Op_free(&op);
    if (!waits_for_message)
        MPI_Comm_free(&on);
    if (spread != MPI_DATATYPE_NULL || op != MPI_OP_NULL)
        complain("a freed handle is still there", 0);
    if (waits_for_message && rank == 0)
        MPI_Recv(&got, 1, MPI_INT, n - 1, 0, on, &status[0]);
    MPI_Waitall(3, request, status);
    if (waits_for_message && rank == n - 1)
        MPI_Send(one, 1, MPI_INT, 0, 0, on);
    if (sum[0] != n || sum[1] != GAP || sum[2] != 2 * n || root[0] != n - 1 || root[1] != GAP)
        complain("a wrong sum, or broadcast", 0);
    for (int i = 0; i < n; i++)
        if (all[i][0] != i || all[i][1] != GAP || all[i][2] != 7)
            complain("a wrong block", i);
}

static void *derive(void *on)
{
    for (int round = 0; round < rounds; round++)
        derived_round(*(MPI_Comm *)on, round % 2);
    return NULL;
}

static void derived(int threads)
{
    MPI_Comm own_comm[THREADS];
    pthread_t thread[THREADS];

    for (int i = 0; i < threads; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &own_comm[i]);
    for (int i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, derive, &own_comm[i]);
    derive(&own_comm[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < threads; i++)
        MPI_Comm_free(&own_comm[i]);
}

enum { FACTORS = 31 };

static void check_products(const double complex *product, const char *what)
{
    double complex wanted = 1;

    for (int i = 1; i < n; i++)
        wanted *= I;
    for (int i = 0; i < FACTORS; i++)
        if (product[i] != (i + 1) * wanted)
            complain(what, i);
}

/* Everybody's factors travel in one value. */
static void products(void)
{
    double complex in[FACTORS], out[4][FACTORS] = {0};
    MPI_Request request[4];
    MPI_Status status[4];

    for (int i = 0; i < FACTORS; i++)
        in[i] = rank == 0 ? i + 1 : I;
    MPI_Allreduce_init(in, out[0], FACTORS, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD,
                       MPI_INFO_NULL, &request[0]);
    MPI_Reduce_init(in, out[1], FACTORS, MPI_C_DOUBLE_COMPLEX, MPI_PROD, 0, MPI_COMM_WORLD,
                    MPI_INFO_NULL, &request[1]);
    MPI_Startall(2, request);
    MPI_Iallreduce(in, out[2], FACTORS, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD,
                   &request[2]);
    MPI_Ireduce(in, out[3], FACTORS, MPI_C_DOUBLE_COMPLEX, MPI_PROD, 0, MPI_COMM_WORLD,
                &request[3]);
    MPI_Waitall(4, request, status);
    for (int i = 0; i < 4; i++)
        if (i % 2 == 0 || rank == 0)
            check_products(out[i], "a wrong product");
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

/* Rank 1 comes to the operation only when native MPI of rank 0 has gone on in the wait for it. */
static void rule_of_native(void)
{
    static char large[LARGE];
    int one = 1, sum = 0;
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;

    if (rank == 0)
        MPI_Isend(large, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[1]);
    else if (rank == 1)
        MPI_Recv(large, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    MPI_Wait(&request[0], &status);
    MPI_Wait(&request[1], &status);
    sum_of(n, sum, "a wrong sum");
}

/* One of those with all ranks in their order. */
static MPI_Comm make_comm(int which, MPI_Comm parent)
{
    int periodic = 0;
    MPI_Request request;
    MPI_Comm made;

    switch (which % 4) {
    case 0:
        MPI_Comm_idup(parent, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Cart_create(parent, 1, &n, &periodic, 0, &made);
        break;
    case 2:
        MPI_Comm_split(parent, 0, rank, &made);
        break;
    default:
        MPI_Comm_dup(parent, &made);
    }
    return made;
}

/* Odd ranks begin where the others end. */
static void cross(void)
{
    enum { MANY = 50 };
    MPI_Comm comm_of[MANY];
    MPI_Request request[MANY];
    MPI_Status status[MANY];
    int in[MANY], sum[MANY] = {0};

    for (int i = 0; i < MANY; i++)
        comm_of[i] = make_comm(i, i % 3 && i > 3 ? comm_of[i / 3] : MPI_COMM_WORLD);
    for (int i = 0; i < MANY; i++) {
        int which = rank % 2 ? MANY - 1 - i : i;

        in[which] = which;
        MPI_Iallreduce(&in[which], &sum[which], 1, MPI_INT, MPI_SUM, comm_of[which],
                       &request[which]);
    }
    MPI_Waitall(MANY, request, status);
    for (int i = 0; i < MANY; i++)
        sum_of(n * i, sum[i], "a wrong sum");
    for (int i = 0; i < MANY; i++)
        MPI_Comm_free(&comm_of[i]);
}

static void free_early(void)
{
    int one = 1, sum[2] = {0}, all[RANKS_MAX], after = 0;
    MPI_Request request[3];
    MPI_Comm dup;

    for (int i = 0; i < 100; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Iallreduce(&one, &sum[0], 1, MPI_INT, MPI_SUM, dup, &request[0]);
        MPI_Iallreduce(&one, &sum[1], 1, MPI_INT, MPI_SUM, dup, &request[1]);
        MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, dup, &request[2]);
        MPI_Request_free(&request[1]);
        MPI_Comm_free(&dup);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        MPI_Wait(&request[2], MPI_STATUS_IGNORE);
        MPI_Allreduce(&one, &after, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        sum_of(n, sum[0], "a wrong sum");
        sum_of(n, sum[1], "a wrong sum of a request that was freed");
        sum_of(n, after, "a wrong sum afterwards");
        for (int other = 0; other < n; other++)
            sum_of(other, all[other], "a wrong block");
    }
}

static void end_on(MPI_Comm *on, MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Comm_free(on);
}

/* So many that each place on the board for a communicator has very likely been looked at. */
static void make_many(MPI_Comm parent)
{
    enum { MADE = 20000 };
    int one = 1, sum = 0;
    MPI_Comm made;

    for (int i = 0; i < MADE; i++) {
        MPI_Comm_dup(parent, &made);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, made);
        sum_of(n - 1, sum, "a wrong sum of the others");
        MPI_Comm_free(&made);
    }
}

static void outrun(void)
{
    int one = 1, sum = 0, later = 0, pid = (int)getpid();
    bool is_last = rank == n - 1;
    MPI_Request request, request_of_world = MPI_REQUEST_NULL;
    MPI_Comm all, part;

    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_split(MPI_COMM_WORLD, is_last, 0, &part);
    if (is_last)
        MPI_Send(&pid, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else if (rank == 0)
        MPI_Recv(&pid, 1, MPI_INT, n - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (rank == 0 && process_state(pid, '?') != 'T')
        usleep(1000);
    if (!is_last)
        MPI_Barrier(part);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all, &request);
    if (is_last) {
        MPI_Iallreduce(&one, &later, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_of_world);
        raise(SIGSTOP);
    }
    end_on(&all, &request);
    sum_of(n, sum, "a wrong sum");
    if (!is_last)
        make_many(part);
    if (rank == 0)
        kill(pid, SIGCONT);
    if (!is_last)
        MPI_Iallreduce(&one, &later, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request_of_world);
    MPI_Wait(&request_of_world, MPI_STATUS_IGNORE);
    sum_of(n, later, "a wrong sum afterwards");
    MPI_Comm_free(&part);
}

static void expect_error(const char *what, int rv)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;

    MPI_Error_class(rv, &class);
    MPI_Error_string(rv, text, &length);
    if (class != MPIX_ERR_PROC_FAILED || !strstr(text, "more than the f = 1 tolerated"))
        complain(text, 0);
    else
        printf("pending: rank %d: %s gives the error\n", rank, what);
}

static int handled;

static void handle(MPI_Comm *where, int *code, ...)
{
    (void)where;
    (void)code;
    handled++;
}

static void excess(void)
{
    int one = 1, sum[2] = {0}, index;
    MPI_Request request[2];
    MPI_Errhandler own_handler;
    MPI_Comm dup;

    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(handle, &own_handler);
    MPI_Comm_set_errhandler(dup, own_handler);
    MPI_Allreduce(&one, &sum[0], 1, MPI_INT, MPI_SUM, dup);
    if (rank == 1 || rank == 2)
        raise(SIGKILL);
    MPI_Iallreduce(&one, &sum[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(&one, &sum[1], 1, MPI_INT, MPI_SUM, dup, &request[1]);
    expect_error("MPI_Wait", MPI_Wait(&request[0], MPI_STATUS_IGNORE));
    expect_error("MPI_Waitany", MPI_Waitany(1, &request[1], &index, MPI_STATUS_IGNORE));
    if (handled != 1)
        complain("the error handler of the communicator was not called once", 0);
    MPI_Iallreduce(&one, &sum[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    if (MPI_Wait(&request[0], MPI_STATUS_IGNORE) != MPI_SUCCESS)
        complain("an error again", 0);
    sum_of(n - 2, sum[0], "a wrong sum of the survivors");
}

static void wrong(void)
{
    int one[2] = {1, 1}, sum[2];
    MPI_Request request;

    MPI_Iallreduce(one, sum, rank == 1 ? 2 : 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    complain("wrong calls were not noticed", 0);
}

static void number(int argc, char **argv, int i, int *value)
{
    if (i < argc)
        *value = atoi(argv[i]);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int seed = 1, provided;
    bool threads =
        strcmp(argc > 0 ? argv[argc - 1] : "", "threads") == 0 || strcmp(what, "threads") == 0;

    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    number(argc, argv, 2, &rounds);
    number(argc, argv, 3, &seed);
    number(argc, argv, 4, &victim);
    number(argc, argv, 5, &dies_in);
    if (strcmp(what, "derived") == 0)
        derived(threads ? THREADS : 1);
    else if (threads || strcmp(what, "many") == 0)
        many(seed, threads ? THREADS : 1);
    else if (strcmp(what, "rule") == 0)
        rule();
    else if (strcmp(what, "products") == 0)
        products();
    else if (strcmp(what, "native") == 0)
        rule_of_native();
    else if (strcmp(what, "crossed") == 0)
        cross();
    else if (strcmp(what, "free") == 0)
        free_early();
    else if (strcmp(what, "outrun") == 0)
        outrun();
    else if (strcmp(what, "excess") == 0)
        excess();
    else
        wrong();
    MPI_Finalize();
    if (problems == 0)
        printf("pending: rank %d is content\n", rank);
    return problems > 0;
}
