#include "broadcast.h"

#include <string.h>

size_t ftc_broadcast_used_bytes(const void *value)
{
    const struct ftc_broadcast_value *v = value;

    return ftc_broadcast_value_bytes(v->has_data && v->shown == 0 ? v->bytes : 0);
}

/* Values come from others: one that is longer than there is room for counts for nothing. */
void ftc_broadcast_combine(void *context, void *into, const void *from)
{
    const struct ftc_broadcast_value *v = from;
    const size_t *value_bytes = context;

    if (v->has_data && ftc_broadcast_value_bytes(v->bytes) == *value_bytes)
        memcpy(into, from, ftc_broadcast_used_bytes(from));
}
