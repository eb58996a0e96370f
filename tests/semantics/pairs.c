/* pairs: MPI_MINLOC and MPI_MAXLOC, and the operations that they do not allow, on all pair types,
 * with values that tie on some or all ranks. */
#include "output.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 12 };

/* Of COUNT elements: the value is the same on all ranks, on every other rank, or on none. Ranks
 * with the same value have indices that do not rise with the rank. */
static int value_of(int rank, int i)
{
    static const int differing[] = {3, -7, 11, 0, 5};

    switch (i % 3) {
    case 0:
        return i - 4;
    case 1:
        return rank % 2 ? -i : i;
    default:
        return differing[(rank + i) % 5];
    }
}

static int index_of(int rank, int i)
{
    static const int index[] = {40, -2, 7, 40, 3};

    return index[(rank + i / 3) % 5];
}

static int rank, n;

static void show(const char *type, const char *op, const char *call, int rv, const double *values)
{
    char what[128];

    snprintf(what, sizeof what, "%s %s %s", call, type, op);
    output_result(what, rv, values, 2 * COUNT * sizeof *values);
}

/* For each type the struct that it describes. Values go to the output as doubles, without the
 * padding. */
#define PAIR(datatype, value_type, index_type)                                                     \
    {                                                                                              \
        struct pair {                                                                              \
            value_type value;                                                                      \
            index_type index;                                                                      \
        } in[COUNT], out[COUNT];                                                                   \
                                                                                                   \
        for (int op = 0; op < OP_COUNT; op++)                                                      \
            for (int call = 0; call < 3; call++) {                                                 \
                double values[2 * COUNT] = {0};                                                    \
                int root = (op + n - 1) % n, is_in_place = call == 2, rv;                          \
                                                                                                   \
                memset(in, 0x55, sizeof in);                                                       \
                memset(out, 0, sizeof out);                                                        \
                for (int i = 0; i < COUNT; i++) {                                                  \
                    in[i].value = (value_type)value_of(rank, i);                                   \
                    in[i].index = (index_type)index_of(rank, i);                                   \
                }                                                                                  \
                if (is_in_place)                                                                   \
                    memcpy(out, in, sizeof out);                                                   \
                rv = call == 1                                                                     \
                         ? MPI_Reduce(in, out, COUNT, datatype, ops[op].op, root, MPI_COMM_WORLD)  \
                         : MPI_Allreduce(is_in_place ? MPI_IN_PLACE : in, out, COUNT, datatype,    \
                                         ops[op].op, MPI_COMM_WORLD);                              \
                for (int i = 0; i < COUNT; i++) {                                                  \
                    values[2 * i] = (double)out[i].value;                                          \
                    values[2 * i + 1] = (double)out[i].index;                                      \
                }                                                                                  \
                show(#datatype, ops[op].name, calls[call], rv, values);                            \
            }                                                                                      \
    }

static const char *const calls[] = {"allreduce", "reduce", "allreduce in place"};

static const struct {
    const char *name;
    MPI_Op op;
} ops[] = {{"MPI_MINLOC", MPI_MINLOC},
           {"MPI_MAXLOC", MPI_MAXLOC},
           {"MPI_SUM", MPI_SUM},
           {"MPI_MAX", MPI_MAX},
           {"MPI_BAND", MPI_BAND}};
enum { OP_COUNT = sizeof ops / sizeof *ops };

int main(int argc, char **argv)
{
    output_init(argc, argv, &rank, &n);
    PAIR(MPI_SHORT_INT, short, int)
    PAIR(MPI_2INT, int, int)
    PAIR(MPI_LONG_INT, long, int)
    PAIR(MPI_FLOAT_INT, float, int)
    PAIR(MPI_DOUBLE_INT, double, int)
    PAIR(MPI_LONG_DOUBLE_INT, long double, int)
    PAIR(MPI_2INTEGER, int, int)
    PAIR(MPI_2REAL, float, float)
    PAIR(MPI_2DOUBLE_PRECISION, double, double)
    output_close();
    MPI_Finalize();
    return 0;
}
