/* slices: a value of blocks of which no rank knows how much the others give, and that has turned
 * out too large for one operation: as many operations as it takes, each with the next slice of each
 * rank's block, and with whether any of it is left. So all survivors agree when it is over, and
 * which blocks are whole: those of who died in the middle are not. */
#ifndef FTC_COLLECTIVES_SLICES_H
#define FTC_COLLECTIVES_SLICES_H

#include "collective.h"
#include "store.h"

/* The slices of one rank's block so far. */
struct ftc_sliced {
    struct ftc_store store;
    uint32_t note; /* of its owner's */
    bool is_whole;
};

struct ftc_slices {
    size_t given; /* bytes of this rank's block */
    int ranks;
    struct ftc_sliced *from; /* by rank */
    bool has_memory;         /* for what matters here; the others are helped all the same */
};

/* Before anybody waits for it. False without memory. */
bool ftc_slices_prepare(struct ftc_slices *s, const struct ftc_plan *plan);

/* This rank's next slice of @whole, its value, in room of plan->comm->running; NULL without memory.
 */
const void *ftc_slices_give(struct ftc_slices *s, const struct ftc_plan *plan, const void *whole);

/* Takes the slices of the operation; false: that was the last one. */
bool ftc_slices_take(struct ftc_slices *s, const struct ftc_plan *plan);

/* All whole blocks as one value, from malloc(); NULL without memory. */
unsigned char *ftc_slices_join(const struct ftc_slices *s, const struct ftc_plan *plan);

void ftc_slices_close(struct ftc_slices *s);

#endif
