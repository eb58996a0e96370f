#include "reassembly.h"

#include "segments.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool ftc_reassembly_widen(struct ftc_reassembly *s, size_t room)
{
    unsigned char *wider;

    assert(room > s->room);
    wider = realloc(s->data, room);
    if (!wider)
        return false;
    s->data = wider;
    s->room = room;
    return true;
}

void ftc_reassembly_add(struct ftc_reassembly *s, const struct ftc_plan *plan, const void *part,
                        size_t bytes)
{
    assert(ftc_reassembly_has_room(s, bytes));
    memcpy(s->data + s->bytes, part, bytes);
    s->bytes += bytes;
    if (ftc_call_is_addressed(plan->call->kind))
        s->looked_at = ftc_segments_keep(s->data, &s->bytes, s->looked_at, plan->comm->rank);
}
