#include "combine.h"

#include <stdint.h>

typedef unsigned short ushort_t;
typedef unsigned int uint_t;
typedef unsigned long ulong_t;
typedef long long llong_t;
typedef unsigned long long ullong_t;

/* Integers are added and multiplied without sign, so that an overflow wraps. */
#define KERNEL(name, element, arithmetic, expression)                                              \
    static void name(void *into, const void *from, size_t count)                                   \
    {                                                                                              \
        element *restrict inout = into;                                                            \
        const element *restrict in = from;                                                         \
                                                                                                   \
        for (size_t i = 0; i < count; i++) {                                                       \
            arithmetic a = (arithmetic)inout[i], b = (arithmetic)in[i];                            \
                                                                                                   \
            inout[i] = (element)(expression);                                                      \
        }                                                                                          \
    }

#define ORDER_KERNELS(element)                                                                     \
    KERNEL(max_##element, element, element, a > b ? a : b)                                         \
    KERNEL(min_##element, element, element, a < b ? a : b)

#define FLOAT_KERNELS(element)                                                                     \
    ORDER_KERNELS(element)                                                                         \
    KERNEL(sum_##element, element, element, a + b)                                                 \
    KERNEL(prod_##element, element, element, a *b)

#define BIT_KERNELS(element)                                                                       \
    KERNEL(band_##element, element, element, a &b)                                                 \
    KERNEL(bor_##element, element, element, a | b)                                                 \
    KERNEL(bxor_##element, element, element, a ^ b)

#define INTEGER_KERNELS(element, wrapping)                                                         \
    ORDER_KERNELS(element)                                                                         \
    BIT_KERNELS(element)                                                                           \
    KERNEL(sum_##element, element, wrapping, a + b)                                                \
    KERNEL(prod_##element, element, wrapping, a *b)                                                \
    KERNEL(land_##element, element, element, a &&b)                                                \
    KERNEL(lor_##element, element, element, a || b)                                                \
    KERNEL(lxor_##element, element, element, !a != !b)

/* clang-format off */
INTEGER_KERNELS(int8_t, uint32_t)
INTEGER_KERNELS(uint8_t, uint32_t)
INTEGER_KERNELS(int16_t, uint32_t)
INTEGER_KERNELS(uint16_t, uint32_t)
INTEGER_KERNELS(int32_t, uint32_t)
INTEGER_KERNELS(uint32_t, uint32_t)
INTEGER_KERNELS(int64_t, uint64_t)
INTEGER_KERNELS(uint64_t, uint64_t)
INTEGER_KERNELS(short, uint32_t)
INTEGER_KERNELS(ushort_t, uint32_t)
INTEGER_KERNELS(int, uint32_t)
INTEGER_KERNELS(uint_t, uint32_t)
INTEGER_KERNELS(long, ulong_t)
INTEGER_KERNELS(ulong_t, ulong_t)
INTEGER_KERNELS(llong_t, ullong_t)
INTEGER_KERNELS(ullong_t, ullong_t)
FLOAT_KERNELS(float)
FLOAT_KERNELS(double)
/* clang-format on */

struct kernels {
    ftc_combine_fn op[FTC_OP_INDICES];
};

#define ORDER_ROWS(element) [FTC_OP_MAX] = max_##element, [FTC_OP_MIN] = min_##element
#define BIT_ROWS(element)                                                                          \
    [FTC_OP_BAND] = band_##element, [FTC_OP_BOR] = bor_##element, [FTC_OP_BXOR] = bxor_##element
#define FLOAT_ROWS(element)                                                                        \
    {                                                                                              \
        {                                                                                          \
            ORDER_ROWS(element), [FTC_OP_SUM] = sum_##element, [FTC_OP_PROD] = prod_##element      \
        }                                                                                          \
    }
#define INTEGER_ROWS(element)                                                                      \
    {                                                                                              \
        {                                                                                          \
            ORDER_ROWS(element),                                                                   \
                BIT_ROWS(element), [FTC_OP_SUM] = sum_##element, [FTC_OP_PROD] = prod_##element,   \
                                   [FTC_OP_LAND] = land_##element, [FTC_OP_LOR] = lor_##element,   \
                                   [FTC_OP_LXOR] = lxor_##element                                  \
        }                                                                                          \
    }

static const struct kernels of_NONE = {{0}};
static const struct kernels of_BYTE = {{BIT_ROWS(uint8_t)}};
static const struct kernels of_int8_t = INTEGER_ROWS(int8_t);
static const struct kernels of_uint8_t = INTEGER_ROWS(uint8_t);
static const struct kernels of_int16_t = INTEGER_ROWS(int16_t);
static const struct kernels of_uint16_t = INTEGER_ROWS(uint16_t);
static const struct kernels of_int32_t = INTEGER_ROWS(int32_t);
static const struct kernels of_uint32_t = INTEGER_ROWS(uint32_t);
static const struct kernels of_int64_t = INTEGER_ROWS(int64_t);
static const struct kernels of_uint64_t = INTEGER_ROWS(uint64_t);
static const struct kernels of_short = INTEGER_ROWS(short);
static const struct kernels of_ushort_t = INTEGER_ROWS(ushort_t);
static const struct kernels of_int = INTEGER_ROWS(int);
static const struct kernels of_uint_t = INTEGER_ROWS(uint_t);
static const struct kernels of_long = INTEGER_ROWS(long);
static const struct kernels of_ulong_t = INTEGER_ROWS(ulong_t);
static const struct kernels of_llong_t = INTEGER_ROWS(llong_t);
static const struct kernels of_ullong_t = INTEGER_ROWS(ullong_t);
static const struct kernels of_float = FLOAT_ROWS(float);
static const struct kernels of_double = FLOAT_ROWS(double);

static const struct kernels *const kernels_of[FTC_TYPE_INDICES] = {
#define FTC_TYPE(handle, element) [FTC_TYPE_##handle] = &of_##element,
#include "types.def"
#undef FTC_TYPE
};

ftc_combine_fn ftc_combine_kernel(enum ftc_op_index op, enum ftc_type_index type)
{
    return kernels_of[type]->op[op];
}
