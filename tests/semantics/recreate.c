/* recreate: communicators made, used and freed again and again, thousands of them, many at a
 * time. The memory of the process must stop growing.
 *
 *     recreate DIRECTORY ROUNDS */
#include "../mpi/programs/resident.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    GROWTH_MAX_KB = 1024,
    KEPT = 40,
    SETTLED_ROUNDS =
        1000 /* until then memory may be touched for the first time that is then used again */
};

static int rank, n;

static int sum(MPI_Comm comm)
{
    int mine = rank + 1, all = 0;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
    return all;
}

/* A wrong sum is seen in the total. */
static long one_round(int round)
{
    MPI_Comm copy, part, self;
    long total = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    total += sum(copy);
    MPI_Comm_split(copy, round % 2 ? rank % 2 : 0, round % 3 ? rank : -rank, &part);
    total += sum(part);
    MPI_Comm_dup(MPI_COMM_SELF, &self);
    total += sum(self);
    MPI_Comm_free(round % 2 ? &part : &copy);
    MPI_Comm_free(round % 2 ? &copy : &part);
    MPI_Comm_free(&self);
    return total;
}

static long rounds_of(int rounds)
{
    long total = 0;

    for (int i = 0; i < rounds; i++)
        total += one_round(i);
    return total;
}

/* Many at a time, freed in another order than they were made */
static long many(void)
{
    MPI_Comm comm[KEPT];
    long total = 0;

    for (int i = 0; i < KEPT; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < KEPT; i++)
        total += sum(comm[i * 7 % KEPT]);
    for (int i = 0; i < KEPT; i++)
        MPI_Comm_free(&comm[i * 3 % KEPT]);
    return total;
}

int main(int argc, char **argv)
{
    long before, after, total;
    int rounds;

    output_init(argc, argv, &rank, &n);
    rounds = argc > 2 ? atoi(argv[2]) : 100;
    total = many() + rounds_of(rounds / 2) + many();
    before = resident_kb("RssAnon"); /* shared memory, with ftcoll's board, has a fixed size */
    total += rounds_of(rounds - rounds / 2) + many();
    after = resident_kb("RssAnon");
    output_line("sum of all sums: %ld", total);
    if (rounds / 2 >= SETTLED_ROUNDS && after - before > GROWTH_MAX_KB)
        output_line("grown by %ld KiB", after - before);
    output_close();
    MPI_Finalize();
    return 0;
}
