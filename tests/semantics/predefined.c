/* predefined: every predefined operation on every predefined datatype but the pairs (pairs.c),
 * through MPI_Allreduce and MPI_Reduce. Operations that a datatype does not allow must be the same
 * error.
 *
 * The values are such that sums and products are exact, whatever the order of combination. */
#include "output.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 7, ELEMENT_BYTES_MAX = 32 };

enum kind {
    BITS,  /* any pattern */
    TRUTH, /* 0 or 1 */
    FLOATING,
    LONG_DOUBLE, /* 10 bytes of 16 */
    QUAD
};

static const struct type {
    const char *name;
    MPI_Datatype datatype;
    enum kind kind;
    int parts; /* 2: complex */
} types[] = {
#define TYPE(name, kind, parts) {#name, name, kind, parts},
    /* C */
    TYPE(MPI_CHAR, BITS, 1) TYPE(MPI_SIGNED_CHAR, BITS, 1) TYPE(MPI_SHORT, BITS, 1)
        TYPE(MPI_INT, BITS, 1) TYPE(MPI_LONG, BITS, 1) TYPE(MPI_LONG_LONG, BITS, 1)
            TYPE(MPI_UNSIGNED_CHAR, BITS, 1) TYPE(MPI_UNSIGNED_SHORT, BITS, 1)
                TYPE(MPI_UNSIGNED, BITS, 1) TYPE(MPI_UNSIGNED_LONG, BITS, 1)
                    TYPE(MPI_UNSIGNED_LONG_LONG, BITS, 1) TYPE(MPI_FLOAT, FLOATING, 1)
                        TYPE(MPI_DOUBLE, FLOATING, 1) TYPE(MPI_LONG_DOUBLE, LONG_DOUBLE, 1)
                            TYPE(MPI_C_BOOL, TRUTH, 1) TYPE(MPI_C_FLOAT_COMPLEX, FLOATING, 2)
                                TYPE(MPI_C_DOUBLE_COMPLEX, FLOATING, 2)
                                    TYPE(MPI_C_LONG_DOUBLE_COMPLEX, LONG_DOUBLE, 2)
                                        TYPE(MPI_BYTE, BITS, 1) TYPE(MPI_PACKED, BITS, 1)
                                            TYPE(MPI_WCHAR, BITS, 1)
    /* fixed width, and the integers of MPI itself */
    TYPE(MPI_INT8_T, BITS, 1) TYPE(MPI_INT16_T, BITS, 1) TYPE(MPI_INT32_T, BITS, 1)
        TYPE(MPI_INT64_T, BITS, 1) TYPE(MPI_UINT8_T, BITS, 1) TYPE(MPI_UINT16_T, BITS, 1)
            TYPE(MPI_UINT32_T, BITS, 1) TYPE(MPI_UINT64_T, BITS, 1) TYPE(MPI_AINT, BITS, 1)
                TYPE(MPI_OFFSET, BITS, 1) TYPE(MPI_COUNT, BITS, 1)
    /* C++ */
    TYPE(MPI_CXX_BOOL, TRUTH, 1) TYPE(MPI_CXX_FLOAT_COMPLEX, FLOATING, 2)
        TYPE(MPI_CXX_DOUBLE_COMPLEX, FLOATING, 2) TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX, LONG_DOUBLE, 2)
    /* Fortran */
    TYPE(MPI_INTEGER, BITS, 1) TYPE(MPI_INTEGER1, BITS, 1) TYPE(MPI_INTEGER2, BITS, 1)
        TYPE(MPI_INTEGER4, BITS, 1) TYPE(MPI_INTEGER8, BITS, 1) TYPE(MPI_INTEGER16, BITS, 1)
            TYPE(MPI_REAL, FLOATING, 1) TYPE(MPI_DOUBLE_PRECISION, FLOATING, 1)
                TYPE(MPI_REAL4, FLOATING, 1) TYPE(MPI_REAL8, FLOATING, 1) TYPE(MPI_REAL16, QUAD, 1)
                    TYPE(MPI_COMPLEX, FLOATING, 2) TYPE(MPI_DOUBLE_COMPLEX, FLOATING, 2)
                        TYPE(MPI_COMPLEX8, FLOATING, 2) TYPE(MPI_COMPLEX16, FLOATING, 2)
                            TYPE(MPI_COMPLEX32, QUAD, 2) TYPE(MPI_LOGICAL, TRUTH, 1)
                                TYPE(MPI_CHARACTER, BITS, 1)
#undef TYPE
};

