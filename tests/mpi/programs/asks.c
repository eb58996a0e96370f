/* asks: a program that wants to know which ranks have failed, and that also runs without ftcoll.
 *
 * The last rank dies, the others meet in an allreduce and then ask. */
#include <ftcoll.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, n, problems;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "asks: rank %d: not true: %s\n", rank, #condition);                    \
            problems++;                                                                            \
        }                                                                                          \
    } while (0)

static int sum_of_ones(void)
{
    int one = 1, sum = 0;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void check_before(void)
{
    struct ftcoll_counters c = {0};
    int failed[8];

    CHECK(strcmp(ftcoll_version(), FTCOLL_VERSION) == 0);
    CHECK(sum_of_ones() == n);
    CHECK(ftcoll_failed_ranks(MPI_COMM_WORLD, 8, failed) == 0);
    CHECK(ftcoll_failed_ranks(MPI_COMM_WORLD, -1, failed) == -1);
    CHECK(ftcoll_failed_ranks(MPI_COMM_NULL, 8, failed) == -1);
    CHECK(ftcoll_get_counters(&c) == 0);
    CHECK(c.protected_calls == 1 && c.native_calls == 0 && c.failures == 0);
}

/* The last rank goes on when all others have come here. */
static void await_all(void)
{
    if (rank < n - 1)
        MPI_Send(NULL, 0, MPI_INT, n - 1, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == n - 1 && i < n - 1; i++)
        MPI_Recv(NULL, 0, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void check_after(MPI_Comm backwards)
{
    struct ftcoll_counters c = {0};
    int failed[8] = {-1, -1};

    CHECK(sum_of_ones() == n - 1);
    CHECK(ftcoll_failed_ranks(MPI_COMM_WORLD, 8, failed) == 1);
    CHECK(failed[0] == n - 1 && failed[1] == -1);
    CHECK(ftcoll_failed_ranks(MPI_COMM_WORLD, 0, NULL) == 1);
    CHECK(ftcoll_failed_ranks(backwards, 8, failed) == 1);
    CHECK(failed[0] == 0);
    CHECK(ftcoll_get_counters(&c) == 0);
    CHECK(c.protected_calls == 2 && c.native_calls == 0 && c.failures == 1);
}

int main(int argc, char **argv)
{
    MPI_Comm backwards;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    if (ftcoll_version) {
        check_before();
        await_all();
        if (rank == n - 1)
            raise(SIGKILL);
        check_after(backwards);
        CHECK(MPI_Finalize() == MPI_SUCCESS);
        CHECK(ftcoll_get_counters(NULL) == -1);
    } else {
        CHECK(sum_of_ones() == n);
        MPI_Finalize();
    }
    if (problems == 0)
        printf("asks: rank %d is content %s ftcoll\n", rank, ftcoll_version ? "with" : "without");
    return problems > 0;
}
