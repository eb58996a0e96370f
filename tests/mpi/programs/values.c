#include "values.h"

#include "record.h"

#include <stdbool.h>
#include <string.h>

void (*values_on_combine)(void);

/* One element says that @rank is in the result @count times; the others must agree. */
static int learn(int8_t times[8], int rank, int count)
{
    if (times[rank] != RECORD_UNKNOWN && times[rank] != count)
        return -1;
    times[rank] = (int8_t)count;
    return 0;
}

/* ---- sums: 8 to the power of the rank, shifted by an amount that tells elements and operations
 * apart; exact in every type of 27 bits, and in a float because the shift is an exponent ---- */

static int shift_of(int e, int number)
{
    return (e + number) % 4;
}

static int64_t sum_value(int rank, int e, int number)
{
    return (int64_t)1 << (3 * rank + shift_of(e, number));
}

static int get_sum(int64_t v, const struct values_team *team, int e, int number, int8_t times[8])
{
    int shift = shift_of(e, number);

    if (v < 0 || (v & (((int64_t)1 << shift) - 1)) != 0)
        return -1;
    v >>= shift;
    for (int i = 0; i < team->size; i++) {
        int rank = team->member[i];

        if (learn(times, rank, (int)(v >> (3 * rank)) & 7) != 0)
            return -1;
        v &= ~((int64_t)7 << (3 * rank));
    }
    return v == 0 ? 0 : -1;
}

/* ---- products: a prime a rank ---- */

static const int prime[8] = {2, 3, 5, 7, 11, 13, 17, 19};

static int64_t prod_value(int rank, int e, int number)
{
    (void)e;
    (void)number;
    return prime[rank];
}

static int get_prod(int64_t v, const struct values_team *team, int e, int number, int8_t times[8])
{
    (void)e;
    (void)number;
    if (v <= 0)
        return -1;
    for (int i = 0; i < team->size; i++) {
        int count = 0;

        for (; v % prime[team->member[i]] == 0; v /= prime[team->member[i]])
            count++;
        if (learn(times, team->member[i], count) != 0)
            return -1;
    }
    return v == 1 ? 0 : -1;
}

/* ---- maxima: in each element one rank stands out, so its presence shows ---- */

enum { STAR = 1000 };

static int star_of(const struct values_team *team, int e, int number)
{
    return team->member[(e + number) % team->size];
}

static int64_t max_value(const struct values_team *team, int rank, int e, int number)
{
    return star_of(team, e, number) == rank ? STAR + rank : rank;
}

static int get_max(int64_t v, const struct values_team *team, int e, int number, int8_t times[8])
{
    int star = star_of(team, e, number);

    if (v >= STAR)
        return v == STAR + star ? learn(times, star, 1) : -1;
    if (v < 0 || v >= 8 || v == star)
        return -1;
    return learn(times, star, 0) != 0 ? -1 : learn(times, (int)v, 1);
}

/* ---- bits: a bit a rank ---- */

static int64_t bit_value(int rank, int e, int number)
{
    return (int64_t)1 << (rank + shift_of(e, number));
}

static int get_bits(int64_t v, const struct values_team *team, int e, int number, int8_t times[8])
{
    v = (uint32_t)v;
    for (int i = 0; i < team->size; i++) {
        int64_t bit = bit_value(team->member[i], e, number);

        if (learn(times, team->member[i], (v & bit) != 0) != 0)
            return -1;
        v &= ~bit;
    }
    return v == 0 ? 0 : -1;
}

/* ---- each family in each C type ---- */

#define FAMILY(name, type, value, get_value)                                                       \
    static void put_##name(void *at, const struct values_team *team, int rank, int e, int number)  \
    {                                                                                              \
        type v = (type)(value);                                                                    \
                                                                                                   \
        (void)team;                                                                                \
        (void)e;                                                                                   \
        (void)number;                                                                              \
        memcpy(at, &v, sizeof v);                                                                  \
    }                                                                                              \
    static int get_##name(const void *at, const struct values_team *team, int e, int number,       \
                          int8_t times[8])                                                         \
    {                                                                                              \
        type v;                                                                                    \
                                                                                                   \
        memcpy(&v, at, sizeof v);                                                                  \
        if ((type)(int64_t)v != v)                                                                 \
            return -1;                                                                             \
        return get_value;                                                                          \
    }

#define SUM(name, type)                                                                            \
    FAMILY(name, type, sum_value(rank, e, number), get_sum((int64_t)v, team, e, number, times))
#define PROD(name, type)                                                                           \
    FAMILY(name, type, prod_value(rank, e, number), get_prod((int64_t)v, team, e, number, times))
#define BITS(name, type)                                                                           \
    FAMILY(name, type, bit_value(rank, e, number), get_bits((int64_t)v, team, e, number, times))

SUM(sum_int, int)
SUM(sum_int64, int64_t)
SUM(sum_float, float)
SUM(sum_double, double)
PROD(prod_int64, int64_t)
PROD(prod_double, double)
BITS(bits_uint32, uint32_t)
FAMILY(max_int, int, max_value(team, rank, e, number), get_max((int64_t)v, team, e, number, times))
FAMILY(max_double, double, max_value(team, rank, e, number),
       get_max((int64_t)v, team, e, number, times))
FAMILY(min_double, double, -max_value(team, rank, e, number),
       get_max(-(int64_t)v, team, e, number, times))

/* ---- a value and where it is ---- */

struct double_int {
    double value;
    int rank;
};

