/* schedule: who moves which part of data that are too large for messages, and when (doc/design.md,
 * section 12). Arithmetic alone.
 *
 * The data are UNITS (elements, or bytes) in BLOCKS. A block goes through three stages, one a step:
 * all members put theirs where the others can read it, each combines its PART of all, all get the
 * parts of all. The blocks follow each other:
 *
 *     step       0        1        2        3        4
 *     put        block 0  block 1  block 2
 *     combine             block 0  block 1  block 2
 *     get                          block 0  block 1  block 2
 *
 * Nobody begins a step before those whom it awaits have ended the one before. So members are never
 * more than a step apart, and three slots of memory a member are enough: those of the blocks that
 * are put, combined and got in one step differ. A broadcast has no second stage.
 */
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

/* The same for all members but @self. */
struct ftc_schedule {
    enum ftc_schedule_kind kind;
    int n, self, root;
    uint64_t units, block_units; /* the latter at least 1 */
};

struct ftc_units {
    uint64_t first, count;
};

uint32_t ftc_schedule_steps(const struct ftc_schedule *s);

/* The block that is in @stage in @step, in which @self has something to do; false: none. */
bool ftc_schedule_block(const struct ftc_schedule *s, uint32_t step, enum ftc_stage stage,
                        uint64_t *block);

struct ftc_units ftc_schedule_units(const struct ftc_schedule *s, uint64_t block);

/* What @member combines of a block. */
struct ftc_units ftc_schedule_part(const struct ftc_schedule *s, uint64_t block, int member);

/* The slot, of each member, that a block is in. */
static inline int ftc_schedule_slot(uint64_t block)
{
    return (int)(block % FTC_SCHEDULE_SLOTS);
}

/* Whether @self begins no step before @member has ended the one before. */
bool ftc_schedule_awaits(const struct ftc_schedule *s, int member);

#endif
