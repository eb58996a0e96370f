/* halo: the temperature along a rod whose ends are held at 0 and 1, cut into a piece a rank. Each
 * gives its outermost cells to its neighbours. An ordinary MPI program: it knows of no fault
 * tolerance.
 *
 * Where a neighbour has died no message comes, as at the ends of the rod, and the cell that it sent
 * last stays as it is: the pieces beside it go on with that for a boundary. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 8, SWEEPS = 20, ROUNDS_MOST = 20000 };

static const double converged = 1e-9, tolerance = 1e-5;

static double cell[CELLS + 2]; /* with those of the neighbours */

static void exchange(int left, int right)
{
    MPI_Sendrecv(&cell[1], 1, MPI_DOUBLE, left, 0, &cell[CELLS + 1], 1, MPI_DOUBLE, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&cell[CELLS], 1, MPI_DOUBLE, right, 0, &cell[0], 1, MPI_DOUBLE, left, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Returns the largest change of a cell. */
static double relax(void)
{
    double change = 0;

    for (int s = 0; s < SWEEPS; s++)
        for (int i = 1; i <= CELLS; i++) {
            double next = (cell[i - 1] + cell[i + 1]) / 2;

            change = fmax(change, fabs(next - cell[i]));
            cell[i] = next;
        }
    return change;
}

/* How far this piece is from a straight line between its neighbours' cells, which is the answer. */
static double deviation(void)
{
    double worst = 0;

    for (int i = 1; i <= CELLS; i++)
        worst =
            fmax(worst, fabs(cell[i] - cell[0] - (cell[CELLS + 1] - cell[0]) * i / (CELLS + 1)));
    return worst;
}

/* Whether this is the lowest of the ranks that are left: it prints, as rank 0 may be dead. All
 * ranks call it. */
static int is_first(int rank)
{
    int first;

    MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return rank == first;
}

int main(int argc, char **argv)
{
    double change, worst, mine;
    int rank, size, rounds = 0, one = 1, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        cell[CELLS + 1] = 1;
    do {
        exchange(rank > 0 ? rank - 1 : MPI_PROC_NULL, rank < size - 1 ? rank + 1 : MPI_PROC_NULL);
        mine = relax();
        MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    } while (change > converged && ++rounds < ROUNDS_MOST);
    mine = deviation();
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (is_first(rank))
        printf("%s after %d rounds: the pieces of %d ranks are straight but for %.1e\n",
               worst < tolerance ? "converged" : "not converged", rounds, ranks, worst);
    MPI_Finalize();
    return worst < tolerance ? 0 : 1;
}