static void put_maxloc(void *at, const struct values_team *team, int rank, int e, int number)
{
    struct double_int v = {(double)max_value(team, rank, e, number), rank};

    memcpy(at, &v, sizeof v);
}

static int get_maxloc(const void *at, const struct values_team *team, int e, int number,
                      int8_t times[8])
{
    struct double_int v;

    memcpy(&v, at, sizeof v);
    if (v.rank < 0 || v.rank >= 8 || v.value != (double)max_value(team, v.rank, e, number))
        return -1;
    return get_max((int64_t)v.value, team, e, number, times);
}

/* ---- a user-defined operation on a derived type: a sum beside a product ---- */

struct pair {
    double sum;
    int64_t product;
};

static void combine_pairs(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const struct pair *from = in;
    struct pair *into = inout;

    (void)type;
    if (values_on_combine)
        values_on_combine();
    for (int i = 0; i < *length; i++) {
        into[i].sum += from[i].sum;
        into[i].product *= from[i].product;
    }
}

static void put_pair(void *at, const struct values_team *team, int rank, int e, int number)
{
    struct pair v = {(double)sum_value(rank, e, number), prod_value(rank, e, number)};

    (void)team;
    memcpy(at, &v, sizeof v);
}

static int get_pair(const void *at, const struct values_team *team, int e, int number,
                    int8_t times[8])
{
    struct pair v;

    memcpy(&v, at, sizeof v);
    if (get_sum((int64_t)v.sum, team, e, number, times) != 0)
        return -1;
    return get_prod(v.product, team, e, number, times);
}

static void make_user_kind(struct values_kind *kind)
{
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {offsetof(struct pair, sum), offsetof(struct pair, product)};
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT64_T};

    *kind =
        (struct values_kind){"user-defined operation on a structure", .bytes = sizeof(struct pair),
                             .used = sizeof(struct pair), .put = put_pair, .get = get_pair};
    MPI_Type_create_struct(2, lengths, places, types, &kind->type);
    MPI_Type_commit(&kind->type);
    MPI_Op_create(combine_pairs, 1, &kind->op);
}

static struct values_kind kinds[VALUES_COUNT];

const struct values_kind *values_kinds(void)
{
    const struct values_kind predefined[VALUES_COUNT - 1] = {
        {"MPI_INT sum", MPI_INT, MPI_SUM, sizeof(int), sizeof(int), put_sum_int, get_sum_int},
        {"MPI_INT64_T sum", MPI_INT64_T, MPI_SUM, 8, 8, put_sum_int64, get_sum_int64},
        {"MPI_FLOAT sum", MPI_FLOAT, MPI_SUM, sizeof(float), sizeof(float), put_sum_float,
         get_sum_float},
        {"MPI_DOUBLE sum", MPI_DOUBLE, MPI_SUM, sizeof(double), sizeof(double), put_sum_double,
         get_sum_double},
        {"MPI_INT64_T product", MPI_INT64_T, MPI_PROD, 8, 8, put_prod_int64, get_prod_int64},
        {"MPI_DOUBLE product", MPI_DOUBLE, MPI_PROD, 8, 8, put_prod_double, get_prod_double},
        {"MPI_UINT32_T bit or", MPI_UINT32_T, MPI_BOR, 4, 4, put_bits_uint32, get_bits_uint32},
        {"MPI_UINT32_T exclusive or", MPI_UINT32_T, MPI_BXOR, 4, 4, put_bits_uint32,
         get_bits_uint32},
        {"MPI_INT maximum", MPI_INT, MPI_MAX, sizeof(int), sizeof(int), put_max_int, get_max_int},
        {"MPI_DOUBLE maximum", MPI_DOUBLE, MPI_MAX, 8, 8, put_max_double, get_max_double},
        {"MPI_DOUBLE minimum", MPI_DOUBLE, MPI_MIN, 8, 8, put_min_double, get_min_double},
        {"MPI_DOUBLE_INT maxloc", MPI_DOUBLE_INT, MPI_MAXLOC, sizeof(struct double_int), 12,
         put_maxloc, get_maxloc},
        {"MPI_UNSIGNED sum", MPI_UNSIGNED, MPI_SUM, sizeof(int), sizeof(int), put_sum_int,
         get_sum_int},
        {"MPI_LONG sum", MPI_LONG, MPI_SUM, sizeof(long), sizeof(long), put_sum_int64,
         get_sum_int64},
    };

    if (!kinds[VALUES_USER].name) {
        make_user_kind(&kinds[VALUES_USER]);
        memcpy(kinds + 1, predefined, sizeof predefined);
    }
    return kinds;
}

void values_end(void)
{
    if (!kinds[VALUES_USER].name)
        return;
    MPI_Type_free(&kinds[VALUES_USER].type);
    MPI_Op_free(&kinds[VALUES_USER].op);
    kinds[VALUES_USER].name = NULL;
}

void values_fill(const struct values_kind *kind, void *buffer, int count,
                 const struct values_team *team, int rank, int number)
{
    memset(buffer, 0, (size_t)count * kind->bytes);
    for (int e = 0; e < count; e++)
        kind->put((char *)buffer + (size_t)e * kind->bytes, team, rank, e, number);
}

const char *values_read(const struct values_kind *kind, const void *buffer, int count,
                        const struct values_team *team, int number, int8_t times[8])
{
    memset(times, RECORD_UNKNOWN, 8);
    for (int e = 0; e < count; e++)
        if (kind->get((const char *)buffer + (size_t)e * kind->bytes, team, e, number, times) != 0)
            return "the elements contradict each other or are no possible result";
    return NULL;
}
