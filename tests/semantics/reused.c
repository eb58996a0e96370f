/* reused: a persistent collective of native MPI on MPI_COMM_SELF, after each of the calls for which
 * the library makes and frees a request of its own. MPICH has few request objects and uses the last
 * one again, so the collective is in the memory of that request. */
#include "output.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

static int rank, n;

/* One after the other, as the object may be the second that was freed. */
static void use_native(const char *after)
{
    int in[2] = {rank + 7, rank + 9}, out[2] = {0, 0};
    MPI_Request request[2];

    for (int i = 0; i < 2; i++)
        MPI_Allreduce_init(&in[i], &out[i], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL,
                           &request[i]);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request[i]);
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&request[i]);
    output_result(after, MPI_SUCCESS, out, sizeof out);
}

static void collectives(void)
{
    int in = rank, out;
    MPI_Request request;

    MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Request_free(&request);
    use_native("a persistent collective that was not started");
    MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    use_native("a persistent collective");
    MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_native("a nonblocking collective");
}

/* MPI_Testall of MPICH 4.0.2 takes such collectives for errors, its MPI_Waitall does not. */
static void wait_together(void)
{
    int value = 7, in = rank, out = -1, alone = 3, sum = 0;
    MPI_Request request[4];
    MPI_Status statuses[4];

    MPI_Bcast_init(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]);
    MPI_Allreduce_init(&alone, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, MPI_INFO_NULL,
                       &request[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, request);
        MPI_Irecv(&out, 1, MPI_INT, (rank + n - 1) % n, 0, MPI_COMM_WORLD, &request[2]);
        MPI_Isend(&in, 1, MPI_INT, (rank + 1) % n, 0, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, statuses);
        output_result("collectives and messages", MPI_SUCCESS, &out, sizeof out);
        output_result("their sum", MPI_SUCCESS, &sum, sizeof sum);
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&request[i]);
}

/* MPICH 4.0.2 crashes in MPI_Isendrecv to MPI_PROC_NULL. */
static int may_exchange(int peer)
{
    const char *p2p = getenv("FTCOLL_P2P");

    return peer != MPI_PROC_NULL || (p2p && strcmp(p2p, "native") != 0);
}

/* In each the library asks native MPI first whether it accepts what is sent. */
static void exchanges(int peer)
{
    int in = rank, out = 0;
    MPI_Status status;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Sendrecv(&in, 1, MPI_INT, peer, 1, &out, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &status);
    use_native("an exchange");
    MPI_Sendrecv_replace(&in, 1, MPI_INT, peer, 1, peer, 1, MPI_COMM_WORLD, &status);
    use_native("an exchange in place");
    if (may_exchange(peer))
        MPI_Isendrecv(&in, 1, MPI_INT, peer, 1, &out, 1, MPI_INT, peer, 1, MPI_COMM_WORLD,
                      &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use_native("a nonblocking exchange");
}

static void buffered(int peer)
{
    static char room[ROOM];
    void *buffer;
    int in = rank, bytes;
    MPI_Request request[2];
    MPI_Status status[2];

    MPI_Buffer_attach(room, ROOM);
    MPI_Ibsend(&in, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(&in, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, status);
    MPI_Buffer_detach(&buffer, &bytes);
    use_native("a buffered send");
}

int main(int argc, char **argv)
{
    output_init(argc, argv, &rank, &n);
    use_native("nothing");
    collectives();
    wait_together();
    exchanges(MPI_PROC_NULL);
    buffered(MPI_PROC_NULL);
    exchanges((n - rank) % n);
    buffered((n - rank) % n);
    output_close();
    MPI_Finalize();
    return 0;
}
