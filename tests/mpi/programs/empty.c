/* empty VICTIM: reductions of count 0, with each rank as root. Rank VICTIM dies in the middle; -1:
 * nobody. They must not wait for the dead, and stay in step with reductions that have data. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 8, ROOTS = 8 /* at most */ };

static int rank, n;

static void blocking(void)
{
    MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int root = 0; root < n; root++)
        MPI_Reduce(NULL, NULL, 0, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD);
}

static void nonblocking(void)
{
    MPI_Request request[1 + ROOTS];
    MPI_Status status[1 + ROOTS];

    MPI_Iallreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[0]);
    for (int root = 0; root < n; root++)
        MPI_Ireduce(NULL, NULL, 0, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD, &request[root + 1]);
    MPI_Waitall(1 + n, request, status);
}

/* How many ranks live. */
static int count_ranks(int round)
{
    int own[2] = {1, round}, all[2] = {0, 0};

    MPI_Allreduce(own, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all[1] != all[0] * round) {
        printf("empty: rank %d, round %d: the sum is not of this round\n", rank, round);
        exit(4);
    }
    return all[0];
}

int main(int argc, char **argv)
{
    int victim = argc > 1 ? atoi(argv[1]) : -1, alive = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n > ROOTS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int round = 1; round <= ROUNDS; round++) {
        if (rank == victim && round == ROUNDS / 2)
            raise(SIGKILL);
        blocking();
        nonblocking();
        alive = count_ranks(round);
    }
    MPI_Finalize();
    if (alive != n - (victim >= 0))
        return 5;
    if (rank == (victim == 0))
        printf("empty: all ranks have met\n");
    return 0;
}
