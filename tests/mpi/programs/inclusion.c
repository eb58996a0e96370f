/* inclusion CALLS OPERATIONS: each rank adds the bit of its number, so that a result is the set of
 * those who are in it. Tells of each incomplete result, for comparison with record_file:
 *
 *     result COMMUNICATOR OPERATION BITS    this rank had it
 *     refused COMMUNICATOR OPERATION        with an error of class MPIX_ERR_PROC_FAILED
 *
 * CALLS is reduce, allreduce, or mixed. COMMUNICATOR is 0, the world, or 1, all but rank 1 in
 * reverse order. The root of mixed calls is rank 3, of others each in turn. In operations with even
 * numbers, ranks with even numbers call from here(), all others from there(). Ranks die as setting
 * crash says.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct operation {
    MPI_Comm comm;
    int rank, size, number, root, place;
    int is_reduce;
    uint64_t bits;
};

static MPI_Datatype pair; /* a number and a gap: see make_type() */
static MPI_Op join;

static void join_bits(void *in, void *inout, int *length, MPI_Datatype *type)
{
    uint64_t *from = in, *into = inout;

    (void)type;
    for (int i = 0; i < *length; i++)
        into[2 * i] += from[2 * i];
}

static void make_type(void)
{
    MPI_Datatype number;

    MPI_Type_contiguous(1, MPI_UINT64_T, &number);
    MPI_Type_create_resized(number, 0, 16, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_free(&number);
    MPI_Op_create(join_bits, 1, &join);
}

/* Inlined into both of its callers, which so have call sites of their own. */
__attribute__((always_inline)) static inline int reduce(struct operation *o)
{
    uint64_t own[4] = {1ull << o->rank, 0, 1ull << o->rank, 0}, sum[4] = {0};
    int derived = o->number % 3 == 1, count = derived ? 2 : 1, rv;
    MPI_Datatype type = derived ? pair : MPI_UINT64_T;
    MPI_Op op = derived ? join : MPI_SUM;

    if (o->is_reduce)
        rv = MPI_Reduce(own, sum, count, type, op, o->root, o->comm);
    else
        rv = MPI_Allreduce(own, sum, count, type, op, o->comm);
    if (derived && sum[0] != sum[2]) {
        printf("the elements of one result differ\n");
        exit(4);
    }
    o->bits = sum[0];
    return rv;
}

__attribute__((noinline)) static int here(struct operation *o)
{
    o->place = 1; /* so that the compiler does not make one function of the two */
    return reduce(o);
}

__attribute__((noinline)) static int there(struct operation *o)
{
    o->place = 2;
    return reduce(o);
}

static void tell(const struct operation *o, int is_world, int rv)
{
    int class = MPI_SUCCESS;

    if (rv != MPI_SUCCESS)
        MPI_Error_class(rv, &class);
    if (class == MPIX_ERR_PROC_FAILED)
        printf("refused %d %d\n", !is_world, o->number);
    if (o->bits != 0 && o->bits != (1ull << o->size) - 1)
        printf("result %d %d %llu\n", !is_world, o->number, (unsigned long long)o->bits);
    fflush(stdout);
}

static void carry_out(MPI_Comm comm, int number, const char *calls, int is_world)
{
    struct operation o = {.comm = comm, .number = number};
    int rv;

    MPI_Comm_rank(comm, &o.rank);
    MPI_Comm_size(comm, &o.size);
    o.is_reduce = strcmp(calls, "mixed") == 0 ? number % 2 : strcmp(calls, "reduce") == 0;
    o.root = strcmp(calls, "mixed") == 0 ? 3 : number % o.size;
    rv = number % 2 == 0 && o.rank % 2 == 0 ? here(&o) : there(&o);
    tell(&o, is_world, rv);
}

int main(int argc, char **argv)
{
    int rank, operations = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Comm others;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, -rank, &others);
    make_type();
    for (int i = 0; i < operations; i++) {
        carry_out(MPI_COMM_WORLD, i, argv[1], 1);
        if (others != MPI_COMM_NULL)
            carry_out(others, i, argv[1], 0);
    }
    MPI_Finalize();
    return 0;
}
