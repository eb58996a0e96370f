/* broadcast: MPI_Bcast as an allreduce to which only the root contributes data.
 *
 * So all survivors agree whether there is data at all: if the root died early, nobody has it. The
 * data travels packed, because ranks may describe it by different datatypes. A value without data
 * is as long as its head: what the others give the root is next to nothing. So is one whose data
 * the root exposes elsewhere. A message with 8 bytes of data is one line of memory.
 */
#ifndef FTC_VALUE_BROADCAST_H
#define FTC_VALUE_BROADCAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftc_broadcast_value {
    uint16_t has_data;
    uint16_t exposed; /* 0: it follows; else where the root exposes it (protocols/exposed.h) */
    uint32_t bytes;   /* of it */
    unsigned char data[];
};

static inline size_t ftc_broadcast_value_bytes(size_t data_bytes)
{
    return sizeof(struct ftc_broadcast_value) + data_bytes;
}

/* Begins a value, of which the data are filled in by who has them. */
static inline void ftc_broadcast_begin(struct ftc_broadcast_value *value, bool has_data,
                                       size_t bytes)
{
    *value = (struct ftc_broadcast_value){.has_data = has_data, .bytes = (uint32_t)bytes};
}

/* For ftc_op_config; @context is a const size_t, the bytes of a value with data. */
size_t ftc_broadcast_used_bytes(const void *value);
void ftc_broadcast_combine(void *context, void *into, const void *from);

#endif
