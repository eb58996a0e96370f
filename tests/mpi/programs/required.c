/* required CALL COUNT sum|user: ROUNDS reductions of COUNT numbers, in which each rank's are 1, by
 * MPI_SUM or by an operation of the program's that does not commute. CALL may begin with "i":
 * nonblocking. Rank 1 dies as setting crash says. Each survivor prints how many results lacked a
 * rank, and how many of these came without an error. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 6 };

struct form {
    bool is_nonblocking;
    int rank, size, count;
    int *own, *all, *counts;
    MPI_Op op;
};

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const int *from = in;
    int *into = inout;

    (void)type;
    for (int i = 0; i < *length; i++)
        into[i] += from[i];
}

static int reduce(const struct form *f, MPI_Request *r)
{
    return f->is_nonblocking
               ? MPI_Ireduce(f->own, f->all, f->count, MPI_INT, f->op, 0, MPI_COMM_WORLD, r)
               : MPI_Reduce(f->own, f->all, f->count, MPI_INT, f->op, 0, MPI_COMM_WORLD);
}

#define ON_ALL_RANKS(name, Blocking, Nonblocking)                                                  \
    static int name(const struct form *f, MPI_Request *r)                                          \
    {                                                                                              \
        return f->is_nonblocking                                                                   \
                   ? MPI_##Nonblocking(f->own, f->all, f->count, MPI_INT, f->op, MPI_COMM_WORLD,   \
                                       r)                                                          \
                   : MPI_##Blocking(f->own, f->all, f->count, MPI_INT, f->op, MPI_COMM_WORLD);     \
    }

ON_ALL_RANKS(allreduce, Allreduce, Iallreduce)
ON_ALL_RANKS(scan, Scan, Iscan)
ON_ALL_RANKS(exscan, Exscan, Iexscan)

static int reduce_scatter(const struct form *f, MPI_Request *r)
{
    return f->is_nonblocking
               ? MPI_Ireduce_scatter(f->own, f->all, f->counts, MPI_INT, f->op, MPI_COMM_WORLD, r)
               : MPI_Reduce_scatter(f->own, f->all, f->counts, MPI_INT, f->op, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    int (*make)(const struct form *f, MPI_Request *request);
} calls[] = {{"reduce", reduce},
             {"allreduce", allreduce},
             {"scan", scan},
             {"exscan", exscan},
             {"reduce_scatter", reduce_scatter}};

/* Returns what a result is if no rank lacks; 0: this rank has none. */
static int complete(const struct form *f, const char *name)
{
    if (strcmp(name, "reduce") == 0)
        return f->rank == 0 ? f->size : 0;
    return strcmp(name, "scan") == 0     ? f->rank + 1
           : strcmp(name, "exscan") == 0 ? f->rank
                                         : f->size;
}

static int call_of(const char *name)
{
    size_t i = 0;

    while (strcmp(calls[i].name, name) != 0)
        if (++i == sizeof calls / sizeof calls[0])
            exit(2);
    return (int)i;
}

static void begin(struct form *f, char **argv)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->size);
    f->count = atoi(argv[2]);
    f->own = malloc((size_t)f->count * sizeof *f->own * (size_t)f->size);
    f->all = malloc((size_t)f->count * sizeof *f->all);
    f->counts = malloc((size_t)f->size * sizeof *f->counts);
    for (int i = 0; i < f->count * f->size; i++)
        f->own[i] = 1;
    for (int i = 0; i < f->size; i++)
        f->counts[i] = f->count;
    f->op = MPI_SUM;
    if (strcmp(argv[3], "user") == 0)
        MPI_Op_create(add, 0, &f->op);
}

int main(int argc, char **argv)
{
    struct form f = {.is_nonblocking = argc > 3 && argv[1][0] == 'i'};
    int call = call_of(argv[1] + f.is_nonblocking), incomplete = 0, accepted = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    begin(&f, argv);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Request request = MPI_REQUEST_NULL;
        int rv, class;

        f.all[0] = complete(&f, calls[call].name);
        rv = calls[call].make(&f, &request);
        if (rv == MPI_SUCCESS)
            rv = MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Error_class(rv, &class);
        if (f.all[0] != complete(&f, calls[call].name)) {
            incomplete++;
            accepted += class != MPIX_ERR_PROC_FAILED;
        }
    }
    printf("required: rank %d: %d incomplete, %d accepted\n", f.rank, incomplete, accepted);
    MPI_Finalize();
    return 0;
}
