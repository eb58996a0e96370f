/* kernels: predefined operations on predefined datatypes, without a call into MPI.
 *
 * A kernel gives the same bits as PMPI_Reduce_local: MPI's "inout = in op inout", element by
 * element. Where that cannot be guaranteed there is no kernel. (If both operands are NaN, the
 * result is one of them. No C program can choose which.) */
#ifndef FTC_VALUE_KERNELS_H
#define FTC_VALUE_KERNELS_H

#include <stddef.h>

enum ftc_operator {
#define FTC_OPERATOR(name) FTC_OPERATOR_##name,
#include "operators.def"
#undef FTC_OPERATOR
    FTC_OPERATOR_COUNT,
    FTC_OPERATOR_OTHER = FTC_OPERATOR_COUNT, /* operation of the program, or none */
};

/* Kind of data in a datatype's memory. Their width follows from its size. */
enum ftc_type_class {
    FTC_TYPE_DERIVED = 0,
    FTC_TYPE_SIGNED,
    FTC_TYPE_UNSIGNED,
    FTC_TYPE_FLOATING,
    FTC_TYPE_HALF, /* 16 bits of floating point */
    FTC_TYPE_QUAD, /* REAL*16: only MPI knows whether that is C's long double or wider */
    FTC_TYPE_COMPLEX,
    FTC_TYPE_BOOL,
    FTC_TYPE_LOGICAL, /* Fortran's, 4 bytes with .TRUE. = 1; other compilers differ */
    FTC_TYPE_BYTE,
    FTC_TYPE_SIGNED_PAIR,   /* a signed integer, then an int */
    FTC_TYPE_FLOATING_PAIR, /* a floating point number, then an int */
    FTC_TYPE_REAL_PAIR,     /* two floating point numbers of one size */
    FTC_TYPE_OTHER,         /* without kernels */
};

/* Function that sets into[i] = from[i] op into[i] for @count elements. The two arrays do not
 * overlap and may have any alignment. */
typedef void (*ftc_combine_fn)(void *into, const void *from, size_t count);

/* Returns the kernels for elements of @type_class with @size_bytes of data each, an array indexed
 * by enum ftc_operator. An entry is NULL where there is no kernel. */
const ftc_combine_fn *ftc_combine_kernels(enum ftc_type_class type_class, size_t size_bytes);

#endif
