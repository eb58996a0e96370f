/* widest BYTES: an allreduce of values of so many bytes, by any number of ranks. Then rank 1 dies,
 * and the others do it again. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int sum_is(int bytes, int sum)
{
    signed char *in = calloc(1, (size_t)bytes), *out = calloc(1, (size_t)bytes);
    int wrong = 0;

    for (int i = 0; i < bytes; i++)
        in[i] = 1;
    MPI_Allreduce(in, out, bytes, MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < bytes; i++)
        wrong += out[i] != sum;
    free(in);
    free(out);
    return wrong == 0;
}

int main(int argc, char **argv)
{
    int rank, size, bytes = argc > 1 ? atoi(argv[1]) : 1, right;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = sum_is(bytes, size);
    if (rank == 1)
        raise(SIGKILL);
    right &= sum_is(bytes, size - 1);
    if (rank == 0)
        printf("widest: the sums are %s\n", right ? "right" : "wrong");
    MPI_Finalize();
    return 0;
}
