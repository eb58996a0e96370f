/* rounding: large reductions whose last bits depend on the order in which contributions are
 * combined: the order is native MPI's. Of a user's operation, too, that is not even associative.
 *
 * It is that of MPICH 4.0. For others, whose order nobody has looked at, the numbers are such that
 * it does not matter. */
#include "output.h"

#include <stdlib.h>

enum { COUNT = 100003 };

static int rank, n;

static const int order_is_known = MPICH_NUMVERSION < 40100000;

/* Numbers of all sizes, so that sums are rounded; or small powers of two. */
static double element(int i)
{
    double x = (double)((rank * 7919 + (long)i * 104729) % 1000003) / 1000003;

    if (!order_is_known)
        return 1 << (rank + i) % 4;
    return i % 3 == 0 ? x * 1e9 : i % 3 == 1 ? x : -x * 1e-7;
}

static void append(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[i] = ((double *)in)[i] * 0.7 + ((double *)inout)[i] * 0.3;
}

static void allreduce(const char *what, double *in, MPI_Op op)
{
    double *out = calloc(COUNT, sizeof *out);

    output_result(what, MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, op, MPI_COMM_WORLD), out,
                  COUNT * sizeof *out);
    free(out);
}

int main(int argc, char **argv)
{
    double *in = calloc(COUNT, sizeof *in), *out = calloc(COUNT, sizeof *out);
    MPI_Op op;

    output_init(argc, argv, &rank, &n);
    for (int i = 0; i < COUNT; i++)
        in[i] = element(i);
    allreduce("sum", in, MPI_SUM);
    allreduce("product", in, MPI_PROD);
    MPI_Op_create(append, 0, &op);
    if (order_is_known)
        allreduce("not associative", in, op);
    MPI_Op_free(&op);
    output_result("sum at the root",
                  MPI_Reduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, n - 1, MPI_COMM_WORLD), out,
                  rank == n - 1 ? COUNT * sizeof *out : 0);
    output_result("sum in place",
                  MPI_Allreduce(MPI_IN_PLACE, in, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), in,
                  COUNT * sizeof *in);
    free(in);
    free(out);
    output_close();
    MPI_Finalize();
    return 0;
}
