/* fallback: calls that the library passes on to native MPI, each followed by a look at its result,
 * which must be the native one. */
#include "native.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 5000 }; /* doubles: more than any max_bytes of the tests */

static int rank, n, problems;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "fallback: rank %d, line %d: not true: %s\n", rank, __LINE__,          \
                    #condition);                                                                   \
            problems++;                                                                            \
        }                                                                                          \
    } while (0)

static int sum_of_ranks(int ranks)
{
    return ranks * (ranks - 1) / 2;
}

static void large_message(void)
{
    static double mine[LARGE], all[LARGE];

    for (int i = 0; i < LARGE; i++)
        mine[i] = rank + i;
    MPI_Allreduce(mine, all, LARGE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < LARGE; i++)
        CHECK(all[i] == sum_of_ranks(n) + (double)n * i);
    memset(all, 0, sizeof all);
    MPI_Reduce(mine, all, LARGE, MPI_DOUBLE, MPI_MAX, n - 1, MPI_COMM_WORLD);
    for (int i = 0; i < LARGE && rank == n - 1; i++)
        CHECK(all[i] == n - 1 + i);
}

/* Affine maps x -> a x + b, put one after the other. */
struct affine {
    int a, b;
};

static void compose(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const struct affine *first = in;
    struct affine *second = inout;

    (void)type;
    for (int i = 0; i < *length; i++) {
        second[i].b += second[i].a * first[i].b;
        second[i].a *= first[i].a;
    }
}

static void non_commutative_operation(void)
{
    struct affine mine = {2, rank}, all, expected = {1, 0};
    MPI_Datatype type;
    MPI_Op op;

    for (int i = 0; i < n; i++) {
        expected.b = 2 * expected.b + i;
        expected.a *= 2;
    }
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    MPI_Allreduce(&mine, &all, 1, type, op, MPI_COMM_WORLD);
    CHECK(all.a == expected.a && all.b == expected.b);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* Even against odd ranks: each side gets the other's sum. */
static void intercommunicator(void)
{
    MPI_Comm side, between;
    int mine = 100 + rank, theirs = 0, expected = 0;

    for (int i = 1 - rank % 2; i < n; i += 2)
        expected += 100 + i;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &between);
    MPI_Allreduce(&mine, &theirs, 1, MPI_INT, MPI_SUM, between);
    CHECK(theirs == expected);
    MPI_Comm_free(&between);
    MPI_Comm_free(&side);
}

static void one_process(void)
{
    int mine = rank + 5, all = 0;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    CHECK(all == mine);
}

/* A predefined operation takes no derived type, also if that is a double with a gap behind it. */
static void derived_type(void)
{
    double mine[8], all[8];
    MPI_Datatype pair;

    for (int i = 0; i < 8; i++) {
        mine[i] = rank;
        all[i] = -1;
    }
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &pair);
    MPI_Type_commit(&pair);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Allreduce(mine, all, 4, pair, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    for (int i = 0; i < 8; i++)
        CHECK(all[i] == -1);
    MPI_Type_free(&pair);
}

static void add_one(void *in, void *inout, int *length, MPI_Datatype *type)
{
    MPI_Aint at, extent;

    MPI_Type_get_true_extent(*type, &at, &extent);
    if (*length == 1)
        *(int *)((char *)inout + at) += *(int *)((char *)in + at);
}

static void absolute_address(void)
{
    int mine = rank;
    MPI_Datatype there;
    MPI_Aint address;
    MPI_Op op;

    MPI_Get_address(&mine, &address);
    MPI_Type_create_hindexed_block(1, 1, &address, MPI_INT, &there);
    MPI_Type_commit(&there);
    MPI_Op_create(add_one, 1, &op);
    MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, there, op, MPI_COMM_WORLD);
    CHECK(mine == sum_of_ranks(n));
    MPI_Op_free(&op);
    MPI_Type_free(&there);
}

/* Wrong calls are native MPI's to judge: it says what is wrong. */
static void wrong_arguments(void)
{
    bool can = native_refuses_no_datatype();
    int mine = 1, all = 0, class;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, n, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_ROOT);
    MPI_Error_class(MPI_Allreduce(&mine, &all, 1, can ? MPI_DATATYPE_NULL : MPI_INT,
                                  can ? MPI_SUM : MPI_OP_NULL, MPI_COMM_WORLD),
                    &class);
    CHECK(class != MPI_SUCCESS);
    MPI_Error_class(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_OP);
    MPI_Error_class(MPI_Allreduce(&mine, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), &class);
    CHECK(class == MPI_ERR_BUFFER);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void protected_call(void)
{
    int mine = rank, all = 0;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == sum_of_ranks(n));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    large_message();
    non_commutative_operation();
    intercommunicator();
    one_process();
    derived_type();
    absolute_address();
    wrong_arguments();
    protected_call();
    MPI_Finalize();
    if (problems == 0 && rank == 0)
        printf("fallback: all results are right\n");
    return problems > 0;
}
