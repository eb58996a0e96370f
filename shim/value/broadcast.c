#include "broadcast.h"

#include <string.h>

void ftc_broadcast_combine(void *context, void *into, const void *from)
{
    const size_t *value_bytes = context;
    const struct ftc_broadcast_value *other = from;

    if (other->has_data)
        memcpy(into, from, *value_bytes);
}
