/* userops: operations of the program's own, commutative and not, also ones that look at their
 * datatype argument, and handles that are freed and used again for another operation. */
#include "output.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 5, MODULUS = 10007 };

struct matrix {
    int a[2][2];
};

static int rank, n, misled, keyval;
static MPI_Datatype expected; /* what the operation must be told */

static void multiply(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    const struct matrix *left = in;
    struct matrix *right = inout;

    misled += *datatype != expected;
    for (int e = 0; e < *count; e++) {
        struct matrix product = {0};

        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                for (int k = 0; k < 2; k++)
                    product.a[i][j] =
                        (product.a[i][j] + left[e].a[i][k] * right[e].a[k][j]) % MODULUS;
        right[e] = product;
    }
}

/* Adds whatever it is given, by what it is told of it. */
static void add_any(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    int ints, addresses, types, combiner, size;

    misled += *datatype != expected;
    MPI_Type_get_envelope(*datatype, &ints, &addresses, &types, &combiner);
    MPI_Type_size(*datatype, &size);
    if (combiner == MPI_COMBINER_NAMED && *datatype == MPI_DOUBLE)
        for (int i = 0; i < *count; i++)
            ((double *)inout)[i] += ((double *)in)[i];
    else if (combiner == MPI_COMBINER_NAMED && *datatype == MPI_SHORT)
        for (int i = 0; i < *count; i++)
            ((short *)inout)[i] += ((short *)in)[i];
    else if (combiner == MPI_COMBINER_CONTIGUOUS)
        for (int i = 0; i < *count * size / (int)sizeof(int); i++)
            ((int *)inout)[i] += ((int *)in)[i];
    else
        misled++;
}

/* The factor is the datatype's attribute. */
static void scale_by_attribute(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    int *factor, found;

    MPI_Type_get_attr(*datatype, keyval, &factor, &found);
    if (!found)
        misled++;
    for (int i = 0; found && i < 4 * *count; i++)
        ((int *)inout)[i] = ((int *)inout)[i] | (((int *)in)[i] & *factor);
}

static void largest(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    misled += *datatype != expected;
    for (int i = 0; i < *count; i++)
        if (((int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((int *)in)[i];
}

/* Not commutative, and not exact: keeps the left operand. */
static void first(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    misled += *datatype != expected;
    memcpy(inout, in, (size_t)*count * sizeof(int));
}

static void reduce(const char *name, const void *in, size_t size, MPI_Datatype datatype, MPI_Op op)
{
    unsigned char out[1024];
    char what[128];
    int commutes, rv;

    expected = datatype;
    MPI_Op_commutative(op, &commutes);
    for (int root = 0; root < n; root++) {
        memset(out, 0, sizeof out);
        rv = MPI_Reduce(in, out, COUNT, datatype, op, root, MPI_COMM_WORLD);
        snprintf(what, sizeof what, "reduce to %d, %s, commutes %d", root, name, commutes);
        output_result(what, rv, out, size);
    }
    rv = MPI_Allreduce(in, out, COUNT, datatype, op, MPI_COMM_WORLD);
    snprintf(what, sizeof what, "allreduce, %s, commutes %d", name, commutes);
    output_result(what, rv, out, size);
    memcpy(out, in, size);
    rv = MPI_Allreduce(MPI_IN_PLACE, out, COUNT, datatype, op, MPI_COMM_WORLD);
    output_result("allreduce in place", rv, out, size);
}

static void matrices(MPI_Datatype four_ints)
{
    struct matrix m[COUNT];
    MPI_Op op;

    for (int e = 0; e < COUNT; e++)
        m[e] = (struct matrix){{{rank + 1, 2 * e + 1}, {3 * rank + e, 7}}};
    MPI_Op_create(multiply, 0, &op);
    reduce("matrix product", m, sizeof m, four_ints, op);
    MPI_Op_free(&op);
}

static void looks_at_datatype(MPI_Datatype four_ints)
{
    double doubles[COUNT];
    short shorts[COUNT];
    int ints[4 * COUNT], factor = 0x0ff0;
    MPI_Op op;

    for (int i = 0; i < COUNT; i++) {
        doubles[i] = rank * 0.5 + i;
        shorts[i] = (short)(rank + 10 * i);
    }
    for (int i = 0; i < 4 * COUNT; i++)
        ints[i] = (i + 1) << 3 * rank;
    MPI_Op_create(add_any, 1, &op);
    reduce("sum of what it is told, double", doubles, sizeof doubles, MPI_DOUBLE, op);
    reduce("sum of what it is told, short", shorts, sizeof shorts, MPI_SHORT, op);
    reduce("sum of what it is told, contiguous", ints, sizeof ints, four_ints, op);
    MPI_Op_free(&op);
    for (int i = 0; i < 4 * COUNT; i++)
        ints[i] = factor & (0x10 << (rank + i) % 8); /* only bits that the attribute lets through */
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, NULL);
    MPI_Type_set_attr(four_ints, keyval, &factor);
    MPI_Op_create(scale_by_attribute, 1, &op);
    reduce("bits that the datatype's attribute lets through", ints, sizeof ints, four_ints, op);
    MPI_Op_free(&op);
    MPI_Type_delete_attr(four_ints, keyval);
    MPI_Type_free_keyval(&keyval);
}

/* MPICH gives the handle of a freed operation to the next one. */
static void handles_used_again(void)
{
    int in[COUNT];
    MPI_Op op;

    for (int i = 0; i < COUNT; i++)
        in[i] = (rank * 7 + i * 3) % 11;
    for (int round = 0; round < 3; round++) {
        MPI_Op_create(largest, 1, &op);
        reduce("largest", in, sizeof in, MPI_INT, op);
        MPI_Op_free(&op);
        MPI_Op_create(first, 0, &op);
        reduce("first", in, sizeof in, MPI_INT, op);
        MPI_Op_free(&op);
    }
}

int main(int argc, char **argv)
{
    MPI_Datatype four_ints;

    output_init(argc, argv, &rank, &n);
    MPI_Type_contiguous(4, MPI_INT, &four_ints);
    MPI_Type_commit(&four_ints);
    matrices(four_ints);
    looks_at_datatype(four_ints);
    MPI_Type_free(&four_ints);
    handles_used_again();
    output_line("operations misled: %d", misled);
    output_close();
    MPI_Finalize();
    return 0;
}
