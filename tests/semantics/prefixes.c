/* prefixes: scan, exscan and reduce_scatter, and all reductions with operations that are not
 * commutative, or not associative to the last bit: the order and the brackets are native MPI's.
 * Scans and reduce_scatter also in their nonblocking and persistent forms. */
#include "forms.h"
#include "output.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 5, RANKS_MAX = 8, FORMS = 4 };

static int rank, n;
static MPI_Comm comm;

union values {
    double d[RANKS_MAX * COUNT];
    int i[2 * RANKS_MAX * COUNT];
};
static union values in, out;

/* Sums of these depend on the brackets. */
static void fill_doubles(int seed)
{
    for (int i = 0; i < RANKS_MAX * COUNT; i++) {
        in.d[i] = 1.0 / (3 + rank * 7 + i) + (rank == 1 ? 1e16 : 0) - (rank == 2 ? 1e16 : 0) + seed;
        out.d[i] = -rank - 1;
    }
}

static void fill_ints(int seed)
{
    for (int i = 0; i < 2 * RANKS_MAX * COUNT; i++) {
        in.i[i] = (rank + 2) * 1000 + i * 17 + seed;
        out.i[i] = -rank - 1;
    }
}

/* Neither commutative nor associative. */
static void mix(void *left, void *right, int *count, MPI_Datatype *datatype)
{
    int size;

    MPI_Type_size(*datatype, &size);
    for (int i = 0; i < *count * size / (int)sizeof(int); i++)
        ((int *)right)[i] = (((int *)left)[i] * 31 + ((int *)right)[i] * 7 + 5) % 1000003;
}

/* Of two ints with a gap between them. */
static void mix_spread(void *left, void *right, int *count, MPI_Datatype *datatype)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(*datatype, &lb, &extent);
    for (int i = 0; i < *count; i++)
        for (int k = 0; k < 2; k++) {
            int *l = (int *)((char *)left + i * extent) + 2 * k;
            int *r = (int *)((char *)right + i * extent) + 2 * k;

            *r = (*l * 31 + *r * 7 + 5) % 1000003;
        }
}

static void show(const char *call, const char *op, int number, int rv)
{
    char what[128];

    snprintf(what, sizeof what, "%s %s %d", call, op, number);
    output_result(what, rv, &out, sizeof out);
}

#define CALL(form, name, Iname, ...)                                                               \
    FORM_CALL(form, comm, n, name, Iname, (__VA_ARGS__), (__VA_ARGS__))

static void (*fill)(int seed);

/* In MPICH nonblocking scans have other brackets than blocking ones, so those with operations for
 * which that matters are left out (@forms). */
static void scans(const char *name, int count, MPI_Datatype type, MPI_Op op, int forms)
{
    for (int form = 0; form < forms; form++) {
        fill(form);
        show("scan", name, form, CALL(form, Scan, Iscan, &in, &out, count, type, op));
        fill(form + 1);
        out = in;
        show("scan in place", name, form,
             CALL(form, Scan, Iscan, MPI_IN_PLACE, &out, count, type, op));
        fill(form + 2);
        show("exscan", name, form, CALL(form, Exscan, Iexscan, &in, &out, count, type, op));
        if (rank == 0) /* which MPI leaves undefined */
            continue;
        fill(form + 3);
    }
}

static void parts(const char *name, MPI_Datatype type, MPI_Op op, int forms)
{
    int counts[RANKS_MAX];
    MPI_Count wide[RANKS_MAX];

    for (int i = 0; i < n; i++)
        wide[i] = counts[i] = (i * 2 + 1) % 4;
    for (int form = 0; form < forms; form++) {
        int rv;

        fill(form);
        rv = FORM_CALL(form, comm, n, Reduce_scatter, Ireduce_scatter,
                       (&in, &out, LENT(counts), type, op), (&in, &out, LENT(wide), type, op));
        show("reduce_scatter", name, form, rv);
        fill(form + 1);
        show("reduce_scatter_block", name, form,
             CALL(form, Reduce_scatter_block, Ireduce_scatter_block, &in, &out, 2, type, op));
        show("reduce_scatter_block of nothing", name, form,
             CALL(form, Reduce_scatter_block, Ireduce_scatter_block, &in, &out, 0, type, op));
    }
}

