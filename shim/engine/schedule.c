#include "schedule.h"

#include <assert.h>

static uint64_t blocks(const struct ftc_schedule *s)
{
    assert(s->block_units > 0);
    return s->units / s->block_units + (s->units % s->block_units > 0);
}

/* Returns the number of steps from the first stage of a block to @stage. */
static uint32_t delay(const struct ftc_schedule *s, enum ftc_stage stage)
{
    return s->kind == FTC_SCHEDULE_BROADCAST && stage == FTC_STAGE_GET ? 1 : (uint32_t)stage;
}

uint32_t ftc_schedule_steps(const struct ftc_schedule *s)
{
    uint64_t n = blocks(s);

    return n == 0 ? 0 : (uint32_t)n + delay(s, FTC_STAGE_GET);
}

static bool takes_part(const struct ftc_schedule *s, enum ftc_stage stage)
{
    bool is_root = s->self == s->root;

    switch (s->kind) {
    case FTC_SCHEDULE_REDUCE:
        return stage != FTC_STAGE_GET || is_root;
    case FTC_SCHEDULE_BROADCAST:
        return stage != FTC_STAGE_COMBINE && is_root == (stage == FTC_STAGE_PUT);
    default:
        return true;
    }
}

bool ftc_schedule_block(const struct ftc_schedule *s, uint32_t step, enum ftc_stage stage,
                        uint64_t *block)
{
    uint32_t behind = delay(s, stage);

    if (step < behind || step - behind >= blocks(s) || !takes_part(s, stage))
        return false;
    *block = step - behind;
    return true;
}

struct ftc_units ftc_schedule_units(const struct ftc_schedule *s, uint64_t block)
{
    uint64_t first = block * s->block_units, left = s->units - first;

    return (struct ftc_units){first, left < s->block_units ? left : s->block_units};
}

/* Returns @i nths of @count, which may be too large to be multiplied. */
static uint64_t share(uint64_t count, uint64_t i, uint64_t n)
{
    return count / n * i + count % n * i / n;
}

/* Gives the whole block of a broadcast to the root. */
struct ftc_units ftc_schedule_part(const struct ftc_schedule *s, uint64_t block, int member)
{
    struct ftc_units u = ftc_schedule_units(s, block);
    uint64_t n = (uint64_t)s->n, i = (uint64_t)member, from, to;

    if (s->kind == FTC_SCHEDULE_BROADCAST)
        return member == s->root ? u : (struct ftc_units){u.first, 0};
    from = share(u.count, i, n);
    to = share(u.count, i + 1, n);
    return (struct ftc_units){u.first + from, to - from};
}

/* Lets a non-root of a broadcast await the root alone. The root awaits all members, so it is never
 * more than a step ahead. */
bool ftc_schedule_awaits(const struct ftc_schedule *s, int member)
{
    return member != s->self &&
           (s->kind != FTC_SCHEDULE_BROADCAST || s->self == s->root || member == s->root);
}
