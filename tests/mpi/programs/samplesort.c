/* samplesort: keys sorted over all ranks. Each takes samples of its keys; all choose the same
 * splitters from them, and send each key to the rank of its part of the range (MPI_Alltoallv). That
 * writes its part to a file.
 *
 * What it knows of failures: when not all have come through, those who are left (MPI_Comm_dup) sort
 * their keys once more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 1200, SAMPLES = 8, RANKS_MOST = 16 };

static int key[KEYS], part[KEYS * RANKS_MOST], part_count;
static int rank, n; /* in the communicator that sorts */

static int order(const void *a, const void *b)
{
    const int *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void sort(int *keys, int count)
{
    qsort(keys, (size_t)count, sizeof *keys, order);
}

static void make_keys(int world)
{
    unsigned x = (unsigned)world + 1;

    for (int i = 0; i < KEYS; i++) {
        x = x * 1664525u + 1013904223u;
        key[i] = (int)(x >> 4);
    }
    sort(key, KEYS);
}

/* splitter[r] is the least key that is not of ranks up to r. */
static void choose_splitters(MPI_Comm comm, int *splitter)
{
    int own[SAMPLES], samples[SAMPLES * RANKS_MOST];

    for (int i = 0; i < SAMPLES; i++)
        own[i] = key[KEYS * (2 * i + 1) / (2 * SAMPLES)];
    MPI_Allgather(own, SAMPLES, MPI_INT, samples, SAMPLES, MPI_INT, comm);
    sort(samples, SAMPLES * n);
    for (int r = 0; r < n - 1; r++)
        splitter[r] = samples[SAMPLES * (r + 1)];
}

static int first_not_below(int bound)
{
    int i = 0;

    while (i < KEYS && key[i] < bound)
        i++;
    return i;
}

static void exchange(MPI_Comm comm)
{
    int splitter[RANKS_MOST], out[RANKS_MOST], out_at[RANKS_MOST], in[RANKS_MOST],
        in_at[RANKS_MOST];

    memset(in, 0, sizeof in);
    choose_splitters(comm, splitter);
    for (int r = 0; r < n; r++)
        out_at[r] = r > 0 ? first_not_below(splitter[r - 1]) : 0;
    for (int r = 0; r < n; r++)
        out[r] = (r < n - 1 ? out_at[r + 1] : KEYS) - out_at[r];
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    part_count = 0;
    for (int r = 0; r < n; r++) {
        in_at[r] = part_count;
        part_count += in[r];
    }
    MPI_Alltoallv(key, out, out_at, MPI_INT, part, in, in_at, MPI_INT, comm);
    sort(part, part_count);
}

static void write_part(int round)
{
    char name[32];
    FILE *file;

    snprintf(name, sizeof name, "part.%d.%d", round, rank);
    file = fopen(name, "w");
    for (int i = 0; file && i < part_count; i++)
        fprintf(file, "%d\n", part[i]);
    if (file)
        fclose(file);
}

static int sum_of_ones(MPI_Comm comm)
{
    int one = 1, sum;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int world, round = 0, is_whole;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    make_keys(world);
    do {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &n);
        exchange(comm);
        write_part(++round);
        is_whole = sum_of_ones(comm) == n;
        MPI_Comm_free(&comm);
    } while (!is_whole);
    printf("samplesort: rank %d of %d, sorted in round %d\n", world, n, round);
    MPI_Finalize();
    return 0;
}
