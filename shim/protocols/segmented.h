/* segmented: the protocol of a reduce or allreduce that is too large for messages, with ranks on
 * several hosts (setting large; doc/design.md, section 12).
 *
 * An allreduce of the engine reduces each slice of the elements. Each value says beside its
 * elements whose they are, so all survivors have the same results. If a rank dies, later slices
 * lack it. Then the slices are reduced again, from inputs that are unchanged, until all slices in a
 * row have the same contributors: at most once more for each death. Until then results are kept
 * aside.
 */
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
