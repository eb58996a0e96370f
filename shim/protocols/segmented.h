/* segmented: the protocol of a reduce or allreduce that is too large for messages, with ranks on
 * several hosts: slices, reduced until all in a row have the same contributors (doc/design.md,
 * section 12). Until then results are kept aside. */
#ifndef FTC_PROTOCOLS_SEGMENTED_H
#define FTC_PROTOCOLS_SEGMENTED_H

#include "collective.h"
#include "engine/slices.h"
#include "round_status.h"

/* A call from its first slice to its last. */
struct ftc_segmented {
    struct ftc_plan *plan;
    bool has_memory;
    struct ftc_slices slices;
    struct ftc_round_status status; /* of the last ones in a row: who is in their elements */
    unsigned char *results;         /* of all slices, in order; NULL: not for this rank */
};

/* Whether an element has room in a slice. */
bool ftc_segmented_fits(const struct ftc_plan *plan);

/* Room for the value of a slice, of @ranks ranks. */
size_t ftc_segmented_room(int ranks);

extern const struct ftc_protocol_steps ftc_segmented_steps;

#endif
