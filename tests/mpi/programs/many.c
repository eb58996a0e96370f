/* many: as many persistent requests as REQUESTS, all of which live, are started and completed in
 * two rounds. With a VICTIM that rank dies after the first.
 *
 *     many REQUESTS [VICTIM] */
#include "resident.h"

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, n, requests, wrong;
static int *in, *out;
static MPI_Request *request;
static MPI_Status *status;

static void make(void)
{
    in = calloc((size_t)requests, sizeof *in);
    out = calloc((size_t)requests, sizeof *out);
    request = calloc((size_t)requests, sizeof *request);
    status = calloc((size_t)requests, sizeof *status);
    for (int i = 0; i < requests; i++)
        MPI_Allreduce_init(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &request[i]);
}

/* @missing: the rank of which nothing is in the sums; -1: none. */
static void use(int round, int missing)
{
    int ranks = missing < 0 ? n : n - 1, sum = n * (n - 1) / 2 - (missing < 0 ? 0 : missing);

    for (int i = 0; i < requests; i++)
        in[i] = i + rank + round;
    MPI_Startall(requests, request);
    MPI_Waitall(requests, request, status);
    for (int i = 0; i < requests; i++)
        wrong += out[i] != ranks * (i + round) + sum;
}

int main(int argc, char **argv)
{
    int victim = argc > 2 ? atoi(argv[2]) : -1;
    double begin, made, used;
    long before_kb;

    requests = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    before_kb = resident_kb("VmRSS");
    begin = MPI_Wtime();
    make();
    made = MPI_Wtime();
    use(0, -1);
    used = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == victim)
        raise(SIGKILL);
    use(1, victim);
    printf("many: rank %d: %d wrong; made in %.2f s, used in %.2f and %.2f s, %ld kB\n", rank,
           wrong, made - begin, used - made, MPI_Wtime() - used, resident_kb("VmRSS") - before_kb);
    for (int i = 0; i < requests; i++)
        MPI_Request_free(&request[i]);
    MPI_Finalize();
    return wrong > 0;
}
