/* broadcast: MPI_Bcast as an allreduce to which only the root contributes data.
 *
 * All survivors agree whether there are data: if the root died early, no rank has them. The data
 * travel packed, because ranks may describe them by different datatypes. A value without data, such
 * as those that other ranks send to the root, consists of its head alone. So does a value whose
 * data the root exposes elsewhere. A message with 8 bytes of data takes one cache line. */
#ifndef FTC_VALUE_BROADCAST_H
#define FTC_VALUE_BROADCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftc_broadcast_value {
    uint16_t has_data;
    uint16_t exposed; /* 0: the data follow; else where the root exposes them (exposed.h) */
    uint32_t bytes;   /* of the data */
    unsigned char data[];
};

static inline size_t ftc_broadcast_value_bytes(size_t data_bytes)
{
    return sizeof(struct ftc_broadcast_value) + data_bytes;
}

/* Begins a value. The rank that has the data fills them in. */
static inline void ftc_broadcast_begin(struct ftc_broadcast_value *value, bool has_data,
                                       size_t bytes)
{
    *value = (struct ftc_broadcast_value){.has_data = has_data, .bytes = (uint32_t)bytes};
}

/* Returns the bytes of @value in use, for ftc_op_config. */
size_t ftc_broadcast_used_bytes(const void *value);

/* Copies @from to @into if it has data, for ftc_op_config. @context is a const size_t: the bytes of
 * a value with data. */
void ftc_broadcast_combine(void *context, void *into, const void *from);

#endif
