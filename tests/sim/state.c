#include "state.h"

#include "internal.h"

static void add(uint64_t *h, uint64_t x)
{
    *h = (*h ^ x) * 0xff51afd7ed558ccdull;
    *h ^= *h >> 32;
}

static void add_value(uint64_t *h, const struct sim *s, const void *value)
{
    const struct sim_value *v = value;
    struct ftc_round_status status = sim_value_status(v, s->scenario.n);

    add(h, v->expression);
    add(h, v->operations);
    add(h, v->incomplete);
    add(h, v->slices);
    add(h, status.left);
    add(h, status.who[0]);
    for (int i = 0; i < s->scenario.n; i++)
        add(h, v->count[i]);
}

/* Lists are sets: their order has no effect. */
static void add_info(uint64_t *h, const struct ftc_failure_info *info, bool has_ids)
{
    uint64_t ranks = 0;

    add(h, info->subtree_failed + 2ull * info->overflow);
    for (int i = 0; has_ids && i < info->count; i++)
        ranks |= sim_bit(info->id[i]);
    add(h, has_ids ? ranks : (uint64_t)info->count);
}

static void add_result(uint64_t *h, const struct sim *s, const struct ftc_result *r)
{
    add(h, r->verdict);
    add(h, r->attempt);
    add_info(h, r->failed, true);
    if (r->value)
        add_value(h, s, r->value);
}

static void add_slots(uint64_t *h, const struct sim *s, const struct ftc_slot *slots, int count)
{
    for (int i = 0; i < count; i++) {
        add(h, slots[i].state);
        if (slots[i].state == FTC_SLOT_ARRIVED)
            add_value(h, s, slots[i].buffer);
    }
}

static void add_exchange(uint64_t *h, const struct sim *s, const struct ftc_op *op)
{
    add(h, (uint64_t)op->exchange_step);
    add_value(h, s, op->exchange_value);
    add_slots(h, s, op->exchange, op->config.exchange_plan->count);
}

static void add_reduce(uint64_t *h, const struct sim *s, const struct ftc_op *op)
{
    add(h, op->has_value + 2ull * op->has_lock);
    if (op->has_lock)
        add_result(h, s, &op->result);
    else if (op->has_value)
        add_value(h, s, op->value);
    add_info(h, &op->info, s->scenario.scheme == FTC_FAILURE_LIST);
    add_slots(h, s, op->group, op->group_count);
    add_slots(h, s, op->child, op->child_count);
}

static void add_op(uint64_t *h, const struct sim *s, const struct ftc_op *op)
{
    int n = op->config.topology->n;

    add(h, op->phase);
    add(h, op->attempt);
    for (int i = 0; i < n; i++)
        add(h, op->dead[i]);
    for (int i = 0; op->phase == FTC_PHASE_CONFIRMATION && i < n; i++)
        add(h, op->confirmed[i]);
    if (op->phase == FTC_PHASE_DONE)
        add_result(h, s, &op->result);
    else if (op->phase == FTC_PHASE_EXCHANGE)
        add_exchange(h, s, op);
    else
        add_reduce(h, s, op);
}

static void add_outcome(uint64_t *h, const struct sim *s, const struct sim_outcome *o)
{
    add(h, o->verdict);
    add(h, o->attempt);
    add(h, o->failed);
    if (o->has_value)
        add_value(h, s, o->value);
}

static void add_message(uint64_t *h, const struct sim *s, int32_t message)
{
    struct ftc_failure_info info;
    struct ftc_envelope envelope;
    struct ftc_message m;
    size_t value_bytes;

    if (ftc_message_decode(sim_network_wire(s, message), s->message[message].bytes,
                           s->scenario.scheme, &envelope, &value_bytes, &m, &info) != 0)
        return; /* reported when it is delivered */
    add(h, envelope.seq);
    add(h, m.kind);
    add(h, m.verdict);
    add(h, m.attempt);
    add(h, m.decided);
    add(h, m.step);
    if (m.info)
        add_info(h, m.info,
                 s->scenario.scheme == FTC_FAILURE_LIST || m.verdict != FTC_VERDICT_NONE);
    if (m.value)
        add_value(h, s, m.value);
}

static void add_queue(uint64_t *h, const struct sim *s, struct sim_queue q)
{
    for (int32_t m = q.first; m >= 0; m = s->message[m].next)
        add_message(h, s, m);
}

static void add_units(uint64_t *h, const struct sim_unit *unit, int count)
{
    for (int i = 0; i < count; i++)
        add(h, unit[i].expression ^ (uint64_t)unit[i].op << 32 ^ unit[i].is_wrong);
}