/* Only the first elements of the buffer are the result. */
static void parts_in_place(const char *name, MPI_Datatype type, MPI_Op op, size_t element_bytes)
{
    int counts[RANKS_MAX], rv;
    char what[128];

    for (int i = 0; i < n; i++)
        counts[i] = 1 + i % 3;
    fill(1);
    out = in;
    rv = MPI_Reduce_scatter(MPI_IN_PLACE, &out, counts, type, op, comm);
    snprintf(what, sizeof what, "reduce_scatter in place %s", name);
    output_result(what, rv, &out, (size_t)counts[rank] * element_bytes);
    fill(2);
    out = in;
    rv = MPI_Reduce_scatter_block(MPI_IN_PLACE, &out, 3, type, op, comm);
    snprintf(what, sizeof what, "reduce_scatter_block in place %s", name);
    output_result(what, rv, &out, 3 * element_bytes);
}

static void reductions(const char *name, int count, MPI_Datatype type, MPI_Op op)
{
    for (int root = 0; root < n; root++) {
        fill(root);
        show("reduce", name, root, MPI_Reduce(&in, &out, count, type, op, root, comm));
        fill(root + 1);
        out = in;
        show("reduce in place", name, root,
             rank == root ? MPI_Reduce(MPI_IN_PLACE, &out, count, type, op, root, comm)
                          : MPI_Reduce(&in, NULL, count, type, op, root, comm));
    }
    fill(3);
    show("allreduce", name, 0, MPI_Allreduce(&in, &out, count, type, op, comm));
    fill(4);
    out = in;
    show("allreduce in place", name, 0, MPI_Allreduce(MPI_IN_PLACE, &out, count, type, op, comm));
    fill(5);
    show("allreduce_c", name, 0, MPI_Allreduce_c(&in, &out, count, type, op, comm));
}

static void in_order(void)
{
    MPI_Datatype spread, wide;
    MPI_Op op;

    fill = fill_ints;
    MPI_Op_create(mix, 0, &op);
    reductions("mix", COUNT, MPI_INT, op);
    scans("mix", COUNT, MPI_INT, op, 2);
    parts("mix", MPI_INT, op, 2);
    parts_in_place("mix", MPI_INT, op, sizeof(int));
    MPI_Op_free(&op);
    MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
    MPI_Type_create_resized(spread, 0, 3 * sizeof(int), &wide);
    MPI_Type_commit(&wide);
    MPI_Op_create(mix_spread, 0, &op);
    reductions("mix with gaps", 3, wide, op);
    scans("mix with gaps", 3, wide, op, 2);
    parts("mix with gaps", wide, op, 2);
    MPI_Op_free(&op);
    MPI_Type_free(&wide);
    MPI_Type_free(&spread);
}

static void numbers(void)
{
    fill = fill_doubles;
    scans("sum of doubles", COUNT, MPI_DOUBLE, MPI_SUM, 2);
    scans("largest double", COUNT, MPI_DOUBLE, MPI_MAX, FORMS);
    parts("largest double", MPI_DOUBLE, MPI_MAX, FORMS);
    fill = fill_ints;
    scans("sum", COUNT, MPI_INT, MPI_SUM, FORMS);
    scans("least, where", COUNT, MPI_2INT, MPI_MINLOC, FORMS);
    scans("sum of nothing", 0, MPI_INT, MPI_SUM, FORMS);
    parts("sum", MPI_INT, MPI_SUM, FORMS);
    parts_in_place("sum", MPI_INT, MPI_SUM, sizeof(int));
    parts("bits", MPI_INT, MPI_BXOR, FORMS);
}

static void on(MPI_Comm which)
{
    comm = which;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    in_order();
    numbers();
}

int main(int argc, char **argv)
{
    MPI_Comm backwards;

    output_init(argc, argv, &rank, &n);
    on(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    on(backwards);
    MPI_Comm_free(&backwards);
    on(MPI_COMM_SELF);
    output_close();
    MPI_Finalize();
    return 0;
}
