/* combine: predefined operations on arithmetic types, without a call into MPI.
 *
 * Each kernel gives the same bits as MPI_Reduce_local() of MPICH; where that is not so, or not
 * worth it, there is no kernel. */
#ifndef FTC_COMBINE_H
#define FTC_COMBINE_H

#include <stddef.h>

/* into[i] = from[i] op into[i] */
typedef void (*ftc_combine_fn)(void *into, const void *from, size_t count);

enum ftc_op_index {
#define FTC_OP(handle, index) FTC_OP_##index,
#include "ops.def"
#undef FTC_OP
    FTC_OP_INDICES
};

enum ftc_type_index {
#define FTC_TYPE(handle, element) FTC_TYPE_##handle,
#include "types.def"
#undef FTC_TYPE
    FTC_TYPE_INDICES
};

/* NULL: there is none. */
ftc_combine_fn ftc_combine_kernel(enum ftc_op_index op, enum ftc_type_index type);

#endif
