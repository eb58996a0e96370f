/* solver: x with A x = b for a small tridiagonal A, by Richardson's iteration; each rank has some
 * of the rows. A result without a rank's rows would be that of other equations: it has to be an
 * error (require_all), and the ranks that are left share the rows out anew and go on from the last
 * x that all of them have. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 24, STEPS_MOST = 4000 };

static const double step_size = 0.4, converged = 1e-12, tolerance = 1e-9;

static double right_side(int i)
{
    return i % 3 - 0.5;
}

static double residual(const double *x, int i)
{
    double before = i > 0 ? x[i - 1] : 0, after = i < ROWS - 1 ? x[i + 1] : 0;

    return right_side(i) - (2.5 * x[i] - before - after);
}

static double norm(const double *x)
{
    double worst = 0;

    for (int i = 0; i < ROWS; i++)
        worst = fmax(worst, fabs(residual(x, i)));
    return worst;
}

/* In place of *@comm, some of whose ranks have died. */
static void go_on_with_the_living(MPI_Comm *comm, int step)
{
    MPI_Comm living;
    int rank, size;

    MPI_Comm_dup(*comm, &living);
    *comm = living;
    MPI_Comm_rank(living, &rank);
    MPI_Comm_size(living, &size);
    if (rank == 0)
        printf("step %d is repeated by %d ranks\n", step, size);
}

/* This rank's rows of one step, which all get; false if somebody's are missing. */
static int make_step(MPI_Comm comm, const double *x, double *step)
{
    double mine[ROWS] = {0};
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = rank; i < ROWS; i += size)
        mine[i] = step_size * residual(x, i);
    return MPI_Allreduce(mine, step, ROWS, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    double x[ROWS] = {0}, step[ROWS], change = 1;
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank, steps = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    while (change > converged && steps++ < STEPS_MOST) {
        if (!make_step(comm, x, step)) {
            go_on_with_the_living(&comm, steps);
            continue;
        }
        change = 0;
        for (int i = 0; i < ROWS; i++) {
            x[i] += step[i];
            change = fmax(change, fabs(step[i]));
        }
    }
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        printf("%s in %d steps, residual %.1e\n", norm(x) < tolerance ? "solved" : "not solved",
               steps, norm(x));
    MPI_Finalize();
    return norm(x) < tolerance ? 0 : 1;
}
