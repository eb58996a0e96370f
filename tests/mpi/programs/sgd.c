/* sgd: data-parallel training, as frameworks do it: each rank has samples of its own, computes a
 * gradient from them, and all add their gradients up (MPI_IN_PLACE). The step is the mean over
 * those who contributed, whom include/ftcoll.h tells; ranks that die in the middle take their
 * samples with them.
 *
 *     sgd BYTES STEPS VICTIMS SEED
 *
 * A linear model, y = w * x for each weight on its own, of samples without noise: whoever
 * contributes, each weight comes nearer to the truth by the same factor, so all weights are as they
 * would be in a run without deaths, if and only if the mean is that of the contributors in each of
 * its elements. VICTIMS ranks die, at moments that SEED draws, in the middle of an allreduce or
 * not. */
#include "../../../include/ftcoll.h"
#include "fault.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, n;

static double truth(size_t i)
{
    return 1 + (double)(i % 1000) / 64;
}

/* Of sample x with the weight w: d/dw (w x - truth x)^2 / 2. All ranks' x^2 is 1. */
static double gradient(double w, size_t i)
{
    double x = (rank + (int)(i % 7)) % 2 ? 1 : -1;

    return (w * x - truth(i) * x) * x;
}

static int contributors(void)
{
    int ranks[64];

    return ftcoll_contributors ? ftcoll_contributors(MPI_COMM_WORLD, 64, ranks) : n;
}

static void step(double *w, double *g, size_t count)
{
    const double rate = 0.5;
    int k;

    for (size_t i = 0; i < count; i++)
        g[i] = gradient(w[i], i);
    MPI_Allreduce(MPI_IN_PLACE, g, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    k = contributors();
    for (size_t i = 0; i < count; i++)
        w[i] -= rate * g[i] / k;
}

/* How many weights are not what any number of contributors makes them. */
static size_t count_wrong(const double *w, size_t count, int steps)
{
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++)
        wrong += fabs(w[i] - truth(i) * (1 - pow(0.5, steps))) > 1e-9 * truth(i);
    return wrong;
}

int main(int argc, char **argv)
{
    size_t count = (size_t)atoll(argv[1]) / sizeof(double), wrong;
    int steps = atoi(argv[2]), victims = atoi(argv[3]);
    uint64_t seed = strtoull(argv[4], NULL, 10);
    double *w = calloc(count, sizeof *w), *g = malloc(count * sizeof *g);
    struct fault kill;

    fault_parse("kill@~1:1", &kill);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int s = 0; s < steps; s++) {
        int dies_in = 1 + rank * (steps - 1) / n;

        fault_step_begin();
        if (rank >= n - victims && s == dies_in)
            fault_happen_in_step(&kill, seed * 64 + (uint64_t)rank);
        step(w, g, count);
        fault_step_end();
    }
    wrong = count_wrong(w, count, steps);
    printf("sgd: rank %d of %d: %zu of %zu weights are wrong\n", rank, n, wrong, count);
    free(w);
    free(g);
    MPI_Finalize();
    return wrong > 0;
}
