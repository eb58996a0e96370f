/* ahead SCENE [VICTIM]: ranks that only send, with a root that does not come. With several threads
 * nothing but the library holds them back, else what they send fills the root's memory.
 *
 *     ahead reduce|gather|ireduce|crossed|free [VICTIM]
 *
 * Of two threads of each rank one is in MANY operations of one communicator, the other in
 * allreduces of another, by which the root takes in what has come, and in which all learn how far
 * the others are. The root begins its operations when the others have been in ROUNDS allreduces
 * without getting further, or are through. Then nobody may ever have been more than MOST ahead of
 * it. VICTIM dies by SIGKILL at that moment. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 3000, MOST = 64 + 1, ROUNDS = 200, RANKS = 8, PAIR = 2 };

static const char *scene;
static int rank, size, victim = -1;
static MPI_Comm ahead, meeting;
static atomic_int begun, done, is_let_go, problems;

static void complain(const char *what, int number)
{
    if (problems++ < 5)
        fprintf(stderr, "ahead: rank %d: %s: %d\n", rank, what, number);
}

static int is(const char *name)
{
    return strcmp(scene, name) == 0;
}

/* Rank r gives 8 to the power of r. */
static void check_sum(long sum)
{
    for (int r = 0; r < size; r++) {
        long times = sum >> (3 * r) & 7;

        if (times != 1 && !(times == 0 && r == victim))
            complain("a rank is in a sum, times", (int)times);
    }
}

static void check_blocks(const long *block)
{
    for (int r = 0; r < size; r++)
        if (block[r] != 1L << (3 * r) && r != victim)
            complain("a wrong block of rank", r);
}

static void reduce(MPI_Comm comm, int root)
{
    long mine = 1L << (3 * rank), sum = 0;

    MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, root, comm);
    if (rank == root)
        check_sum(sum);
}

static void gather(void)
{
    long mine = 1L << (3 * rank), block[RANKS] = {0};

    MPI_Gather(&mine, 1, MPI_LONG, block, 1, MPI_LONG, 0, ahead);
    if (rank == 0)
        check_blocks(block);
}

/* Two at once, so that one waits behind the other. */
static void ireduce(void)
{
    long mine = 1L << (3 * rank), sum[PAIR] = {0};
    MPI_Request request[PAIR];
    MPI_Status status[PAIR];

    for (int i = 0; i < PAIR; i++)
        MPI_Ireduce(&mine, &sum[i], 1, MPI_LONG, MPI_SUM, 0, ahead, &request[i]);
    MPI_Waitall(PAIR, request, status);
    for (int i = 0; i < PAIR && rank == 0; i++)
        check_sum(sum[i]);
}

static void one(void)
{
    if (is("gather"))
        gather();
    else if (is("ireduce"))
        ireduce();
    else
        reduce(ahead, 0);
}

/* A communicator that is freed while its last operations are still under way. */
static void reduce_and_free(void)
{
    MPI_Comm copy;

    MPI_Comm_dup(ahead, &copy);
    for (int i = 0; i < MOST / 2; i++)
        reduce(copy, 0);
    MPI_Comm_free(&copy);
}

static void *run_ahead(void *unused)
{
    (void)unused;
    while (rank == 0 && !is_let_go)
        sched_yield();
    for (int i = 0; i < MANY; i++) {
        begun++;
        one();
        done++;
    }
    if (is("free"))
        reduce_and_free();
    return NULL;
}

/* How far the last of the living is, and the first. */
static int slowest_but_root(const int *of)
{
    int least = MANY;

    for (int r = 1; r < size; r++)
        if (of[r] < least && r != victim)
            least = of[r];
    return least;
}

static int furthest(const int *of)
{
    int most = 0;

    for (int r = 1; r < size; r++)
        if (of[r] > most)
            most = of[r];
    return most;
}

static int operations(int calls)
{
    return is("ireduce") ? PAIR * calls : calls;
}

/* What the others have done they had done before the allreduce, and the root has begun no less now.
 */
static void look(const int *all)
{
    int most = operations(furthest(all));

    if (rank == 0 && most > operations(begun) + MOST)
        complain("the others are ahead, operations", most - operations(begun));
}

static void die_in_time(void)
{
    if (rank == victim)
        raise(SIGKILL);
}

/* Scene crossed: with reduces to the others besides, in which the root is the one that only sends.
 */
static void meet(void)
{
    int mine[RANKS] = {0}, all[RANKS], before = -1, still = 0, is_over = 0;

    while (!is_over) {
        memset(mine, 0, sizeof mine);
        mine[rank] = done;
        MPI_Allreduce(mine, all, RANKS, MPI_INT, MPI_MAX, meeting);
        if (is("crossed"))
            reduce(meeting, 1 + still % (size - 1));
        look(all);
        still = slowest_but_root(all) == before ? still + 1 : 0;
        before = slowest_but_root(all);
        if ((still == ROUNDS || before == MANY) && !is_let_go) {
            is_let_go = 1;
            die_in_time();
        }
        is_over = before == MANY && (all[0] == MANY || victim == 0);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2 || size > RANKS || provided != MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 2);
    scene = argv[1];
    victim = argc > 2 ? atoi(argv[2]) : -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &ahead);
    MPI_Comm_dup(MPI_COMM_WORLD, &meeting);
    pthread_create(&thread, NULL, run_ahead, NULL);
    meet();
    pthread_join(thread, NULL);
    MPI_Finalize();
    if (problems == 0)
        printf("ahead: rank %d is content\n", rank);
    return problems > 0;
}
