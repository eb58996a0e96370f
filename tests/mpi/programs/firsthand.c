/* firsthand: rank 0 comes to know of the last rank's death after the others, in another operation:
 * these meet it in a call from part(), on a communicator of their own, and rank 0 in one from
 * whole(). It asks for that only once it has a message that the others are through. */
#include <mpi.h>
#include <signal.h>
#include <stddef.h>

__attribute__((noinline)) static void part(MPI_Comm comm, int *sum)
{
    int one = 1;

    MPI_Allreduce(&one, sum, 1, MPI_INT, MPI_SUM, comm);
    *sum += 0; /* the call is no tail call: its return address is inside */
}

__attribute__((noinline)) static void whole(int *sum)
{
    int one = 1;

    MPI_Allreduce(&one, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    *sum += 0;
}

int main(void)
{
    int rank, size, sum = 0;
    MPI_Comm others;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &others);
    if (rank == size - 1)
        raise(SIGKILL);
    if (rank != 0)
        part(others, &sum);
    if (rank == 1)
        MPI_Send(&sum, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&sum, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    whole(&sum);
    MPI_Finalize();
    return 0;
}
