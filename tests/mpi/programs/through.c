/* through: the root of a reduction has its result and computes until another rank is through with
 * the reduction too, which it hears of by a file, outside of MPI.
 *
 * Of three ranks with f = 1, one on each host, the root takes what ranks 1 and 2 have told each
 * other from rank 1, to which it has a link. Rank 2 has the same for it, and no link yet. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static const char file[] = "through";

static MPI_Comm pair_of(int rank, int one, int other)
{
    MPI_Comm pair;

    MPI_Comm_split(MPI_COMM_WORLD, rank == one || rank == other ? 0 : MPI_UNDEFINED, rank, &pair);
    return pair;
}

static void make_link(MPI_Comm pair)
{
    int one = 1, sum = 0;

    if (pair == MPI_COMM_NULL)
        return;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, pair);
    MPI_Comm_free(&pair);
}

static void await_file(void)
{
    while (access(file, F_OK) != 0)
        usleep(1000);
}

int main(int argc, char **argv)
{
    int rank, one = 1, sum = 0;
    MPI_Comm with_root, others;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    with_root = pair_of(rank, 0, 1);
    others = pair_of(rank, 1, 2);
    make_link(with_root);
    make_link(others);
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 2)
        close(open(file, O_CREAT | O_WRONLY, 0600));
    if (rank == 0) {
        await_file();
        printf("through: the sum is %d\n", sum);
    }
    MPI_Finalize();
    return 0;
}
