/* cg: conjugate gradients for A x = b, A being the five-point star of a grid whose rows are dealt
 * out to the ranks, not evenly. The vector that A is to be multiplied with is put together by
 * MPI_Allgatherv. As rounding errors add up, the residual is computed anew every few steps
 * ("restarted"), and by that one the iteration ends. Each rank writes all of x, as it has it.
 *
 * An ordinary MPI program: it knows of no fault tolerance. What is zero for a dead rank
 * (dead_blocks = zero) makes the equations those of the living rows; the next residual that is
 * computed anew is the one of these. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 10, ROWS = 150, RESTART = 25, RESTARTS_MOST = 200 };

static const double tolerance = 1e-10;

static int n, rank, first, count;
static int counts[64], offsets[64];

static void deal_out(void)
{
    for (int r = 0, next = 0; r < n; r++) {
        offsets[r] = next;
        next = ROWS * (r + 1) * (r + 2 + n) / (n * (2 * n + 1));
        counts[r] = next - offsets[r];
    }
    first = offsets[rank];
    count = counts[rank];
}

static double right_side(int row)
{
    return 1 + row % 7;
}

static double dot(const double *a, const double *b)
{
    double mine = 0, sum;

    for (int i = 0; i < count; i++)
        mine += a[i] * b[i];
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* product = A * vector, for the rows of this rank; @all becomes the whole vector. */
static void multiply(const double *vector, double *all, double *product)
{
    MPI_Allgatherv(vector, count, MPI_DOUBLE, all, counts, offsets, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        int row = first + i, at = row % WIDTH;

        product[i] = 4 * all[row] - (at > 0 ? all[row - 1] : 0) -
                     (at < WIDTH - 1 ? all[row + 1] : 0) - (row >= WIDTH ? all[row - WIDTH] : 0) -
                     (row < ROWS - WIDTH ? all[row + WIDTH] : 0);
    }
}

/* r = b - A x; returns r * r. */
static double residual(const double *x, double *all, double *r)
{
    multiply(x, all, r);
    for (int i = 0; i < count; i++)
        r[i] = right_side(first + i) - r[i];
    return dot(r, r);
}

static void iterate(double *x, double *r, double rr)
{
    double p[ROWS], product[ROWS], all[ROWS];

    for (int i = 0; i < count; i++)
        p[i] = r[i];
    for (int step = 0; step < RESTART && rr > 0; step++) {
        double alpha, before = rr;

        multiply(p, all, product);
        alpha = rr / dot(p, product);
        for (int i = 0; i < count; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * product[i];
        }
        rr = dot(r, r);
        for (int i = 0; i < count; i++)
            p[i] = r[i] + rr / before * p[i];
    }
}

static void write_solution(const double *all)
{
    char name[32];
    FILE *file;

    snprintf(name, sizeof name, "solution.%d", rank);
    file = fopen(name, "w");
    for (int i = 0; file && i < ROWS; i++)
        fprintf(file, "%.17g\n", all[i]);
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    double x[ROWS] = {0}, r[ROWS], all[ROWS], rr;
    int restarts = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    deal_out();
    while (rr = residual(x, all, r), rr > tolerance * tolerance && restarts++ < RESTARTS_MOST)
        iterate(x, r, rr);
    write_solution(all);
    printf("cg: rank %d has %d rows from %d on, solved\n", rank, count, first);
    MPI_Finalize();
    return rr > tolerance * tolerance;
}
