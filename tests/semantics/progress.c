/* progress: rank 0 begins something native and goes into a blocking collective; another rank comes
 * there only when the native operation has ended, for which rank 0 must do its part meanwhile
 * (MPI 4.0, section 3.5, Progress, and section 6.12). */
#include "output.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 256 << 10, ROUNDS = 3 };

static int rank, n;

static void meet(int how)
{
    int mine = rank + 1, all = -1;

    if (how == 0)
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (how == 1)
        MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    output_result("met", MPI_SUCCESS, &all, sizeof all);
}

/* More than is sent before there is a receive: the sender must take part. */
static void send(char *message, int how)
{
    MPI_Request request = MPI_REQUEST_NULL;

    memset(message, rank == 0 ? how + 1 : 0, MESSAGE_BYTES);
    if (rank == 0)
        MPI_Isend(message, MESSAGE_BYTES, MPI_CHAR, n - 1, 0, MPI_COMM_WORLD, &request);
    if (rank == n - 1)
        MPI_Recv(message, MESSAGE_BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    meet(how);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    output_result("message", MPI_SUCCESS, message, MESSAGE_BYTES);
}

static void reduce(int how)
{
    int mine = rank * 10 + how, all = -1;
    MPI_Request request;

    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank != 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    meet(how);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    output_result("iallreduce", MPI_SUCCESS, &all, sizeof all);
}

int main(int argc, char **argv)
{
    char *message = malloc(MESSAGE_BYTES);

    output_init(argc, argv, &rank, &n);
    for (int how = 0; how < ROUNDS; how++) {
        send(message, how);
        reduce(how);
    }
    free(message);
    output_close();
    MPI_Finalize();
    return 0;
}
