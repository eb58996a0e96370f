/* rehearsed SCENE: programs that take a death in different ways, for ftcoll rehearse. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, RANKS_MAX = 64 };

static int rank, size;

/* Of ones and their number: their mean is 1 without any rank, too. */
__attribute__((noipa)) static double mean(void)
{
    double in[2] = {1, 1}, out[2] = {0};

    MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return out[0] / out[1];
}

__attribute__((noipa)) static int count_ranks(void)
{
    int one = 1, sum = 0;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* The lowest that lives: it prints. */
__attribute__((noipa)) static int first_rank(void)
{
    int first = rank;

    MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first;
}

__attribute__((noipa)) static void collect(void)
{
    int all[RANKS_MAX];

    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    if (all[0] < 0)
        abort();
}

static void well(void)
{
    double sum = 0;

    for (int i = 0; i < STEPS; i++)
        sum += mean();
    if (first_rank() == rank)
        printf("mean %g after %.9f s\n", sum / STEPS, MPI_Wtime());
}

/* Rank 0 alone prints, and what it prints lacks the dead. */
static void wrong(void)
{
    int sum = 0;

    for (int i = 0; i < STEPS; i++)
        sum += count_ranks();
    if (rank == 0)
        printf("sum %d\n", sum);
}

/* The largest rank is another one without the last. */
static void largest(void)
{
    int largest = 0, sum = 0;

    for (int i = 0; i < STEPS; i++) {
        MPI_Allreduce(&rank, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        sum += largest;
    }
    if (first_rank() == rank)
        printf("sum %d\n", sum);
}

static void blocked(void)
{
    mean();
    collect();
    if (rank == 0)
        puts("collected");
}

/* Refuses a sum that lacks a rank. */
static void aborts(void)
{
    for (int i = 0; i < STEPS; i++)
        if (count_ranks() != size) {
            fputs("rehearsed: a rank is missing\n", stdout); /* one write(), see mismatch.c */
            fflush(stdout);
            MPI_Abort(MPI_COMM_WORLD, 5);
        }
    if (rank == 0)
        puts("all there");
}

/* Cannot take a sum that lacks a rank. */
static void crashes(void)
{
    for (int i = 0; i < STEPS; i++)
        if (count_ranks() != size)
            raise(SIGSEGV);
    if (rank == 0)
        puts("all there");
}

static void writes(void)
{
    FILE *f = first_rank() == rank ? fopen("result", "w") : NULL;

    if (f) {
        fprintf(f, "%d\n", count_ranks());
        fclose(f);
    } else {
        count_ranks();
    }
}

static const struct scene {
    const char *name;
    void (*run)(void);
} scenes[] = {{"well", well},     {"wrong", wrong},     {"largest", largest}, {"blocked", blocked},
              {"aborts", aborts}, {"crashes", crashes}, {"writes", writes}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        if (argc > 1 && strcmp(argv[1], scenes[i].name) == 0)
            scenes[i].run();
    MPI_Finalize();
    return 0;
}
