/* waits: calls of MPI in which ranks wait for each other, with computing in between.
 *
 *     waits one|many ROUNDS
 *
 * Prints a line a kind of call, "KIND,MICROSECONDS": the median round, its computing included, as
 * rank 0 sees it. "many" asks for MPI_THREAD_MULTIPLE. */
#include "sorted.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 8192, LARGE = 65536, COMPUTING = 200000 };

static int rank, ranks;
static char *out, *in, path[64];

static void ring(void)
{
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;

    if (rank == 0)
        MPI_Send(out, 8, MPI_CHAR, right, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 8, MPI_CHAR, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Send(out, 8, MPI_CHAR, right, 0, MPI_COMM_WORLD);
}

static void halo(void)
{
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
    MPI_Request request[4];
    MPI_Status status[4];

    MPI_Irecv(in, BLOCK, MPI_CHAR, left, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(in + BLOCK, BLOCK, MPI_CHAR, right, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(out, BLOCK, MPI_CHAR, right, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(out + BLOCK, BLOCK, MPI_CHAR, left, 1, MPI_COMM_WORLD, &request[3]);
    MPI_Waitall(4, request, status);
    for (volatile int i = 0; i < COMPUTING; i++)
        ;
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void)
{
    MPI_Bcast(out, LARGE, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    MPI_Allreduce(out, in, LARGE, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD);
}

static void duplicate(void)
{
    MPI_Comm made;

    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
}

static void file(void)
{
    MPI_File made;

    MPI_File_open(MPI_COMM_WORLD, path,
                  MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &made);
    MPI_File_write_at_all(made, (MPI_Offset)rank * BLOCK, out, BLOCK, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&made);
}

/* The same one for all ranks of a job, and no other job's. */
static void name_file(void)
{
    snprintf(path, sizeof path, "%s/ftcoll-waits-%d", P_tmpdir, (int)getpid());
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*round)(void);
} kinds[] = {{"ring", ring},           {"halo", halo},     {"barrier", barrier}, {"bcast", bcast},
             {"allreduce", allreduce}, {"dup", duplicate}, {"file", file}};

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[2]) : 1, provided;
    int is_many = argc > 1 && strcmp(argv[1], "many") == 0;
    double *us = calloc((size_t)rounds, sizeof *us);

    MPI_Init_thread(&argc, &argv, is_many ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    out = calloc(1, LARGE);
    in = calloc(1, LARGE);
    name_file();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < rounds; i++) {
            double start = MPI_Wtime();

            kinds[k].round();
            us[i] = (MPI_Wtime() - start) * 1e6;
        }
        sort(us, rounds);
        if (rank == 0)
            printf("%s,%.3f\n", kinds[k].name, us[rounds / 2]);
    }
    MPI_Finalize();
    return 0;
}
