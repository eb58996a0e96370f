#include "data.h"

#include "check.h"
#include "internal.h"

#include <string.h>

static const struct scenario_op *op_of(const struct sim_data *d)
{
    return &d->sim->scenario.op[d->sim->process[d->rank].seq];
}

/* ---- units ---- */

static struct sim_unit original(int rank, int number, int op)
{
    return (struct sim_unit){
        .expression = (uint64_t)rank + 1, .ranks = sim_bit(rank), .number = number, .op = op};
}

/* @a before @b, which need not commute. */
static struct sim_unit joined(struct sim_unit a, struct sim_unit b)
{
    return (struct sim_unit){
        .expression = (3 * a.expression + b.expression) * 0x9e3779b97f4a7c15ull,
        .ranks = a.ranks | b.ranks,
        .number = a.number,
        .op = a.op,
        .is_wrong = a.is_wrong || b.is_wrong || (a.ranks & b.ranks) != 0 || a.number != b.number ||
                    a.op != b.op,
    };
}

/* ---- the world of a data phase ---- */

static struct sim_data *member(const struct sim_data *d, int number)
{
    return d->sim->process[d->sim->process[d->rank].member[number]].data;
}

static struct sim_unit *in_slot(struct sim_data *of, int slot, struct ftc_units block,
                                uint64_t number)
{
    return &of->slot[slot][number - block.first];
}

static uint32_t steps(void *context, int number)
{
    const struct sim_data *d = context, *other = member(d, number);

    return other->shown_op == d->sim->process[d->rank].seq ? other->shown : 0;
}

static void show(void *context, uint32_t shown)
{
    struct sim_data *d = context;

    d->shown_op = d->sim->process[d->rank].seq;
    d->shown = shown;
}

/* The board knows it at once. */
static bool is_dead(void *context, int number)
{
    const struct sim_data *d = context;

    return !d->sim->process[member(d, number)->rank].alive;
}

static void put(void *context, int slot, struct ftc_units block)
{
    struct sim_data *d = context;

    for (uint64_t i = block.first; i < block.first + block.count; i++)
        *in_slot(d, slot, block, i) = original(d->rank, (int)i, d->first_op);
}

static void combine(void *context, int slot, struct ftc_units block, struct ftc_units part)
{
    struct sim_data *d = context;

    for (uint64_t i = part.first; i < part.first + part.count; i++) {
        struct sim_unit sum = *in_slot(member(d, d->phase.schedule.n - 1), slot, block, i);

        for (int j = d->phase.schedule.n - 2; j >= 0; j--)
            sum = joined(*in_slot(member(d, j), slot, block, i), sum);
        *in_slot(d, slot, block, i) = sum;
    }
}

static void get(void *context, int slot, uint64_t number)
{
    struct sim_data *d = context;
    const struct ftc_schedule *s = &d->phase.schedule;
    struct ftc_units block = ftc_schedule_units(s, number);

    for (int j = 0; j < s->n; j++) {
        struct ftc_units part = ftc_schedule_part(s, number, j);

        for (uint64_t i = part.first; i < part.first + part.count; i++)
            d->buffer[i] = *in_slot(member(d, j), slot, block, i);
    }
}

static const struct ftc_data_world world = {
    .steps = steps,
    .show = show,
    .is_dead = is_dead,
    .put = put,
    .combine = combine,
    .get = get,
};

/* ---- a process in it ---- */

void sim_data_reset(struct sim *s, int rank)
{
    struct sim_data *d = s->process[rank].data;

    memset(d, 0, sizeof *d);
    d->sim = s;
    d->rank = rank;
    d->shown_op = -1;
}

void sim_data_begin(struct sim *s, int rank)
{
    struct sim_process *p = &s->process[rank];
    struct sim_data *d = p->data;
    const struct scenario_op *op = op_of(d);
    struct ftc_schedule schedule = {
        .kind = op->data,
        .n = __builtin_popcountll(p->members),
        .self = sim_process_index(p, rank),
        .root = op->data == FTC_SCHEDULE_ALLREDUCE ? 0 : sim_process_index(p, op->root),
        .units = SIM_UNITS,
        .block_units = SIM_BLOCK_UNITS,
    };

    if (!op->is_further)
        d->first_op = p->seq;
    ftc_data_begin(&d->phase, &schedule, &world, d);
}

