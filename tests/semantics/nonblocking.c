/* nonblocking: nonblocking and persistent collectives, begun and ended around blocking ones on the
 * same communicator and on another. */
#include "output.h"

#include <stdio.h>
#include <string.h>

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

static void later(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 2 * *count; i++)
        ((int *)inout)[i] = 3 * ((int *)inout)[i] + ((int *)in)[i];
}

/* What needs native MPI, and handles that are freed before the operation is complete. */
static void handles(MPI_Comm comm)
{
    struct buffers user, large;
    struct {
        double value;
        int place;
    } least = {.value = (rank * 7) % 3, .place = rank}, found = {0};
    MPI_Request request[3];
    MPI_Status status[3];
    MPI_Datatype pair;
    MPI_Op op;

    fill(&user, 1);
    fill(&large, 2);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(later, 0, &op);
    MPI_Iallreduce(user.in, user.out, COUNT / 2, pair, op, comm, &request[0]);
    MPI_Type_free(&pair);
    MPI_Op_free(&op);
    MPI_Iallreduce_c(large.in, large.out, COUNT, MPI_INT, MPI_BOR, comm, &request[1]);
    MPI_Ireduce_c(&least, &found, 1, MPI_DOUBLE_INT, MPI_MINLOC, n - 1, comm, &request[2]);
    MPI_Waitall(3, request, status);
    show("user operation", &user);
    show("large count", &large);
    output_result("value", MPI_SUCCESS, &found.value, sizeof found.value);
    output_result("place", MPI_SUCCESS, &found.place, sizeof found.place);
}

static void tell(const char *what, int rv, MPI_Request request)
{
    output_line("%s %s %d", what, output_class(rv), request == MPI_REQUEST_NULL);
}

static void wrong_arguments(MPI_Comm comm)
{
    struct buffers b;
    MPI_Request request = MPI_REQUEST_NULL;

    fill(&b, 0);
    tell("count", MPI_Iallreduce(b.in, b.out, -1, MPI_INT, MPI_SUM, comm, &request), request);
    tell("op", MPI_Iallreduce(b.in, b.out, 1, MPI_FLOAT, MPI_BAND, comm, &request), request);
    tell("root", MPI_Ireduce(b.in, b.out, 1, MPI_INT, MPI_SUM, n, comm, &request), request);
    tell("alias", MPI_Iallreduce(b.in, b.in, 1, MPI_INT, MPI_SUM, comm, &request), request);
    MPI_Iallreduce(b.in, b.out, 0, MPI_INT, MPI_SUM, comm, &request);
    tell("nothing", MPI_Wait(&request, MPI_STATUS_IGNORE), request);
}

/* A look at a request leaves it there. What the status of a collective operation holds is undefined
 * (MPI 4.0, section 6.12): MPICH writes nothing of it. */
static void statuses(MPI_Comm comm)
{
    struct buffers b;
    MPI_Request request;
    MPI_Status status;
    int done = 0;

    fill(&b, 9);
    MPI_Iallreduce(b.in, b.out, COUNT, MPI_INT, MPI_MIN, comm, &request);
    while (!done)
        MPI_Request_get_status(request, &done, &status);
    show("min", &b);
    output_line("still there %d", request != MPI_REQUEST_NULL);
    MPI_Wait(&request, &status);
    output_line("gone %d", request == MPI_REQUEST_NULL);
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

enum { SEVERAL = 5 };

/* Two at once, the others one by one, in another order on odd ranks (MPI 4.0, section 6.13). */
static void start(MPI_Request request[SEVERAL])
{
    int together = rank % 2 ? SEVERAL - 2 : 0;

    MPI_Startall(2, &request[together]);
    for (int i = 0; i < SEVERAL; i++) {
        int which = rank % 2 ? SEVERAL - 1 - i : i;

        if (which != together && which != together + 1)
            MPI_Start(&request[which]);
    }
}

/* Not tested, and no wait for one that is complete: MPICH 4.0.2 takes them for complete when they
 * are not, and for active when they are not. */
static void await(MPI_Request request[SEVERAL])
{
    MPI_Status status[SEVERAL];
    int done, indices[SEVERAL];

    if (rank % 3 == 0)
        MPI_Wait(&request[rank % SEVERAL], status);
    else if (rank % 3 == 1)
        MPI_Waitany(SEVERAL, request, &done, status);
    else
        MPI_Waitsome(SEVERAL, request, &done, indices, status);
    MPI_Waitall(SEVERAL, request, status);
}

static void persistent_in_any_order(MPI_Comm comm)
{
    struct buffers b[SEVERAL];
    MPI_Request request[SEVERAL];

    for (int i = 0; i < SEVERAL; i++)
        MPI_Allreduce_init_c(i % 2 ? MPI_IN_PLACE : b[i].in, b[i].out, COUNT, MPI_INT, MPI_SUM,
                             comm, MPI_INFO_NULL, &request[i]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SEVERAL; i++) {
            fill(&b[i], 7 * i + round);
            memcpy(b[i].out, b[i].in, sizeof b[i].out);
        }
        start(request);
        await(request);
        for (int i = 0; i < SEVERAL; i++)
            show("persistent, in any order", &b[i]);
    }
    for (int i = 0; i < SEVERAL; i++) {
        MPI_Request_free(&request[i]);
        tell("freed", MPI_SUCCESS, request[i]);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm other;

    output_init(argc, argv, &rank, &n);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    nonblocking(MPI_COMM_WORLD, other);
    handles(other);
    wrong_arguments(other);
    statuses(MPI_COMM_WORLD);
    persistent(MPI_COMM_WORLD, other);
    persistent_in_any_order(other);
    MPI_Comm_free(&other);
    output_close();
    MPI_Finalize();
    return 0;
}
