/* equal: an operation of MPICH's own, since 4.2, whose result is one int, whatever is compared. */
#include <mpi.h>
#include <stdio.h>

#ifdef MPIX_EQUAL
enum { COUNT = 100, GUARDS = 4 * COUNT };

static int is_wrong(int expected, const int *result)
{
    int wrong = result[0] != expected;

    for (int i = 1; i < GUARDS; i++)
        wrong += result[i] != 7;
    return wrong;
}

int main(int argc, char **argv)
{
    double value[COUNT] = {0};
    int rank, size, result[GUARDS], wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int differs = 0; differs < 2; differs++) {
        value[COUNT / 2] = differs && rank == size - 1;
        for (int i = 0; i < GUARDS; i++)
            result[i] = 7;
        MPI_Allreduce(value, result, COUNT, MPI_DOUBLE, MPIX_EQUAL, MPI_COMM_WORLD);
        wrong += is_wrong(!differs, result);
    }
    printf("equal: rank %d: %d wrong\n", rank, wrong);
    MPI_Finalize();
    return wrong != 0;
}
#else
int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        puts("skipped: MPICH has MPIX_EQUAL since 4.2");
    MPI_Finalize();
    return 0;
}
#endif
