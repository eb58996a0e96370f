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

/* ---- counts, displacements and datatypes of each block ---- */

enum { RANKS_MOST = 1024 };

static struct {
    int count[RANKS_MOST], place[RANKS_MOST], byte[RANKS_MOST];
    MPI_Aint wide_byte[RANKS_MOST];
    MPI_Datatype type[RANKS_MOST];
} each;

static void describe_each(const struct buffers *b)
{
    for (int i = 0; i < b->ranks; i++) {
        each.count[i] = b->count;
        each.place[i] = i * b->count;
        each.byte[i] = each.place[i] * (int)sizeof(double);
        each.wide_byte[i] = each.byte[i];
        each.type[i] = MPI_DOUBLE;
    }
}

/* Everybody's neighbors on it are the ranks before and behind. */
static MPI_Comm ring = MPI_COMM_NULL;

void measured_open(int ranks)
{
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &(int){1}, 0, &ring);
}

struct kept_request {
    MPI_Request request;
    int count; /* of its blocks; 0: none yet */
};

#define BLOCK(buffer)  (buffer), b->count, MPI_DOUBLE
#define BLOCKS(buffer) (buffer), each.count, each.place, MPI_DOUBLE
#define BYTES(buffer)  (buffer), each.count, each.byte, each.type
#define WORLD          MPI_COMM_WORLD

/* A call, its nonblocking form and its persistent one. */
#define THREE_FORMS(name, blocking, nonblocking, persistent, ...)                                  \
    static void call_##name(struct buffers *b)                                                     \
    {                                                                                              \
        describe_each(b);                                                                          \
        blocking(__VA_ARGS__);                                                                     \
    }                                                                                              \
    static void call_i##name(struct buffers *b)                                                    \
    {                                                                                              \
        MPI_Request request;                                                                       \
                                                                                                   \
        describe_each(b);                                                                          \
        nonblocking(__VA_ARGS__, &request);                                                        \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                     \
    }                                                                                              \
    PERSISTENT_FORM(name, persistent, __VA_ARGS__)

/* Made once for each size and side. */
#define KEPT_REQUEST(name, persistent, ...)                                                        \
    static void call_##name##_init(struct buffers *b)                                              \
    {                                                                                              \
        static struct kept_request kept[2];                                                        \
        struct kept_request *k = &kept[b->is_ours];                                                \
                                                                                                   \
        if (k->count != b->count) {                                                                \
            if (k->count > 0)                                                                      \
                MPI_Request_free(&k->request);                                                     \
            describe_each(b);                                                                      \
            persistent(__VA_ARGS__, MPI_INFO_NULL, &k->request);                                   \
            k->count = b->count;                                                                   \
        }                                                                                          \
        MPI_Start(&k->request);                                                                    \
        MPI_Wait(&k->request, MPI_STATUS_IGNORE);                                                  \
    }
#define NO_FORM(name, persistent, ...)                                                             \
    static void call_##name##_init(struct buffers *b)                                              \
    {                                                                                              \
        (void)b;                                                                                   \
        fprintf(stderr, "bench: this MPI has no persistent collectives\n");                        \
        MPI_Abort(MPI_COMM_WORLD, 2);                                                              \
    }
#if MPI_VERSION >= 4
#define PERSISTENT_FORM KEPT_REQUEST
#else
#define PERSISTENT_FORM NO_FORM
#endif

#define FORMS(name, call, ...)                                                                     \
    THREE_FORMS(name, MPI_##call, MPI_I##name, MPI_##call##_init, __VA_ARGS__)

FORMS(allgather, Allgather, BLOCK(b->send), BLOCK(b->recv), WORLD)
FORMS(allgatherv, Allgatherv, BLOCK(b->send), BLOCKS(b->recv), WORLD)
FORMS(gather, Gather, BLOCK(b->send), BLOCK(b->recv), 0, WORLD)
FORMS(gatherv, Gatherv, BLOCK(b->send), BLOCKS(b->recv), 0, WORLD)
FORMS(scatter, Scatter, BLOCK(b->send), BLOCK(b->recv), 0, WORLD)
FORMS(scatterv, Scatterv, BLOCKS(b->send), BLOCK(b->recv), 0, WORLD)
FORMS(alltoall, Alltoall, BLOCK(b->send), BLOCK(b->recv), WORLD)
FORMS(alltoallv, Alltoallv, BLOCKS(b->send), BLOCKS(b->recv), WORLD)
FORMS(alltoallw, Alltoallw, BYTES(b->send), BYTES(b->recv), WORLD)
FORMS(scan, Scan, b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, WORLD)
FORMS(exscan, Exscan, b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM, WORLD)
FORMS(reduce_scatter, Reduce_scatter, b->send, b->recv, each.count, MPI_DOUBLE, MPI_SUM, WORLD)
FORMS(reduce_scatter_block, Reduce_scatter_block, b->send, b->recv, b->count, MPI_DOUBLE, MPI_SUM,
      WORLD)
FORMS(neighbor_allgather, Neighbor_allgather, BLOCK(b->send), BLOCK(b->recv), ring)
FORMS(neighbor_alltoall, Neighbor_alltoall, BLOCK(b->send), BLOCK(b->recv), ring)
FORMS(neighbor_alltoallv, Neighbor_alltoallv, BLOCKS(b->send), BLOCKS(b->recv), ring)

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

#define FORMS_OF(name, ...)                                                                        \
    ONE_FORM(#name, call_##name, __VA_ARGS__), ONE_FORM("i" #name, call_i##name, __VA_ARGS__),     \
        ONE_FORM(#name "_init", call_##name##_init, __VA_ARGS__)
#define ONE_FORM(name, call, has_blocks, separated, receiver, right, from_last)                    \
    {                                                                                              \
        name, true, has_blocks, separated, call, receiver, right, from_last                        \
    }

/* Who sends one block to each rank changes the first. */
static const struct measured_call table[] = {
    {"allreduce", true, false, false, call_allreduce, all, sum, false},
    {"reduce", true, false, true, call_reduce, root, sum, false},
    {"reduce-turns", true, false, false, call_reduce_turns, turn, sum, false},
    {"barrier", false, false, false, call_barrier, nobody, sum, false},
    {"bcast", true, false, true, call_bcast, all, of_first, false},
    FORMS_OF(allgather, true, false, all, of_last, true),
    FORMS_OF(allgatherv, true, false, all, of_last, true),
    FORMS_OF(gather, true, true, root, of_last, true),
    FORMS_OF(gatherv, true, true, root, of_last, true),
    FORMS_OF(scatter, true, true, root, of_first, false),
    FORMS_OF(scatterv, true, true, root, of_first, false),
    FORMS_OF(alltoall, true, false, root, of_last, true),
    FORMS_OF(alltoallv, true, false, root, of_last, true),
    FORMS_OF(alltoallw, true, false, root, of_last, true),
    FORMS_OF(scan, false, true, all, prefix, false),
    FORMS_OF(exscan, false, true, nobody, prefix, false),
    FORMS_OF(reduce_scatter, true, false, root, sum, false),
    FORMS_OF(reduce_scatter_block, true, false, root, sum, false),
    FORMS_OF(neighbor_allgather, true, false, nobody, sum, false),
    FORMS_OF(neighbor_alltoall, true, false, nobody, sum, false),
    FORMS_OF(neighbor_alltoallv, true, false, nobody, sum, false),
};

bool measured_is_kept(const struct measured_call *call)
{
    return strstr(call->name, "_init") != NULL;
}

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
