/* looks [VICTIM]: what the calls of MPI 4.1 that look at several requests and keep them say of a
 * reduction, persistent or not, between a request that is none and one that is not active. Rank 0
 * begins it, the others when it has looked for a while; VICTIM dies instead. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPICH_NUMVERSION >= 40200000

enum { SUM = 1, REQUESTS = 3, LOOKS = 2000, ROUNDS = 3 };

static int rank, n, wrong, victim = -1;

static void expect(const char *what, long is, long expected)
{
    if (is == expected)
        return;
    printf("wrong: rank %d: %s is %ld, not %ld\n", rank, what, is, expected);
    wrong++;
}

/* What the three calls say of the same requests. */
struct look {
    int all, any, index, some, indices[REQUESTS];
    MPI_Status of_all[REQUESTS], of_any, of_some[REQUESTS];
};

static struct look look_at(MPI_Request request[REQUESTS])
{
    MPI_Request before[REQUESTS];
    struct look l;

    memcpy(before, request, sizeof before);
    expect("the error of all", MPI_Request_get_status_all(REQUESTS, request, &l.all, l.of_all),
           MPI_SUCCESS);
    expect("the error of any",
           MPI_Request_get_status_any(REQUESTS, request, &l.index, &l.any, &l.of_any), MPI_SUCCESS);
    expect("the error of some",
           MPI_Request_get_status_some(REQUESTS, request, &l.some, l.indices, l.of_some),
           MPI_SUCCESS);
    expect("the same requests", memcmp(before, request, sizeof before), 0);
    return l;
}

static void expect_inactive(MPI_Request request[REQUESTS])
{
    struct look l = look_at(request);

    expect("all of none", l.all, 1);
    expect("a source of none", l.of_all[SUM].MPI_SOURCE, MPI_ANY_SOURCE);
    expect("any of none", l.any, 1);
    expect("the index of none", l.index, MPI_UNDEFINED);
    expect("the source of none", l.of_any.MPI_SOURCE, MPI_ANY_SOURCE);
    expect("some of none", l.some, MPI_UNDEFINED);
}

static void expect_running(MPI_Request request[REQUESTS])
{
    struct look l;

    for (int i = 0; i < LOOKS && wrong == 0; i++) {
        l = look_at(request);
        expect("all of what goes on", l.all, 0);
        expect("any of what goes on", l.any, 0);
        expect("some of what goes on", l.some, 0);
    }
}

/* Each of the calls may be the first to find it. */
static void await(int round, MPI_Request request[REQUESTS])
{
    int done = 0, index, indices[REQUESTS];
    MPI_Status status[REQUESTS];

    while (!done && round % 3 == 0)
        MPI_Request_get_status_all(REQUESTS, request, &done, status);
    while (!done && round % 3 == 1)
        MPI_Request_get_status_any(REQUESTS, request, &index, &done, status);
    while (!done)
        MPI_Request_get_status_some(REQUESTS, request, &done, indices, status);
}

static void expect_complete(MPI_Request request[REQUESTS])
{
    struct look l = look_at(request);

    expect("all of what has ended", l.all, 1);
    expect("the source of one that is not active", l.of_all[2].MPI_SOURCE, MPI_ANY_SOURCE);
    expect("any of what has ended", l.any, 1);
    expect("the index of what has ended", l.index, SUM);
    expect("some of what has ended", l.some, 1);
    expect("the first index of what has ended", l.indices[0], SUM);
}

static void tell_others(int round)
{
    for (int other = 1; other < n; other++)
        if (other != victim || round == 0)
            MPI_Send(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
}

static void await_word(void)
{
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == victim)
        raise(SIGKILL);
}

/* Of the bits of all ranks. */
static void expect_sum(long sum)
{
    long all = (1L << n) - 1;

    expect("the sum", sum, victim < 0 ? all : all & ~(1L << victim));
}

static void run(MPI_Request request[REQUESTS], bool is_persistent, int round)
{
    long in = 1L << rank, out = 0;
    int done;

    if (is_persistent)
        MPI_Allreduce_init(&in, &out, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request[SUM]);
    expect_inactive(request);
    if (rank > 0)
        await_word();
    if (is_persistent)
        MPI_Start(&request[SUM]);
    else
        MPI_Iallreduce(&in, &out, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request[SUM]);
    if (rank == 0) {
        expect_running(request);
        tell_others(round);
    }
    await(round, request);
    expect_sum(out);
    expect_complete(request);
    MPI_Test(&request[SUM], &done, MPI_STATUS_IGNORE);
    expect("MPI_Test", done, 1);
    expect_inactive(request);
    if (is_persistent)
        MPI_Request_free(&request[SUM]);
}

int main(int argc, char **argv)
{
    MPI_Request request[REQUESTS] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int nothing;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (argc > 1)
        victim = atoi(argv[1]);
    MPI_Recv_init(&nothing, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request[2]);
    for (int round = 0; round < 2 * ROUNDS; round++)
        run(request, round < ROUNDS, round);
    MPI_Request_free(&request[2]);
    MPI_Finalize();
    printf("looks: %d wrong\n", wrong);
    return wrong > 0;
}

#else

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    if (rank == 0)
        puts("skipped: this MPI library does not have MPI_Request_get_status_all");
    return 0;
}

#endif
