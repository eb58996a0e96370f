#include "broadcast.h"

#include <string.h>

static size_t used_bytes(const struct ftc_broadcast_value *head)
{
    return ftc_broadcast_value_bytes(head->has_data && head->exposed == 0 ? head->bytes : 0);
}

/* Reads a copy of the head, because other processes may write to the value meanwhile. */
size_t ftc_broadcast_used_bytes(const void *value)
{
    struct ftc_broadcast_value head;

    memcpy(&head, value, sizeof head);
    return used_bytes(&head);
}

/* Ignores a value that is not as long as the values of this operation, because values come from
 * other processes. */
void ftc_broadcast_combine(void *context, void *into, const void *from)
{
    const size_t *value_bytes = context;
    struct ftc_broadcast_value head;

    memcpy(&head, from, sizeof head);
    if (head.has_data && ftc_broadcast_value_bytes(head.bytes) == *value_bytes)
        memcpy(into, from, used_bytes(&head));
}