static void show_nothing(void *context, uint32_t shown)
{
    (void)context;
    (void)shown;
}

static void move_nothing(void *context, int slot, struct ftc_units block)
{
    (void)context;
    (void)slot;
    (void)block;
}

static void combine_nothing(void *context, int slot, struct ftc_units block, struct ftc_units part)
{
    (void)part;
    move_nothing(context, slot, block);
}

static void get_nothing(void *context, int slot, uint64_t block)
{
    (void)context;
    (void)slot;
    (void)block;
}

bool sim_data_can_turn(const struct sim *s, int rank)
{
    static const struct ftc_data_world looking = {
        .steps = steps,
        .show = show_nothing,
        .is_dead = is_dead,
        .put = move_nothing,
        .combine = combine_nothing,
        .get = get_nothing,
    };
    struct ftc_data_phase copy = s->process[rank].data->phase;

    copy.world = &looking;
    return copy.outcome != FTC_DATA_GOES_ON || ftc_data_turn(&copy);
}

bool sim_data_turn(struct sim *s, int rank)
{
    struct ftc_data_phase *phase = &s->process[rank].data->phase;

    ftc_data_turn(phase);
    return phase->outcome != FTC_DATA_GOES_ON;
}

static void spoil(struct sim_data *d, enum ftc_stage stage)
{
    const struct ftc_schedule *s = &d->phase.schedule;
    struct ftc_units block, units;
    uint64_t number;

    if (stage == FTC_STAGE_GET || !ftc_schedule_block(s, d->phase.step, stage, &number))
        return;
    block = ftc_schedule_units(s, number);
    units = stage == FTC_STAGE_PUT ? block : ftc_schedule_part(s, number, s->self);
    for (uint64_t i = units.first; i < units.first + units.count; i++)
        in_slot(d, ftc_schedule_slot(number), block, i)->is_wrong = true;
}

void sim_data_die(struct sim *s, int rank)
{
    struct sim_data *d = s->process[rank].data;

    if (d->phase.outcome == FTC_DATA_GOES_ON && sim_data_can_turn(s, rank))
        spoil(d, d->phase.stage);
}

/* ---- rules ---- */

/* doc/design.md, section 12: all elements of a result have the same contributors, in the order of
 * the ranks: those who were members of the try. */
static struct sim_unit expected(const struct sim_data *d, uint64_t members, int number)
{
    const struct scenario_op *op = op_of(d);
    struct sim_unit sum = {.op = -1};

    if (op->data == FTC_SCHEDULE_BROADCAST)
        return original(op->root, number, d->first_op);
    for (int rank = d->sim->scenario.n - 1; rank >= 0; rank--) {
        struct sim_unit one = original(rank, number, d->first_op);

        if (members & sim_bit(rank))
            sum = sum.op < 0 ? one : joined(one, sum);
    }
    return sum;
}

static bool gets_result(const struct sim_data *d)
{
    const struct scenario_op *op = op_of(d);

    return op->data == FTC_SCHEDULE_ALLREDUCE ||
           (op->data == FTC_SCHEDULE_REDUCE) == (op->root == d->rank);
}

void sim_data_check(struct sim *s, int rank)
{
    const struct sim_data *d = s->process[rank].data;
    uint64_t members = sim_outcome_of(s, s->process[rank].seq, rank)->members;

    for (int i = 0; gets_result(d) && i < SIM_UNITS; i++) {
        struct sim_unit right = expected(d, members, i);
        const struct sim_unit *u = &d->buffer[i];

        if (u->is_wrong || u->expression != right.expression || u->ranks != right.ranks ||
            u->number != right.number || u->op != right.op)
            sim_violation(s, "every_unit_is_of_all_members",
                          "op %d: unit %d of p%d is of %#llx, not %#llx%s", s->process[rank].seq, i,
                          rank, (unsigned long long)u->ranks, (unsigned long long)right.ranks,
                          u->is_wrong ? ", and wrong" : "");
    }
}
