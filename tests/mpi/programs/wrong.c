/* wrong: an erroneous program. The last rank calls something else than the others, or sends to a
 * rank that there is not; the error handler must end the job.
 *
 *     wrong count|op|call|root|type|send|creation */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *what;
static int rank, is_last;

static int differs(const char *in)
{
    return is_last && strcmp(what, in) == 0;
}

static void reduce(void)
{
    int one[2] = {1, 1}, all[2] = {0, 0};

    if (differs("call") || strcmp(what, "root") == 0)
        MPI_Reduce(one, all, 1, MPI_INT, MPI_SUM, differs("root"), MPI_COMM_WORLD);
    else
        MPI_Allreduce(one, all, differs("count") ? 2 : 1, differs("type") ? MPI_FLOAT : MPI_INT,
                      differs("op") ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
}

static void create(void)
{
    MPI_Comm comm;

    if (is_last)
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
}

int main(int argc, char **argv)
{
    int n;

    what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    is_last = rank == n - 1;
    if (differs("send"))
        MPI_Send(&n, 1, MPI_INT, n, 0, MPI_COMM_WORLD);
    if (strcmp(what, "creation") == 0)
        create();
    reduce();
    printf("wrong: rank %d got a result\n", rank);
    MPI_Finalize();
    return 0;
}
