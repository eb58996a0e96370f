/* segmented: a large reduction, which an allreduce of the engine carries out for each slice of its
 * elements (shim/protocols/segmented.h).
 *
 * The library's own code decides which slice comes next, and when the call is over
 * (shim/engine/slices.h); it also joins what the values say of their contributors
 * (shim/protocols/round_status.h). Here are the results that a process keeps.
 */
#ifndef FTC_SIM_SEGMENTED_H
#define FTC_SIM_SEGMENTED_H

#include "engine/slices.h"
#include "scenario.h"

enum { SIM_SLICES = 3 };

struct sim;
struct sim_value;

struct sim_segmented {
    struct ftc_slices slices;
    bool is_again;               /* another operation follows */
    int8_t first_op;             /* that began the call */
    uint8_t operations;          /* so far */
    uint64_t who;                /* contributors of the last slice, as its value names them */
    uint64_t result[SIM_SLICES]; /* contributors */
    uint64_t ended[SIM_MAX_OPS]; /* by the operation that began a call: those of its result */
};

/* @rank begins a call. */
void sim_segmented_begin(struct sim *s, int rank);

/* Adds to @rank's value what it says beside its elements. */
void sim_segmented_say(const struct sim *s, int rank, struct sim_value *v);

/* The operation of @rank is over. */
void sim_segmented_hear(struct sim *s, int rank);

/* At the end: what the calls gave to the survivors. */
void sim_segmented_check_end(struct sim *s);

#endif