/* The others read it after its death as well. */
static void add_data(uint64_t *h, const struct sim_data *d)
{
    add(h, (uint64_t)(uint32_t)d->shown_op << 32 | d->shown);
    add(h, d->phase.step * 16ull + d->phase.stage * 4ull + d->phase.outcome);
    add(h, (uint64_t)d->phase.awaited * 2 + d->is_incomplete);
    for (int i = 0; i < FTC_SCHEDULE_SLOTS; i++)
        add_units(h, d->slot[i], SIM_BLOCK_UNITS);
    add_units(h, d->buffer, SIM_UNITS);
}

static void add_rounds_units(uint64_t *h, const struct sim_rounds_unit *unit, int count)
{
    for (int i = 0; i < count; i++)
        add(h, unit[i].rank * 1000ull + unit[i].number * 100ull + (uint8_t)unit[i].op * 2ull +
                   unit[i].is_wrong);
}

static void add_place(uint64_t *h, const struct sim_place *place)
{
    uint64_t readers = 0;

    for (int i = 0; i < place->use.readers; i++)
        readers |= sim_bit((int)place->reader[i]);
    add(h, (uint64_t)(uint8_t)place->op << 32 | place->shown);
    add(h, place->use.is_taken * 2ull + place->use.is_left);
    add(h, readers);
    for (int i = 0; i < 2; i++)
        add(h, place->head[i].units * 256ull + place->head[i].left);
    add_rounds_units(h, place->unit, SIM_PLACE_UNITS);
}

/* Of a place the others see something after its owner's death as well. */
static void add_rounds(uint64_t *h, const struct sim *s, const struct sim_rounds *p)
{
    for (int i = 0; i < s->scenario.places; i++)
        add_place(h, &p->place[i]);
    add(h, p->progress.step * 2ull + p->progress.is_again);
    add(h, ((uint64_t)p->own << 24) + ((uint64_t)p->first_op << 16) + (p->progress.round << 8) +
               p->progress.written);
    add(h, p->who);
    add(h, (uint64_t)p->at);
    for (int op = 0; op < s->scenario.op_count; op++)
        add(h, p->whole[op] * 2 + p->has_ended[op]);
    for (int i = 0; i < s->scenario.n; i++) {
        add(h, p->from[i].units * 64ull + p->from[i].staying * 2ull + p->from[i].source.is_whole);
        add_rounds_units(h, p->from[i].unit, p->from[i].units);
    }
}

static void add_segmented(uint64_t *h, const struct sim *s, const struct sim_segmented *p)
{
    add(h, p->slices.next * 16 + p->slices.alike * 2 + p->is_again);
    add(h, (uint64_t)p->first_op << 8 | p->operations);
    add(h, p->who);
    for (int i = 0; i < SIM_SLICES; i++)
        add(h, p->result[i]);
    for (int op = 0; op < s->scenario.op_count; op++)
        add(h, p->ended[op]);
}

static bool has_rounds(const struct scenario *c)
{
    for (int i = 0; i < c->op_count; i++)
        if (c->op[i].is_in_rounds)
            return true;
    return false;
}

static void add_process(uint64_t *h, const struct sim *s, int rank)
{
    const struct sim_process *p = &s->process[rank];

    add(h, p->alive + 2ull * p->stage);
    for (int seq = 0; seq < s->scenario.op_count; seq++)
        add(h, sim_outcome_of(s, seq, rank)->members);
    add_data(h, p->data);
    if (has_rounds(&s->scenario))
        add_rounds(h, s, p->rounds);
    if (!p->alive)
        return;
    add_queue(h, s, p->early);
    add(h, (uint64_t)p->seq);
    add_segmented(h, s, &p->segmented);
    add(h, p->known_dead);
    add(h, p->members);
    add(h, p->dies_at >= 0 ? (uint64_t)p->sends : 0);
    for (int seq = 0; seq < p->seq; seq++)
        add_outcome(h, s, sim_outcome_of(s, seq, rank));
    if (p->stage == SIM_STAGE_RUNNING || p->stage == SIM_STAGE_LEAVING)
        add_op(h, s, &p->op);
}

static void add_channels(uint64_t *h, const struct sim *s)
{
    for (int i = 0; i < s->scenario.n * s->scenario.n; i++) {
        add(h, (uint64_t)i);
        add_queue(h, s, s->channel[i]);
    }
}

uint64_t sim_state_hash(const struct sim *s)
{
    uint64_t h = 1;

    add(&h, (uint64_t)s->free_crashes);
    for (int rank = 0; rank < s->scenario.n; rank++)
        add_process(&h, s, rank);
    add_channels(&h, s);
    return h ? h : 1;
}
