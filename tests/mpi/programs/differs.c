/* differs: reductions whose result depends on the order of combination, which native MPI may choose
 * otherwise: with an operation that is said to commute, and is not associative. */
#include <mpi.h>
#include <stdio.h>

enum { CALLS = 5 };

static void average(void *in, void *into, int *count, MPI_Datatype *type)
{
    double *a = in, *b = into;

    (void)type;
    for (int i = 0; i < *count; i++)
        b[i] = (a[i] + b[i]) / 2;
}

int main(int argc, char **argv)
{
    double own, result = 0;
    MPI_Op op;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(average, 1, &op);
    own = rank * rank;
    for (int i = 0; i < CALLS; i++)
        MPI_Allreduce(&own, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
