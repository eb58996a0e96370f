/* sites: calls of several kinds from functions of their own, for the report of call sites. "sites
 * die" ends rank 1 in the middle, before anybody makes a call that is not protected; "sites ring"
 * also makes each kind of point-to-point call that blocks, and "sites ring returns" wants to have
 * errors back; "sites open" makes a window, too. Both may have threads. */
#include "halves.h"

#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 300, LARGE = 4096 };

__attribute__((noinline)) static void energy(int *sum)
{
    int one = 1;

    MPI_Allreduce(&one, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    *sum += 0; /* the call is not the last thing here: its return address is inside */
}

__attribute__((noinline)) static void collect(int *all)
{
    int own = 7;

    MPI_Gather(&own, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    all[0] += 0;
}

__attribute__((noinline)) static void spectrum(double *sum)
{
    static double own[LARGE];

    MPI_Allreduce(own, sum, LARGE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum[0] += 0;
}

__attribute__((noinline)) static void late(int *sum)
{
    MPI_Request request;
    static int one = 1;

    MPI_Iallreduce(&one, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Point-to-point calls of each rank with its neighbours, and with nobody. */
__attribute__((noinline)) static void ring(int rank, int size)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size, value = 0, done, index[2];
    MPI_Request request[2];
    MPI_Status status[2];
    MPI_Message message;

    MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &value, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 0, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Probe(left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Irecv(&value, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Ssend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&value, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &request[1]);
        if (i == 1)
            MPI_Waitany(2, request, index, MPI_STATUS_IGNORE);
        if (i == 2)
            MPI_Waitsome(2, request, &done, index, status);
        MPI_Waitall(2, request, status);
    }
    MPI_Isend(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Mprobe(left, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Waitall(1, request, status);
}

/* Waits for what is no message, and not protected: between two groups that have not told each other
 * which of all that threads make between them it is. */
__attribute__((noinline)) static void exchange_late(void)
{
    static int sum;
    int one = 1;
    MPI_Comm between = between_halves("sites");
    MPI_Request request;

    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, between, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* No setting protects it. */
__attribute__((noinline)) static void expose(int *memory)
{
    MPI_Win window;

    MPI_Win_create(memory, sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    static int all[64], sum;
    static double sums[LARGE];
    bool is_ring = argc > 1 && strcmp(argv[1], "die") != 0;
    int rank, provided;

    MPI_Init_thread(&argc, &argv, is_ring ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < TURNS; i++)
        energy(&sum);
    if (is_ring) {
        int size;

        MPI_Comm_size(MPI_COMM_WORLD, &size);
        ring(rank, size);
        exchange_late();
        if (strcmp(argv[1], "open") == 0)
            expose(&sum);
        late(&sum);
    } else if (argc > 1) {
        if (rank == 1)
            raise(SIGKILL);
        energy(&sum);
    } else {
        collect(all);
        spectrum(sums);
        late(&sum);
    }
    MPI_Finalize();
    if (rank == 0)
        printf("sites: the last sum is %d\n", sum);
    return 0;
}
