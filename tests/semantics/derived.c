/* derived: reductions and broadcasts of derived datatypes with gaps, negative lower bounds and
 * changed extents. What lies in the gaps must stay as it is, and send buffers too. */
#include "output.h"

#include <stdio.h>
#include <string.h>

enum { ELEMENTS = 4, INTS_MAX = 8, MEMORY_INTS = 128, ORIGIN = 40, GAP = 0xa5, OWN_GAP = 0x3c };

/* The ints of one element, as byte displacements, and how far the next element is. */
struct layout {
    const char *name;
    MPI_Datatype datatype;
    int count, displacement[INTS_MAX];
    MPI_Aint extent;
};

static struct layout current; /* what the user operation gets */
static int rank, n, misled;

static void add(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    misled += *datatype != current.datatype;
    for (int e = 0; e < *count; e++)
        for (int i = 0; i < current.count; i++) {
            MPI_Aint at = e * current.extent + current.displacement[i];

            *(int *)((char *)inout + at) += *(int *)((char *)in + at);
        }
}

static void fill(int *memory, int number)
{
    memset(memory, GAP, MEMORY_INTS * sizeof *memory);
    for (int e = 0; e < ELEMENTS; e++)
        for (int i = 0; i < current.count; i++)
            *(int *)((char *)(memory + ORIGIN) + e * current.extent + current.displacement[i]) =
                (rank + 1) * 1000 + number * 100 + e * 10 + i;
}

static void show(const char *call, int rv, const int *memory)
{
    char what[128];

    snprintf(what, sizeof what, "%s %s", call, current.name);
    output_result(what, rv, memory, MEMORY_INTS * sizeof *memory);
}

static void reduce(MPI_Op op, const char *op_name)
{
    int in[MEMORY_INTS], out[MEMORY_INTS], copy[MEMORY_INTS], root = n - 1, rv;

    output_line("%s", op_name);
    fill(in, 1);
    memcpy(copy, in, sizeof in);
    memset(out, OWN_GAP, sizeof out);
    rv = MPI_Allreduce(in + ORIGIN, out + ORIGIN, ELEMENTS, current.datatype, op, MPI_COMM_WORLD);
    show("allreduce", rv, out);
    memset(out, OWN_GAP, sizeof out);
    rv =
        MPI_Reduce(in + ORIGIN, out + ORIGIN, ELEMENTS, current.datatype, op, root, MPI_COMM_WORLD);
    show("reduce", rv, out);
    output_line("send buffer %s", memcmp(in, copy, sizeof in) == 0 ? "as it was" : "written");
    rv = MPI_Allreduce(MPI_IN_PLACE, in + ORIGIN, ELEMENTS, current.datatype, op, MPI_COMM_WORLD);
    show("allreduce in place", rv, in);
}

/* Odd ranks describe the same ints as a contiguous array. */
static void broadcast(void)
{
    int memory[MEMORY_INTS], root = 0, rv;

    fill(memory, rank == root ? 7 : 0);
    if (rank % 2)
        rv = MPI_Bcast(memory, ELEMENTS * current.count, MPI_INT, root, MPI_COMM_WORLD);
    else
        rv = MPI_Bcast(memory + ORIGIN, ELEMENTS, current.datatype, root, MPI_COMM_WORLD);
    show("bcast", rv, memory);
}

/* Frees the datatype: the next one can get its handle. */
static void examine(const char *name, MPI_Datatype datatype, int count, const int *displacement,
                    MPI_Op op)
{
    MPI_Aint lb;

    current = (struct layout){.name = name, .datatype = datatype, .count = count};
    memcpy(current.displacement, displacement, (size_t)count * sizeof *displacement);
    MPI_Type_get_extent(datatype, &lb, &current.extent);
    MPI_Type_commit(&datatype);
    output_line("%s: extent %ld, lower bound %ld", name, (long)current.extent, (long)lb);
    reduce(op, "user operation");
    broadcast();
    MPI_Type_free(&datatype);
}

static MPI_Datatype resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Datatype new;

    MPI_Type_create_resized(old, lb, extent, &new);
    MPI_Type_free(&old);
    return new;
}

static MPI_Datatype hindexed(int count, const int *displacement)
{
    MPI_Aint address[INTS_MAX];
    MPI_Datatype new;

    for (int i = 0; i < count; i++)
        address[i] = displacement[i];
    MPI_Type_create_hindexed_block(count, 1, address, MPI_INT, &new);
    return new;
}

#define EXAMINE(name, datatype, ...)                                                               \
    {                                                                                              \
        static const int displacement[] = {__VA_ARGS__};                                           \
        examine(name, datatype, sizeof displacement / sizeof *displacement, displacement, op);     \
    }

static void all_layouts(MPI_Op op)
{
    static const int below[] = {-16, -4, 8}, apart[] = {0, 16}, backward[] = {12, 0, 20};
    static const int size[] = {4, 4}, part[] = {2, 2}, start[] = {1, 1};
    MPI_Datatype t, inner;

    MPI_Type_contiguous(3, MPI_INT, &t);
    EXAMINE("contiguous", t, 0, 4, 8)
    MPI_Type_vector(3, 2, 4, MPI_INT, &t);
    EXAMINE("vector with gaps", t, 0, 4, 16, 20, 32, 36)
    MPI_Type_vector(3, 1, -2, MPI_INT, &t);
    EXAMINE("vector backward", t, 0, -8, -16)
    EXAMINE("negative lower bound", hindexed(3, below), -16, -4, 8)
    EXAMINE("blocks out of order", hindexed(3, backward), 12, 0, 20)
    MPI_Type_contiguous(2, MPI_INT, &t);
    EXAMINE("longer extent", resized(t, 0, 24), 0, 4)
    MPI_Type_contiguous(2, MPI_INT, &t);
    EXAMINE("lower bound moved down", resized(t, -8, 20), 0, 4)
    MPI_Type_contiguous(2, MPI_INT, &t);
    EXAMINE("lower bound moved up", resized(t, 4, 16), 0, 4)
    EXAMINE("elements interleaved", resized(hindexed(2, apart), 0, 4), 0, 16)
    MPI_Type_create_subarray(2, size, part, start, MPI_ORDER_C, MPI_INT, &t);
    EXAMINE("subarray", t, 20, 24, 36, 40)
    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    MPI_Type_create_hvector(2, 1, 20, inner, &t);
    MPI_Type_free(&inner);
    EXAMINE("vector of vectors", t, 0, 8, 20, 28)
    MPI_Type_dup(MPI_INT, &t);
    EXAMINE("duplicate of MPI_INT", t, 0)
}

/* MPI wants predefined operations on predefined datatypes only. */
static void predefined_operation(void)
{
    MPI_Datatype t;
    static const int displacement[] = {0, 4};

    MPI_Type_contiguous(2, MPI_INT, &t);
    examine("predefined operation", t, 2, displacement, MPI_SUM);
}

int main(int argc, char **argv)
{
    MPI_Op op;

    output_init(argc, argv, &rank, &n);
    MPI_Op_create(add, 1, &op);
    all_layouts(op);
    predefined_operation();
    output_line("operations called with another datatype: %d", misled);
    MPI_Op_free(&op);
    output_close();
    MPI_Finalize();
    return 0;
}
