/* differs: reductions whose result depends on the order of combination, which native MPI may choose
 * otherwise: with an operation that is said to commute, and is not associative. With the word
 * "padding" only what is stored between and behind the numbers differs. */
#include <complex.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 5 };

static void average(void *in, void *into, int *count, MPI_Datatype *type)
{
    double *a = in, *b = into;

    (void)type;
    for (int i = 0; i < *count; i++)
        b[i] = (a[i] + b[i]) / 2;
}

struct pair {
    long double number;
    int index;
};

/* Of each rank its own. */
static void reduce_padded(int rank)
{
    long double own, result;
    long double complex own_complex, result_complex;
    struct pair own_pair, result_pair;

    memset(&own, rank, sizeof own);
    memset(&own_complex, rank, sizeof own_complex);
    memset(&own_pair, rank, sizeof own_pair);
    own = rank;
    __real__ own_complex = __imag__ own_complex = rank;
    own_pair.number = own_pair.index = rank;
    MPI_Allreduce(&own, &result, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&own_complex, &result_complex, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_SUM,
                  MPI_COMM_WORLD);
    MPI_Allreduce(&own_pair, &result_pair, 1, MPI_LONG_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double own, result = 0;
    MPI_Op op;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1)
        reduce_padded(rank);
    MPI_Op_create(average, 1, &op);
    own = rank * rank;
    for (int i = 0; argc == 1 && i < CALLS; i++)
        MPI_Allreduce(&own, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
