#include "measured.h"
#include "past.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE_ELEMENTS = 8,    /* doubles in a cache line */
    VALUE_PERIOD = 65521, /* the values stay small: all sums are exact */
};

static double value_of(int rank, int64_t iteration)
{
    return (double)(rank + iteration % VALUE_PERIOD);
}

/* The element of each line whose turn it is. A barrier has none. */
static int first_changed(const struct buffers *b)
{
    int lines = b->count < LINE_ELEMENTS ? b->count : LINE_ELEMENTS;

    return lines > 0 ? (int)(b->iteration % lines) : 0;
}

void buffers_change(struct buffers *b)
{
    double value = value_of(b->rank, b->iteration);

    for (int i = first_changed(b); i < b->count; i += LINE_ELEMENTS)
        b->send[i] = value;
}

static void call_allreduce(struct buffers *b)
{
    static __typeof__(PMPI_Allreduce) *past;

    if (!past)
        past_library("PMPI_Allreduce", &past);
    if (b->direct)
        past(b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Allreduce(b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void call_reduce(struct buffers *b)
{
    MPI_Reduce(b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static int turn(const struct buffers *b)
{
    return (int)(b->iteration % b->ranks);
}

/* With two ranks a ping-pong: nobody can be more than one call ahead. */
static void call_reduce_turns(struct buffers *b)
{
    MPI_Reduce(b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, turn(b), MPI_COMM_WORLD);
}

static void call_barrier(struct buffers *b)
{
    (void)b;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Broadcasts are in place, so the root's buffer is the one that arrives. */
static void call_bcast(struct buffers *b)
{
    MPI_Bcast(b->rank == 0 ? b->send : b->recv, b->count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void call_allgather(struct buffers *b)
{
    MPI_Allgather(b->send, b->count, MPI_DOUBLE, b->recv, b->count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void call_gather(struct buffers *b)
{
    MPI_Gather(b->send, b->count, MPI_DOUBLE, b->recv, b->count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void call_scatter(struct buffers *b)
{
    MPI_Scatter(b->send, b->count, MPI_DOUBLE, b->recv, b->count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void call_alltoall(struct buffers *b)
{
    MPI_Alltoall(b->send, b->count, MPI_DOUBLE, b->recv, b->count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void call_scan(struct buffers *b)
{
    MPI_Scan(b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int all(const struct buffers *b)
{
    (void)b;
    return ALL_RANKS;
}

static int nobody(const struct buffers *b)
{
    (void)b;
    return NO_RANK;
}

static int root(const struct buffers *b)
{
    (void)b;
    return 0;
}

static double of_first(const struct buffers *b)
{
    return value_of(0, b->iteration);
}

static double of_last(const struct buffers *b)
{
    return value_of(b->ranks - 1, b->iteration);
}

static double sum_of(const struct buffers *b, int ranks)
{
    return ranks * of_first(b) + ranks * (ranks - 1) / 2.0;
}

static double sum(const struct buffers *b)
{
    return sum_of(b, b->ranks);
}

static double prefix(const struct buffers *b)
{
    return sum_of(b, b->rank + 1);
}

/* Who sends one block to each rank changes the first. */
static const struct measured_call table[] = {
    {"allreduce", true, false, false, call_allreduce, all, sum, false},
    {"reduce", true, false, true, call_reduce, root, sum, false},
    {"reduce-turns", true, false, false, call_reduce_turns, turn, sum, false},
    {"barrier", false, false, false, call_barrier, nobody, sum, false},
    {"bcast", true, false, true, call_bcast, all, of_first, false},
    {"allgather", true, true, false, call_allgather, all, of_last, true},
    {"gather", true, true, true, call_gather, root, of_last, true},
    {"scatter", true, true, true, call_scatter, root, of_first, false},
    {"alltoall", true, true, false, call_alltoall, root, of_last, true},
    {"scan", true, false, true, call_scan, all, prefix, false},
};

const struct measured_call *measured_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

void buffers_check(const struct buffers *b, const struct measured_call *call)
{
    int receiver = call->receiver(b);
    const double *got = call->call == call_bcast && b->rank == 0 ? b->send : b->recv;
    double right = call->right(b);

    if (receiver != ALL_RANKS && receiver != b->rank)
        return;
    if (call->from_last)
        got += (b->ranks - 1) * b->count;
    for (int i = first_changed(b); i < b->count; i += LINE_ELEMENTS) {
        if (got[i] == right)
            continue;
        fprintf(stderr,
                "bench: %s of %d ranks, element %d of %d, iteration %lld: %.17g instead of %.17g\n",
                call->name, b->ranks, i, b->count, (long long)b->iteration, got[i], right);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}
