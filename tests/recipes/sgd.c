/* sgd: a linear model, learned by stochastic gradient descent on the data of all ranks. An ordinary
 * MPI program: it knows of no fault tolerance.
 *
 * What makes it bear deaths is that each gradient travels with the number of samples that it is
 * made of, in one allreduce, and is divided by that number. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { WEIGHTS = 8, SAMPLES = 32, STEPS = 400, REPORT_EVERY = 100 };

static const double rate = 0.3, tolerance = 0.02;

static uint64_t random_state;

/* Between -1 and 1. */
static double random_number(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 * 2 - 1;
}

/* What is to be learned. */
static double true_weight(int i)
{
    return i - 3.5;
}

/* A batch of this rank's data, which is noisy: its part of the gradient, the squared error, and the
 * number of samples. */
static void learn(const double *weight, double *gradient, double *loss, double *samples)
{
    for (int s = 0; s < SAMPLES; s++) {
        double x[WEIGHTS], error = 0.1 * random_number();

        for (int i = 0; i < WEIGHTS; i++) {
            x[i] = random_number();
            error += (true_weight(i) - weight[i]) * x[i];
        }
        for (int i = 0; i < WEIGHTS; i++)
            gradient[i] += error * x[i];
        *loss += error * error;
        *samples += 1;
    }
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
    double weight[WEIGHTS] = {0}, worst = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    random_state = (uint64_t)rank << 40;
    for (int step = 1; step <= STEPS; step++) {
        double mine[WEIGHTS + 2] = {0}, all[WEIGHTS + 2];

        learn(weight, mine, &mine[WEIGHTS], &mine[WEIGHTS + 1]);
        MPI_Allreduce(mine, all, WEIGHTS + 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < WEIGHTS; i++)
            weight[i] += rate * all[i] / all[WEIGHTS + 1];
        if (step % REPORT_EVERY == 0 && is_first(rank))
            printf("step %d: loss %.4f, %.0f samples\n", step, all[WEIGHTS] / all[WEIGHTS + 1],
                   all[WEIGHTS + 1]);
    }
    for (int i = 0; i < WEIGHTS; i++)
        worst = fmax(worst, fabs(weight[i] - true_weight(i)));
    if (is_first(rank))
        printf("%s: weights off by at most %.4f\n", worst < tolerance ? "learned" : "not learned",
               worst);
    MPI_Finalize();
    return worst < tolerance ? 0 : 1;
}
