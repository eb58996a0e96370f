/* schedule: which member moves which part of data that are too large for messages, and when
 * (doc/design.md, section 12). Arithmetic alone.
 *
 * The data are UNITS (elements, or bytes) in BLOCKS. A block goes through three stages, one a step.
 * All members put their data where the others can read them. Each member combines its PART of the
 * data of all. All members get the parts of all. The blocks follow each other:
 *
 *     step       0        1        2        3        4
 *     put        block 0  block 1  block 2
 *     combine             block 0  block 1  block 2
 *     get                          block 0  block 1  block 2
 *
 * A member begins no step before the members that it awaits have finished the step before. So
 * members are never more than a step apart, and three slots of memory a member are enough: the
 * blocks that are put, combined and got in one step are in different slots. A broadcast has no
 * second stage. */
#ifndef FTC_ENGINE_SCHEDULE_H
#define FTC_ENGINE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

enum ftc_schedule_kind {
    FTC_SCHEDULE_ALLREDUCE,
    FTC_SCHEDULE_REDUCE,    /* to @root */
    FTC_SCHEDULE_BROADCAST, /* from @root */
};

enum ftc_stage { FTC_STAGE_PUT, FTC_STAGE_COMBINE, FTC_STAGE_GET, FTC_STAGES };

enum { FTC_SCHEDULE_SLOTS = 3 };

/* Parameters of a schedule, equal on all members except for @self. */
struct ftc_schedule {
    enum ftc_schedule_kind kind;
    int n, self, root;
    uint64_t units, block_units; /* block_units is at least 1 */
};

struct ftc_units {
    uint64_t first, count;
};

uint32_t ftc_schedule_steps(const struct ftc_schedule *s);

/* Sets *@block to the block that is in @stage in @step. Returns false if there is none, or if @self
 * has nothing to do in that stage. */
bool ftc_schedule_block(const struct ftc_schedule *s, uint32_t step, enum ftc_stage stage,
                        uint64_t *block);

struct ftc_units ftc_schedule_units(const struct ftc_schedule *s, uint64_t block);

/* Returns the units of a block that @member combines. */
struct ftc_units ftc_schedule_part(const struct ftc_schedule *s, uint64_t block, int member);

/* Returns the number of the slot, in each member's memory, that a block is in. */
static inline int ftc_schedule_slot(uint64_t block)
{
    return (int)(block % FTC_SCHEDULE_SLOTS);
}

/* Returns whether @self begins a step only after @member has finished the step before. */
bool ftc_schedule_awaits(const struct ftc_schedule *s, int member);

#endif
