/* nonblocking: nonblocking and persistent collectives, which are native, begun and ended around
 * blocking ones on the same communicator and on another. */
#include "output.h"

#include <stdio.h>

enum { COUNT = 6, ROUNDS = 4 };

static int rank, n;

struct buffers {
    int in[COUNT], out[COUNT];
};

static void fill(struct buffers *b, int number)
{
    for (int i = 0; i < COUNT; i++) {
        b->in[i] = (rank + 1) * (i + 1) + number;
        b->out[i] = -1;
    }
}

static void show(const char *what, const struct buffers *b)
{
    output_result(what, MPI_SUCCESS, b->out, sizeof b->out);
}

static void blocking(MPI_Comm comm, int root)
{
    struct buffers b;

    fill(&b, root);
    MPI_Allreduce(b.in, b.out, COUNT, MPI_INT, MPI_SUM, comm);
    show("allreduce", &b);
    fill(&b, 2 * root);
    MPI_Reduce(b.in, b.out, COUNT, MPI_INT, MPI_MAX, root, comm);
    show("reduce", &b);
}

static void nonblocking(MPI_Comm comm, MPI_Comm other)
{
    struct buffers all, one, same;
    MPI_Request request[4];
    MPI_Status status[3];
    int done = 0;

    for (int round = 0; round < ROUNDS; round++) {
        fill(&all, round);
        fill(&one, 3 * round);
        fill(&same, round * round);
        MPI_Iallreduce(all.in, all.out, COUNT, MPI_INT, MPI_SUM, comm, &request[0]);
        blocking(comm, round % n);
        MPI_Ireduce(one.in, one.out, COUNT, MPI_INT, MPI_PROD, round % n, comm, &request[1]);
        blocking(other, (round + 1) % n);
        MPI_Iallreduce(MPI_IN_PLACE, same.in, COUNT, MPI_INT, MPI_BXOR, other, &request[2]);
        MPI_Ibarrier(comm, &request[3]);
        while (!done)
            MPI_Test(&request[0], &done, MPI_STATUS_IGNORE);
        MPI_Waitall(3, request + 1, status);
        show("iallreduce", &all);
        show("ireduce", &one);
        output_result("iallreduce in place", MPI_SUCCESS, same.in, sizeof same.in);
        done = 0;
    }
}

static void persistent(MPI_Comm comm, MPI_Comm other)
{
    struct buffers all, one;
    MPI_Request request[2];
    MPI_Status status[2];

    MPI_Allreduce_init(all.in, all.out, COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[0]);
    MPI_Reduce_init(one.in, one.out, COUNT, MPI_INT, MPI_SUM, n - 1, other, MPI_INFO_NULL,
                    &request[1]);
    for (int round = 0; round < ROUNDS; round++) {
        fill(&all, 5 * round);
        fill(&one, round);
        MPI_Startall(2, request);
        blocking(other, round % n);
        blocking(comm, round % n);
        MPI_Waitall(2, request, status);
        show("persistent allreduce", &all);
        show("persistent reduce", &one);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

int main(int argc, char **argv)
{
    MPI_Comm other;

    output_init(argc, argv, &rank, &n);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    nonblocking(MPI_COMM_WORLD, other);
    persistent(MPI_COMM_WORLD, other);
    MPI_Comm_free(&other);
    output_close();
    MPI_Finalize();
    return 0;
}
