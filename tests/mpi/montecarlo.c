/* montecarlo: the volume of the six-dimensional unit ball, by throwing darts until the error is
 * small enough. An ordinary MPI program: it knows of no fault tolerance.
 *
 *     montecarlo [RELATIVE_ERROR]
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS = 6, DARTS = 100000, REPORT_EVERY = 25 };

static uint64_t random_state;

static double random_coordinate(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 * 2 - 1;
}

static double throw_darts(void)
{
    double hits = 0;

    for (int i = 0; i < DARTS; i++) {
        double r2 = 0;

        for (int d = 0; d < DIMENSIONS; d++) {
            double x = random_coordinate();

            r2 += x * x;
        }
        hits += r2 <= 1;
    }
    return hits;
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
    const double cube = pow(2, DIMENSIONS), exact = pow(acos(-1), 3) / 6;
    double wanted = argc > 1 ? atof(argv[1]) : 3e-4, error, volume;
    double sum[2] = {0, 0}; /* hits and darts of all ranks */
    double mine = 0, most = 0;
    int rank, iterations = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    random_state = (uint64_t)rank << 40;
    do {
        double step[2] = {throw_darts(), DARTS}, all[2];
        double share;

        MPI_Allreduce(step, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        mine += DARTS;
        sum[0] += all[0];
        sum[1] += all[1];
        share = sum[0] / sum[1];
        volume = cube * share;
        error = sqrt((1 - share) / (share * sum[1]));
        if (++iterations % REPORT_EVERY == 0 && is_first(rank)) {
            printf("iteration %3d: volume %.5f, relative error %.1e, %.0f darts in this one\n",
                   iterations, volume, error, all[1]);
            fflush(stdout);
        }
    } while (error > wanted);
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (is_first(rank))
        printf("answer: volume %.5f (exact %.5f, %.1f standard errors off), %.1f million darts, "
               "at most %.1f a rank\n",
               volume, exact, fabs(volume / exact - 1) / error, sum[1] / 1e6, most / 1e6);
    MPI_Finalize();
    return 0;
}
