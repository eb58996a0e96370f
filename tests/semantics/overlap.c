/* overlap: operations on different communicators at the same time. Groups that share some ranks,
 * all ranks, or none; ranks that are far ahead of others. */
#include "output.h"

#include <stdio.h>

enum { ROUNDS = 6, TWINS = 3 };

static int rank, n;

static void show(const char *what, int round, int rv, int result)
{
    char text[64];

    snprintf(text, sizeof text, "%s %d", what, round);
    output_result(text, rv, &result, sizeof result);
}

static int sum(MPI_Comm comm, int mine, const char *what, int round)
{
    int all = -1, rv = MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);

    show(what, round, rv, all);
    return all;
}

static void reduce(MPI_Comm comm, int mine, int root, const char *what, int round)
{
    int all = -1, rv = MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, root, comm);

    show(what, round, rv, all);
}

/* The same ranks, in this order or the opposite one */
static void twins(void)
{
    MPI_Comm twin[TWINS];

    for (int i = 0; i < TWINS; i++)
        MPI_Comm_split(MPI_COMM_WORLD, 0, i == 1 ? -rank : rank, &twin[i]);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < TWINS; i++) {
            reduce(twin[i], (rank + 1) * (i + 1) + round, round % n, "twin, reduce", round);
            if ((round + i) % 3 == 0)
                sum(twin[i], rank * round + i, "twin", round);
        }
    for (int i = 0; i < TWINS; i++)
        MPI_Comm_free(&twin[i]);
}

/* Rank i with rank i + 1: each rank is in two of them. */
static void chain(void)
{
    MPI_Comm left = MPI_COMM_NULL, right = MPI_COMM_NULL;
    int number = rank;

    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &left);
    MPI_Comm_split(MPI_COMM_WORLD, (rank + 1) / 2, 0, &right);
    for (int round = 0; round < ROUNDS; round++) {
        number = sum(left, number + 1, "left", round) % 1000;
        number = sum(right, number + 2, "right", round) % 1000;
    }
    MPI_Comm_free(&left);
    MPI_Comm_free(&right);
}

/* Halves that do not wait for each other: one does far more than the other, and both go through the
 * world's. */
static void halves(void)
{
    MPI_Comm half;
    int first = rank < n / 2;

    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &half);
    for (int round = 0; round < (first ? 4 * ROUNDS : ROUNDS); round++)
        sum(half, rank + round, first ? "first half" : "second half", round);
    sum(MPI_COMM_WORLD, 1, "world after halves", 0);
    MPI_Comm_free(&half);
}

/* The root has something else to do first. */
static void far_ahead(void)
{
    MPI_Comm other;
    int mine = 1, all = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 0)
        for (int i = 0; i < 10000; i++)
            MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    for (int round = 0; round < ROUNDS; round++)
        reduce(round % 2 ? other : MPI_COMM_WORLD, rank + round, 0, "ahead", round);
    MPI_Comm_free(&other);
}

int main(int argc, char **argv)
{
    output_init(argc, argv, &rank, &n);
    twins();
    chain();
    halves();
    far_ahead();
    output_close();
    MPI_Finalize();
    return 0;
}
