/* segmented: protocol of a reduce or allreduce that is too large for messages, with ranks on
 * several hosts. Slices of the elements are reduced until all slices in a row have the same
 * contributors (doc/design.md, section 12). Until then the results are kept in separate memory. */
#ifndef FTC_PROTOCOLS_SEGMENTED_H
#define FTC_PROTOCOLS_SEGMENTED_H

#include "collective.h"
#include "engine/slices.h"
#include "round_status.h"

/* State of a call from its first slice to its last. */
struct ftc_segmented {
    struct ftc_plan *plan;
    bool has_memory;
    struct ftc_slices slices;
    struct ftc_round_status status; /* status of the last slices in a row: their contributors */
    unsigned char *results;         /* results of all slices, in order; NULL: this rank gets none */
};

/* Returns whether an element fits a slice. */
bool ftc_segmented_fits(const struct ftc_plan *plan);

/* Returns the bytes of the value of a slice, at most, for @ranks ranks. */
size_t ftc_segmented_room(int ranks);

extern const struct ftc_protocol_steps ftc_segmented_steps;

#endif
