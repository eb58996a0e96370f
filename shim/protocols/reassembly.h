/* reassembly: what has come of one rank's block, part by part: of segments those for this rank
 * alone. */
#ifndef FTC_PROTOCOLS_REASSEMBLY_H
#define FTC_PROTOCOLS_REASSEMBLY_H

#include "collective.h"

struct ftc_reassembly {
    unsigned char *data; /* what matters here; from malloc() */
    size_t bytes, room;
    size_t looked_at; /* of segments: those up to here are for this rank */
};

static inline bool ftc_reassembly_has_room(const struct ftc_reassembly *s, size_t bytes)
{
    return s->bytes + bytes <= s->room;
}

/* Has @room from now on, which is more than before. False without memory. */
bool ftc_reassembly_widen(struct ftc_reassembly *s, size_t room);

/* Adds a part of the block of a call, for which there is room. */
void ftc_reassembly_add(struct ftc_reassembly *s, const struct ftc_plan *plan, const void *part,
                        size_t bytes);

#endif
