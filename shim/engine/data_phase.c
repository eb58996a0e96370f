#include "data_phase.h"

#include <assert.h>

static void show(struct ftc_data_phase *p)
{
    uint32_t left = p->outcome == FTC_DATA_LEFT ? FTC_DATA_HAS_LEFT : 0;

    p->world->show(p->context, p->step | left);
}

static void end_if_complete(struct ftc_data_phase *p)
{
    if (p->step == ftc_schedule_steps(&p->schedule))
        p->outcome = FTC_DATA_COMPLETE;
}

void ftc_data_begin(struct ftc_data_phase *p, const struct ftc_schedule *schedule,
                    const struct ftc_data_world *world, void *context)
{
    *p = (struct ftc_data_phase){.schedule = *schedule, .world = world, .context = context};
    assert(ftc_schedule_steps(schedule) < FTC_DATA_HAS_LEFT);
    show(p);
    end_if_complete(p);
}

void ftc_data_leave(struct ftc_data_phase *p)
{
    p->outcome = FTC_DATA_LEFT;
    show(p);
}

static bool has_ended(const struct ftc_data_phase *p, int member, bool *has_left)
{
    uint32_t steps = p->world->steps(p->context, member);

    *has_left = (steps & FTC_DATA_HAS_LEFT) != 0;
    return (steps & ~(uint32_t)FTC_DATA_HAS_LEFT) >= p->step;
}

bool ftc_data_expects(const struct ftc_data_phase *p, int member)
{
    bool has_left;

    return p->outcome == FTC_DATA_GOES_ON && p->step > 0 && p->stage == FTC_STAGE_PUT &&
           ftc_schedule_awaits(&p->schedule, member) && !has_ended(p, member, &has_left);
}

/* Returns whether @member will not finish the step that is awaited. Steps that a dead member had
 * finished still count, so they are read again after the death is known. */
static bool is_lost(const struct ftc_data_phase *p, int member, bool has_left)
{
    return has_left || (p->world->is_dead(p->context, member) && !has_ended(p, member, &has_left));
}

/* Returns whether all awaited members have finished the step before. Leaves the phase if one of
 * them never will. */
static bool may_begin_step(struct ftc_data_phase *p)
{
    bool has_left;

    if (p->step == 0)
        return true;
    for (; p->awaited < p->schedule.n; p->awaited++) {
        if (!ftc_schedule_awaits(&p->schedule, p->awaited) || has_ended(p, p->awaited, &has_left))
            continue;
        if (is_lost(p, p->awaited, has_left))
            ftc_data_leave(p);
        return false;
    }
    return true;
}

static void do_stage(struct ftc_data_phase *p, uint64_t block)
{
    struct ftc_units units = ftc_schedule_units(&p->schedule, block);
    int slot = ftc_schedule_slot(block);

    switch (p->stage) {
    case FTC_STAGE_PUT:
        p->world->put(p->context, slot, units);
        break;
    case FTC_STAGE_COMBINE:
        p->world->combine(p->context, slot, units,
                          ftc_schedule_part(&p->schedule, block, p->schedule.self));
        break;
    case FTC_STAGE_GET:
        p->world->get(p->context, slot, block);
        break;
    case FTC_STAGES:
        assert(false);
    }
}

static void end_step(struct ftc_data_phase *p)
{
    p->stage = FTC_STAGE_PUT;
    p->awaited = 0;
    p->step++;
    show(p);
    end_if_complete(p);
}

bool ftc_data_turn(struct ftc_data_phase *p)
{
    uint64_t block;

    if (p->outcome != FTC_DATA_GOES_ON)
        return false;
    if (p->stage == FTC_STAGE_PUT && !may_begin_step(p))
        return p->outcome != FTC_DATA_GOES_ON;
    if (ftc_schedule_block(&p->schedule, p->step, p->stage, &block))
        do_stage(p, block);
    if (++p->stage == FTC_STAGES)
        end_step(p);
    return true;
}
