/* rounds: rows of broadcasts from every root in turn and barriers, one rank of which may die on the
 * way.
 *
 *     rounds ROUNDS [VICTIM ROUND]
 *
 * Odd ranks describe the data by a derived datatype. A broadcast either brings all ranks the root's
 * data, or is an error of class MPIX_ERR_PROC_FAILED on all of them, which only a dead root may
 * cause. Nobody leaves a barrier before all living ranks have entered it: a mapped file counts. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FEW = 64, MANY = 1024, IN_A_ROW = 5 };

static int rank, n, rounds, victim = -1, last_round;
static _Atomic int *entered; /* by round; then, by round, ranks that had an error */

/* The launcher drops what it has not read when it ends the job. */
static void await_reader(void)
{
    int unread = 0;

    while (ioctl(STDOUT_FILENO, FIONREAD, &unread) == 0 && unread > 0)
        usleep(1000);
}

static void fail(const char *what, int round)
{
    printf("rounds: rank %d, round %d: %s\n", rank, round, what);
    fflush(stdout);
    await_reader();
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void map_counters(void)
{
    size_t bytes = 2 * (size_t)rounds * sizeof *entered;
    int fd = open("rounds", O_RDWR | O_CREAT, 0600);

    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0)
        fail("cannot create the file", 0);
    entered = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (entered == MAP_FAILED)
        fail("cannot map the file", 0);
}

/* Pairs of integers, the second first. */
static MPI_Datatype swapped_pairs(void)
{
    int displacement[] = {1, 0}, length[] = {1, 1};
    MPI_Datatype type;

    MPI_Type_indexed(2, length, displacement, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static int values_of(int round)
{
    return round % 3 == 0 ? FEW : MANY;
}

static int value_of(int round, int turn, int position)
{
    return (round * IN_A_ROW + turn) * MANY + position;
}

/* Who sends or receives by the derived datatype has the pairs swapped. */
static void check_values(const int *buffer, int round, int turn, int root)
{
    for (int i = 0; i < values_of(round); i++) {
        int sent = root % 2 ? i ^ 1 : i, at = rank % 2 ? i ^ 1 : i;

        if (rank != root && buffer[at] != value_of(round, turn, sent))
            fail("a broadcast brought wrong values", round);
    }
}

static void broadcast(int round, int turn, MPI_Datatype pairs)
{
    int buffer[MANY], values = values_of(round), root = round % n, rv, class;

    for (int i = 0; i < values; i++)
        buffer[i] = rank == root ? value_of(round, turn, i) : -1;
    rv = rank % 2 ? MPI_Bcast(buffer, values / 2, pairs, root, MPI_COMM_WORLD)
                  : MPI_Bcast(buffer, values, MPI_INT, root, MPI_COMM_WORLD);
    MPI_Error_class(rv, &class);
    if (class == MPI_SUCCESS) {
        check_values(buffer, round, turn, root);
        return;
    }
    if (class != MPIX_ERR_PROC_FAILED || root != victim || round < last_round)
        fail("an error that no dead root explains", round);
    atomic_fetch_add(&entered[rounds + round], 1);
}

static void barrier(int round)
{
    int expected = victim >= 0 && round >= last_round ? n - 1 : n, errors;

    atomic_fetch_add(&entered[round], 1);
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        fail("a barrier failed", round);
    if (atomic_load(&entered[round]) < expected)
        fail("a barrier was left too early", round);
    errors = atomic_load(&entered[rounds + round]);
    if (errors != 0 && errors != IN_A_ROW * (n - 1))
        fail("not all survivors had the broadcast's error", round);
}

int main(int argc, char **argv)
{
    MPI_Datatype pairs;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    rounds = argc > 1 ? atoi(argv[1]) : 100;
    if (argc > 3) {
        victim = atoi(argv[2]);
        last_round = atoi(argv[3]);
    }
    map_counters();
    pairs = swapped_pairs();
    for (int round = 0; round < rounds; round++) {
        if (rank == victim && round == last_round)
            raise(SIGKILL);
        for (int turn = 0; turn < IN_A_ROW; turn++)
            broadcast(round, turn, pairs);
        barrier(round);
    }
    printf("rounds: rank %d is through\n", rank);
    MPI_Type_free(&pairs);
    MPI_Finalize();
    return 0;
}
