/* p2p: time of point-to-point messages between two ranks, through the library and past it, in
 * turns.
 *
 *     p2p [ROUNDS]
 *
 * Prints for each kind the time of one message in each block; tests/bench/p2p.py makes a table of
 * it. Without the library both are native. */
#include "past.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 64, BLOCK = 1000, LARGE = 1 << 20, BLOCK_BYTES = 4 << 20, WARM_UP = 4 };

struct calls {
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
    int (*recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*irecv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    int (*waitall)(int, MPI_Request *, MPI_Status *);
};

static const struct calls with = {MPI_Send, MPI_Recv, MPI_Isend, MPI_Irecv, MPI_Waitall};
static struct calls without;

static char buffer[WINDOW << 16];
static int rank;

/* Microseconds of one message. */
static double ping_pong(const struct calls *c, int bytes)
{
    int count = bytes > 1000 ? BLOCK_BYTES / bytes : BLOCK;
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

/* One line a round: kind, bytes, microseconds past the library, and with it. */
static void measure(const char *name, double (*kind)(const struct calls *, int), int bytes,
                    int rounds)
{
    double us[2];

    for (int r = 0; r < rounds; r++) {
        int first = r % 2;

        MPI_Barrier(MPI_COMM_WORLD);
        us[first] = kind(first ? &with : &without, bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        us[!first] = kind(first ? &without : &with, bytes);
        if (rank == 0)
            printf("%s,%d,%.4f,%.4f\n", name, bytes, us[0], us[1]);
    }
}

static void find_past_library(void)
{
    past_library("PMPI_Send", &without.send);
    past_library("PMPI_Recv", &without.recv);
    past_library("PMPI_Isend", &without.isend);
    past_library("PMPI_Irecv", &without.irecv);
    past_library("PMPI_Waitall", &without.waitall);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    find_past_library();
    for (int i = 0; i < WARM_UP; i++)
        ping_pong(&without, LARGE);
    measure("ping-pong", ping_pong, 8, rounds);
    for (int bytes = 1 << 14; bytes <= LARGE; bytes *= 4)
        measure("ping-pong", ping_pong, bytes, rounds);
    measure("window", window, 8, rounds);
    measure("window", window, 1 << 16, rounds);
    MPI_Finalize();
    return 0;
}