static const struct {
    const char *name;
    MPI_Op op;
} ops[] = {
#define OP(name) {#name, name},
    OP(MPI_SUM) OP(MPI_PROD) OP(MPI_MIN) OP(MPI_MAX) OP(MPI_LAND) OP(MPI_LOR) OP(MPI_LXOR)
        OP(MPI_BAND) OP(MPI_BOR) OP(MPI_BXOR) OP(MPI_MINLOC) OP(MPI_MAXLOC) OP(MPI_REPLACE)
            OP(MPI_NO_OP) OP(MPI_OP_NULL)
#undef OP
};

enum { TYPE_COUNT = sizeof types / sizeof *types, OP_COUNT = sizeof ops / sizeof *ops };

static int rank, n;

/* MPICH takes these for allowed and then ends the job by an assertion
 * (src/mpi/coll/op/opland.c, oplor.c): 4.0.2 the types of C, 4.2.1 those of Fortran too. For the
 * same reason MPIX_C_FLOAT16, which is no type of MPI's, is not in the list above. */
static int ends_native_job(const struct type *type, MPI_Op op)
{
    int floats =
        MPICH_NUMVERSION >= 40200000
            ? (type->kind == FLOATING || type->kind == LONG_DOUBLE || type->kind == QUAD) &&
                  type->parts == 1
            : type->datatype == MPI_FLOAT || type->datatype == MPI_DOUBLE ||
                  type->datatype == MPI_LONG_DOUBLE;

    return floats && (op == MPI_LAND || op == MPI_LOR);
}

/* Different in all ranks, parts and elements, but the same in each run. */
static uint64_t pattern(int part)
{
    uint64_t h =
        (uint64_t)(rank + 1) * 0x9e3779b97f4a7c15ull + (uint64_t)part * 0xff51afd7ed558ccdull;

    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9ull;
    h ^= h >> 32;
    switch (h % 5) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    default:
        return h;
    }
}

static void put(unsigned char *to, enum kind kind, size_t size, int part)
{
    static const double number[] = {1, 2, -1, 0.5, -4, 3, 8};
    uint64_t bits = pattern(part);
    double value = number[bits % 7];
    float as_float = (float)value;
    long double as_long = value;
    __float128 as_quad = value;

    switch (kind) {
    case BITS:
        for (size_t i = 0; i < size; i += sizeof bits)
            memcpy(to + i, &bits, size - i < sizeof bits ? size - i : sizeof bits);
        break;
    case TRUTH:
        to[0] = bits >> 7 & 1;
        break;
    case FLOATING:
        memcpy(to, size == sizeof as_float ? (void *)&as_float : (void *)&value, size);
        break;
    case LONG_DOUBLE:
        memcpy(to, &as_long, 10);
        break;
    case QUAD:
        memcpy(to, &as_quad, size);
    }
}

static size_t part_bytes(const struct type *type)
{
    int size;

    MPI_Type_size(type->datatype, &size);
    return (size_t)(size / type->parts);
}

static void fill(unsigned char *buffer, const struct type *type)
{
    size_t size = part_bytes(type);

    memset(buffer, 0, COUNT * ELEMENT_BYTES_MAX);
    for (int i = 0; i < COUNT * type->parts; i++)
        put(buffer + (size_t)i * size, type->kind, size, i);
}

static void show(const char *call, const struct type *type, int op, int rv, unsigned char *result)
{
    size_t size = part_bytes(type);
    char what[128];

    for (int i = 0; type->kind == LONG_DOUBLE && rv == MPI_SUCCESS && i < COUNT * type->parts; i++)
        memset(result + (size_t)i * size + 10, 0, size - 10);
    snprintf(what, sizeof what, "%s %s %s", call, type->name, ops[op].name);
    output_result(what, rv, result, COUNT * size * (size_t)type->parts);
}

static void reduce(const struct type *type, int op)
{
    static unsigned char in[COUNT * ELEMENT_BYTES_MAX], out[COUNT * ELEMENT_BYTES_MAX];
    int root = op % n, rv;

    fill(in, type);
    memset(out, 0, sizeof out);
    rv = MPI_Allreduce(in, out, COUNT, type->datatype, ops[op].op, MPI_COMM_WORLD);
    show("allreduce", type, op, rv, out);
    memset(out, 0, sizeof out);
    rv = MPI_Reduce(in, out, COUNT, type->datatype, ops[op].op, root, MPI_COMM_WORLD);
    show("reduce", type, op, rv, out);
}

int main(int argc, char **argv)
{
    output_init(argc, argv, &rank, &n);
    for (int t = 0; t < TYPE_COUNT; t++) {
        if (types[t].datatype == MPI_DATATYPE_NULL) {
            output_line("%s: not in this MPI library", types[t].name);
            continue;
        }
        for (int op = 0; op < OP_COUNT; op++)
            if (!ends_native_job(&types[t], ops[op].op))
                reduce(&types[t], op);
    }
    output_close();
    MPI_Finalize();
    return 0;
}
