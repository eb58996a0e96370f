/* Kernels, made by macros: one loop each, which a compiler can vectorise. x is the element of
 * "inout" and y that of "in". */
#include "kernels.h"

#include <complex.h>
#include <stdint.h>

/* Attributes of values in messages, whose memory has no type and any alignment. */
#define ANY_TYPE      __attribute__((may_alias))
#define ANY_ALIGNMENT __attribute__((aligned(1)))

#define KERNEL(name, type, expression)                                                             \
    static void name(void *restrict into, const void *restrict from, size_t count)                 \
    {                                                                                              \
        typedef type ANY_TYPE ANY_ALIGNMENT value;                                                 \
        value *restrict a = into;                                                                  \
        const value *restrict b = from;                                                            \
                                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            const type x = a[i], y = b[i];                                                         \
                                                                                                   \
            a[i] = (type)(expression);                                                             \
        }                                                                                          \
    }

/* Kernels of MPI_MIN and MPI_MAX. Comparisons with a NaN are false, so the result is y, as in
 * native MPI. */
#define ORDER_KERNELS(suffix, type)                                                                \
    KERNEL(min_##suffix, type, x < y ? x : y)                                                      \
    KERNEL(max_##suffix, type, x > y ? x : y)

/* "1u *" keeps narrow types from being promoted to int, whose overflow is undefined. */
#define INTEGER_KERNELS(bits)                                                                      \
    KERNEL(sum_u##bits, uint##bits##_t, 1u * x + y)                                                \
    KERNEL(prod_u##bits, uint##bits##_t, 1u * x * y)                                               \
    KERNEL(land_u##bits, uint##bits##_t, (x != 0) & (y != 0))                                      \
    KERNEL(lor_u##bits, uint##bits##_t, (x != 0) | (y != 0))                                       \
    KERNEL(lxor_u##bits, uint##bits##_t, (x != 0) ^ (y != 0))                                      \
    KERNEL(band_u##bits, uint##bits##_t, (x & y))                                                  \
    KERNEL(bor_u##bits, uint##bits##_t, (x | y))                                                   \
    KERNEL(bxor_u##bits, uint##bits##_t, (x ^ y))                                                  \
    ORDER_KERNELS(u##bits, uint##bits##_t)                                                         \
    ORDER_KERNELS(i##bits, int##bits##_t)

#define ARITHMETIC_KERNELS(suffix, type)                                                           \
    KERNEL(sum_##suffix, type, (x + y))                                                            \
    KERNEL(prod_##suffix, type, (x * y))

/* Kernel of MPI_MINLOC or MPI_MAXLOC: of equal values it takes the lower index. It never writes
 * padding. */
#define LOC_KERNEL(name, value_type, index_type, better)                                           \
    static void name(void *restrict into, const void *restrict from, size_t count)                 \
    {                                                                                              \
        struct ANY_TYPE pair {                                                                     \
            value_type value;                                                                      \
            index_type index;                                                                      \
        };                                                                                         \
        typedef struct pair ANY_ALIGNMENT value;                                                   \
        value *restrict a = into;                                                                  \
        const value *restrict b = from;                                                            \
                                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            if (b[i].value better a[i].value) {                                                    \
                a[i].value = b[i].value;                                                           \
                a[i].index = b[i].index;                                                           \
            } else if (b[i].value == a[i].value && !(a[i].index < b[i].index)) {                   \
                a[i].index = b[i].index;                                                           \
            }                                                                                      \
        }                                                                                          \
    }

#define PAIR_KERNELS(suffix, value_type, index_type)                                               \
    LOC_KERNEL(minloc_##suffix, value_type, index_type, <)                                         \
    LOC_KERNEL(maxloc_##suffix, value_type, index_type, >)

INTEGER_KERNELS(8)
INTEGER_KERNELS(16)
INTEGER_KERNELS(32)
INTEGER_KERNELS(64)

ARITHMETIC_KERNELS(float, float)
ARITHMETIC_KERNELS(double, double)
ARITHMETIC_KERNELS(long_double, long double)
ORDER_KERNELS(float, float)
ORDER_KERNELS(double, double)
ORDER_KERNELS(long_double, long double)

/* Adds complex numbers. A sum keeps real and imaginary parts apart, so it has a kernel. Products
 * have none, because a compiler's options decide how it rounds their inner sums. */
KERNEL(sum_float_complex, float complex, (x + y))
KERNEL(sum_double_complex, double complex, (x + y))
KERNEL(sum_long_double_complex, long double complex, (x + y))

PAIR_KERNELS(i16_int, int16_t, int)
PAIR_KERNELS(i32_int, int32_t, int)
PAIR_KERNELS(i64_int, int64_t, int)
PAIR_KERNELS(float_int, float, int)
PAIR_KERNELS(double_int, double, int)
PAIR_KERNELS(long_double_int, long double, int)
PAIR_KERNELS(2float, float, float)
PAIR_KERNELS(2double, double, double)

struct family {
    enum ftc_type_class type_class;
    size_t size_bytes;
    ftc_combine_fn kernel[FTC_OPERATOR_COUNT];
};

#define LOGICAL_ENTRIES(bits)                                                                      \
    [FTC_OPERATOR_LAND] = land_u##bits, [FTC_OPERATOR_LOR] = lor_u##bits,                          \
    [FTC_OPERATOR_LXOR] = lxor_u##bits

#define BITWISE_ENTRIES(bits)                                                                      \
    [FTC_OPERATOR_BAND] = band_u##bits, [FTC_OPERATOR_BOR] = bor_u##bits,                          \
    [FTC_OPERATOR_BXOR] = bxor_u##bits

#define ARITHMETIC_ENTRIES(suffix)                                                                 \
    [FTC_OPERATOR_SUM] = sum_##suffix, [FTC_OPERATOR_PROD] = prod_##suffix

#define ORDER_ENTRIES(suffix) [FTC_OPERATOR_MIN] = min_##suffix, [FTC_OPERATOR_MAX] = max_##suffix

#define INTEGER_FAMILIES(bits)                                                                     \
    {FTC_TYPE_SIGNED,                                                                              \
     bits / 8,                                                                                     \
     {ARITHMETIC_ENTRIES(u##bits), ORDER_ENTRIES(i##bits), LOGICAL_ENTRIES(bits),                  \
      BITWISE_ENTRIES(bits)}},                                                                     \
    {                                                                                              \
        FTC_TYPE_UNSIGNED, bits / 8,                                                               \
        {                                                                                          \
            ARITHMETIC_ENTRIES(u##bits), ORDER_ENTRIES(u##bits), LOGICAL_ENTRIES(bits),            \
                BITWISE_ENTRIES(bits)                                                              \
        }                                                                                          \
    }

#define FLOATING_FAMILY(suffix, type)                                                              \
    {                                                                                              \
        FTC_TYPE_FLOATING, sizeof(type),                                                           \
        {                                                                                          \
            ARITHMETIC_ENTRIES(suffix), ORDER_ENTRIES(suffix)                                      \
        }                                                                                          \
    }

#define COMPLEX_FAMILY(suffix, type)                                                               \
    {                                                                                              \
        FTC_TYPE_COMPLEX, sizeof(type),                                                            \
        {                                                                                          \
            [FTC_OPERATOR_SUM] = sum_##suffix                                                      \
        }                                                                                          \
    }

#define PAIR_FAMILY(class, suffix, value_type, index_type)                                         \
    {                                                                                              \
        FTC_TYPE_##class, sizeof(value_type) + sizeof(index_type),                                 \
        {                                                                                          \
            [FTC_OPERATOR_MINLOC] = minloc_##suffix, [FTC_OPERATOR_MAXLOC] = maxloc_##suffix       \
        }                                                                                          \
    }

static const struct family families[] = {
    INTEGER_FAMILIES(8),
    INTEGER_FAMILIES(16),
    INTEGER_FAMILIES(32),
    INTEGER_FAMILIES(64),
    FLOATING_FAMILY(float, float),
    FLOATING_FAMILY(double, double),
    FLOATING_FAMILY(long_double, long double),
    COMPLEX_FAMILY(float_complex, float complex),
    COMPLEX_FAMILY(double_complex, double complex),
    COMPLEX_FAMILY(long_double_complex, long double complex),
    {FTC_TYPE_BOOL, 1, {LOGICAL_ENTRIES(8)}},
    {FTC_TYPE_LOGICAL, 4, {LOGICAL_ENTRIES(32)}},
    {FTC_TYPE_BYTE, 1, {BITWISE_ENTRIES(8)}},
    PAIR_FAMILY(SIGNED_PAIR, i16_int, int16_t, int),
    PAIR_FAMILY(SIGNED_PAIR, i32_int, int32_t, int),
    PAIR_FAMILY(SIGNED_PAIR, i64_int, int64_t, int),
    PAIR_FAMILY(FLOATING_PAIR, float_int, float, int),
    PAIR_FAMILY(FLOATING_PAIR, double_int, double, int),
    PAIR_FAMILY(FLOATING_PAIR, long_double_int, long double, int),
    PAIR_FAMILY(REAL_PAIR, 2float, float, float),
    PAIR_FAMILY(REAL_PAIR, 2double, double, double),
};

const ftc_combine_fn *ftc_combine_kernels(enum ftc_type_class type_class, size_t size_bytes)
{
    static const ftc_combine_fn none[FTC_OPERATOR_COUNT];

    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i].type_class == type_class && families[i].size_bytes == size_bytes)
            return families[i].kernel;
    return none;
}
