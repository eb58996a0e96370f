/* large: the calls whose counts are MPI_Count, also with an operation of that kind.
 *
 * No negative counts: MPICH 4.0.2 does not look for them in these calls and ends the job by an
 * assertion. */
#include "output.h"

#include <stdio.h>
#include <string.h>

enum { COUNT_MAX = 70000 };

static int rank, n;

static void add(void *in, void *inout, MPI_Count *count, MPI_Datatype *datatype)
{
    (void)datatype;
    for (MPI_Count i = 0; i < *count; i++)
        ((long *)inout)[i] += ((long *)in)[i];
}

static void show(const char *call, MPI_Count count, int rv, const void *result, size_t size)
{
    char what[64];

    snprintf(what, sizeof what, "%s %lld", call, (long long)count);
    output_result(what, rv, result, size);
}

static void reduce(MPI_Count count, MPI_Op op)
{
    static long in[COUNT_MAX], out[COUNT_MAX];
    size_t bytes = (size_t)count * sizeof *in;
    int root = n - 1;

    for (MPI_Count i = 0; i < count; i++)
        in[i] = (rank + 2) * (i + 1);
    memset(out, 0, sizeof out);
    show("allreduce_c", count, MPI_Allreduce_c(in, out, count, MPI_LONG, op, MPI_COMM_WORLD), out,
         bytes);
    memset(out, 0, sizeof out);
    show("reduce_c", count, MPI_Reduce_c(in, out, count, MPI_LONG, op, root, MPI_COMM_WORLD), out,
         bytes);
    show("allreduce_c in place", count,
         MPI_Allreduce_c(MPI_IN_PLACE, in, count, MPI_LONG, op, MPI_COMM_WORLD), in, bytes);
    show("bcast_c", count,
         MPI_Bcast_c(rank == root ? in : out, count, MPI_LONG, root, MPI_COMM_WORLD), out, bytes);
}

int main(int argc, char **argv)
{
    static const MPI_Count counts[] = {0, 1, 9, 512, 513, COUNT_MAX};
    MPI_Op op;

    output_init(argc, argv, &rank, &n);
    MPI_Op_create_c(add, 1, &op);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        reduce(counts[i], MPI_SUM);
        reduce(counts[i], MPI_BXOR);
        reduce(counts[i], op);
    }
    MPI_Op_free(&op);
    output_close();
    MPI_Finalize();
    return 0;
}
