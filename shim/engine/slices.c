#include "slices.h"

#include <assert.h>

void ftc_slices_hear(struct ftc_slices *s, bool is_same)
{
    assert(s->alike < s->count);
    s->alike = is_same && s->alike > 0 ? s->alike + 1 : 1;
    s->next = (s->next + 1) % s->count;
}

bool ftc_slices_are_missing(const struct ftc_slices *s)
{
    return s->alike < s->count;
}
