/* wrong: an erroneous program. The last rank calls something else than the others, or sends to a
 * rank that there is not; the error handler must end the job.
 *
 *     wrong count|empty|op|call|root|type|send|creation
 *     wrong large|order|barrier|returns    what the last rank calls is for native MPI to carry out;
 *                                          "returns" ends when there is a file "heard"
 *
 * Some that are right, and look similar for a while:
 *
 *     wrong late|elsewhere|ahead MILLISECONDS */
#include "heard.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 100000 };

static const char *what;
static int rank, size, is_last;
static long late_ms;

static int differs(const char *in)
{
    return is_last && strcmp(what, in) == 0;
}

static void reduce(void)
{
    int one[2] = {1, 1}, all[2] = {0, 0};

    if (differs("call") || strcmp(what, "root") == 0)
        MPI_Reduce(one, all, 1, MPI_INT, MPI_SUM, differs("root"), MPI_COMM_WORLD);
    else
        MPI_Allreduce(one, all,
                      differs("count")   ? 2
                      : differs("empty") ? 0
                                         : 1,
                      differs("type") ? MPI_FLOAT : MPI_INT, differs("op") ? MPI_MAX : MPI_SUM,
                      MPI_COMM_WORLD);
}

static void take_first(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, (size_t)*length * sizeof(double));
}

/* Not inlined: its name is in the message. */
static void __attribute__((noipa)) sum_up(void)
{
    static double in[MANY], out[MANY];
    MPI_Op op = MPI_SUM;
    int rv;

    if (strcmp(what, "returns") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (differs("order"))
        MPI_Op_create(take_first, 0, &op);
    rv = MPI_Allreduce(in, out, differs("large") || differs("returns") ? MANY : 4, MPI_DOUBLE, op,
                       MPI_COMM_WORLD);
    if (rv != MPI_SUCCESS) {
        int class;

        MPI_Error_class(rv, &class);
        printf("wrong: rank %d: class MPI_ERR_OTHER: %d\n", rank, class == MPI_ERR_OTHER);
        fflush(stdout);
        while (rank != 0)
            pause();
        await_heard(); /* that all have said so */
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
}

/* With setting intercept as it comes, a barrier is native. */
static void __attribute__((noipa)) meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    is_last |= 2; /* the call is not the last thing here: its return address is inside */
}

static void come_late(void)
{
    struct timespec t = {.tv_sec = late_ms / 1000, .tv_nsec = late_ms % 1000 * 1000000};

    while (nanosleep(&t, &t) != 0)
        ;
}

/* An operation that takes so long on the last rank. */
static void take_long(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    memcpy(inout, in, (size_t)*length * sizeof(int));
    if (is_last)
        come_late();
}

/* The last two ranks sit in a native call of their own. */
static void meet_elsewhere(void)
{
    MPI_Comm two;
    MPI_Op op;
    int result;

    MPI_Comm_split(MPI_COMM_WORLD, rank < size - 2, rank, &two);
    MPI_Op_create(take_long, 0, &op);
    if (rank >= size - 2)
        MPI_Allreduce(&rank, &result, 1, MPI_INT, op, two);
}

/* Some sit in the native barrier, and others still in the reduction before it. */
static void go_ahead(void)
{
    int result;
    MPI_Op op;

    MPI_Op_create(take_long, 1, &op);
    MPI_Reduce(&rank, &result, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static int is_mixed(void)
{
    return strcmp(what, "large") == 0 || strcmp(what, "order") == 0 ||
           strcmp(what, "barrier") == 0 || strcmp(what, "returns") == 0;
}

static void create(void)
{
    MPI_Comm comm;

    if (is_last)
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    is_last = rank == size - 1;
    late_ms = argc > 2 ? atol(argv[2]) : 0;
    if (rank == 0) {
        puts("go");
        fflush(stdout);
    }
    if (differs("send"))
        MPI_Send(&size, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    if (differs("late"))
        come_late();
    if (strcmp(what, "elsewhere") == 0)
        meet_elsewhere();
    if (strcmp(what, "ahead") == 0)
        go_ahead();
    if (differs("barrier"))
        meet();
    if (strcmp(what, "creation") == 0)
        create();
    if (is_mixed())
        sum_up();
    reduce();
    printf("wrong: rank %d got a result\n", rank);
    MPI_Finalize();
    return 0;
}
