/* p2p: time of point-to-point messages between two ranks, through the library and past it, in
 * turns.
 *
 *     p2p [ROUNDS]
 *
 * Prints for each kind the medians and the 5th and 95th percentiles over blocks, in microseconds of
 * one message. Without the library both are native. */
#include "sorted.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 64, BLOCK = 1000, LARGE = 1 << 16 };

struct calls {
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int (*recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*irecv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*waitall)(int, MPI_Request *, MPI_Status *);
};

static const struct calls with = {MPI_Send, MPI_Recv, MPI_Isend, MPI_Irecv, MPI_Waitall};
static const struct calls without = {PMPI_Send, PMPI_Recv, PMPI_Isend, PMPI_Irecv, PMPI_Waitall};

static char buffer[WINDOW * LARGE];
static int rank;

/* Microseconds of one message. */
static double ping_pong(const struct calls *c, int bytes)
{
    int count = bytes > 1000 ? BLOCK / 10 : BLOCK;
    double start = MPI_Wtime();

    for (int i = 0; i < count; i++) {
        if (rank == 0)
            c->send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        c->recv(buffer, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            c->send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    return 1e6 * (MPI_Wtime() - start) / (2 * count);
}

static double window(const struct calls *c, int bytes)
{
    int count = bytes > 1000 ? 4 : BLOCK / WINDOW;
    MPI_Request request[2 * WINDOW];
    double start = MPI_Wtime();

    for (int i = 0; i < count; i++) {
        for (int j = 0; j < WINDOW; j++)
            c->irecv(buffer + j * bytes, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &request[j]);
        for (int j = 0; j < WINDOW; j++)
            c->isend(buffer, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &request[WINDOW + j]);
        c->waitall(2 * WINDOW, request, MPI_STATUSES_IGNORE);
    }
    return 1e6 * (MPI_Wtime() - start) / (WINDOW * count);
}

static void measure(const char *name, double (*kind)(const struct calls *, int), int bytes,
                    int rounds)
{
    double *time[3];

    for (int i = 0; i < 3; i++)
        time[i] = malloc((size_t)rounds * sizeof **time);
    for (int r = 0; r < rounds; r++) {
        int first = r % 2;

        MPI_Barrier(MPI_COMM_WORLD);
        time[first][r] = kind(first ? &with : &without, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        time[!first][r] = kind(first ? &without : &with, bytes);
        time[2][r] = time[1][r] / time[0][r];
    }
    for (int i = 0; i < 3; i++)
        sort(time[i], rounds);
    if (rank == 0)
        printf("%-10s %6d bytes: past it %8.3f us, with it %8.3f us, ratio %.3f (%.3f to %.3f)\n",
               name, bytes, time[0][rounds / 2], time[1][rounds / 2], time[2][rounds / 2],
               time[2][rounds / 20], time[2][rounds - 1 - rounds / 20]);
    for (int i = 0; i < 3; i++)
        free(time[i]);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure("ping-pong", ping_pong, 8, rounds);
    measure("ping-pong", ping_pong, LARGE, rounds);
    measure("window", window, 8, rounds);
    measure("window", window, LARGE, rounds);
    MPI_Finalize();
    return 0;
}
