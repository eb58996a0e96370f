/* broadcast: MPI_Bcast as an allreduce to which only the root contributes data.
 *
 * So all survivors agree whether there is data at all: if the root died early, nobody has it. The
 * data travels packed, because ranks may describe it by different datatypes.
 */
#ifndef FTC_VALUE_BROADCAST_H
#define FTC_VALUE_BROADCAST_H

#include <stddef.h>
#include <stdint.h>

struct ftc_broadcast_value {
    _Alignas(16) uint32_t has_data;
    _Alignas(16) unsigned char data[];
};

static inline size_t ftc_broadcast_value_bytes(size_t data_bytes)
{
    return sizeof(struct ftc_broadcast_value) + data_bytes;
}

/* For ftc_op_config; @context is a const size_t, the bytes of a value. */
void ftc_broadcast_combine(void *context, void *into, const void *from);

#endif
