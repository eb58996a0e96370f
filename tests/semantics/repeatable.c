/* repeatable: floating point sums that depend on the order of combination. Not compared with native
 * runs, whose order is another, but with each other: ftcoll's must be the same bits in each run,
 * whoever comes late. */
#include "output.h"

#include <stdint.h>
#include <unistd.h>

enum { COUNT = 50, ROUNDS = 60 };

static uint64_t state;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1dull;
}

/* Of very different magnitudes */
static double number(void)
{
    double value = (double)(int64_t)random_bits();

    return value / (double)(1ull << random_bits() % 60);
}

/* Another rank is the last in each round and each run. */
static void come_late(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    usleep(*seed >> 20 & 0x1ff);
}

int main(int argc, char **argv)
{
    unsigned seed = (unsigned)getpid();
    double in[COUNT], out[COUNT];
    int rank, n;

    output_init(argc, argv, &rank, &n);
    state = 0x9e3779b97f4a7c15ull * (uint64_t)(rank + 1);
    for (int round = 0; round < ROUNDS; round++) {
        int rv;

        for (int i = 0; i < COUNT; i++) {
            in[i] = number();
            out[i] = 0;
        }
        come_late(&seed);
        if (round % 3 == 0)
            rv = MPI_Reduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, round % n, MPI_COMM_WORLD);
        else
            rv = MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        output_result("sum", rv, out, sizeof out);
    }
    output_close();
    MPI_Finalize();
    return 0;
}
