/* kernels: predefined operations on predefined datatypes, without a call into MPI.
 *
 * A kernel gives the bits that PMPI_Reduce_local gives: MPI's "inout = in op inout", element by
 * element. Where that cannot be promised there is no kernel. (If both operands are NaN, the result
 * is one of them: which, no C program can choose.)
 */
#ifndef FTC_VALUE_KERNELS_H
#define FTC_VALUE_KERNELS_H

#include <stddef.h>

enum ftc_operator {
#define FTC_OPERATOR(name) FTC_OPERATOR_##name,
#include "operators.def"
#undef FTC_OPERATOR
    FTC_OPERATOR_COUNT,
    FTC_OPERATOR_OTHER = FTC_OPERATOR_COUNT, /* a user's, or not one at all */
};

/* What a datatype's memory holds; its size says how wide. */
enum ftc_type_class {
    FTC_TYPE_DERIVED = 0,
    FTC_TYPE_SIGNED,
    FTC_TYPE_UNSIGNED,
    FTC_TYPE_FLOATING,
    FTC_TYPE_HALF, /* 16 bits of floating point */
    FTC_TYPE_QUAD, /* REAL*16: whether C's long double or wider is MPI's secret */
    FTC_TYPE_COMPLEX,
    FTC_TYPE_BOOL,
    FTC_TYPE_LOGICAL, /* Fortran's: 4 bytes, .TRUE. is 1; other compilers differ */
    FTC_TYPE_BYTE,
    FTC_TYPE_SIGNED_PAIR,   /* a signed integer, then an int */
    FTC_TYPE_FLOATING_PAIR, /* a floating point number, then an int */
    FTC_TYPE_REAL_PAIR,     /* two floating point numbers of one size */
    FTC_TYPE_OTHER,         /* no kernels */
};

/* into[i] = from[i] op into[i] for @count elements. The two do not overlap; any alignment. */
typedef void (*ftc_combine_fn)(void *into, const void *from, size_t count);

/* The kernels for elements of @type_class with @size_bytes of data each, by operator; an entry is
 * NULL where there is none. */
const ftc_combine_fn *ftc_combine_kernels(enum ftc_type_class type_class, size_t size_bytes);

#endif
