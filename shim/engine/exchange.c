#include "exchange.h"

#include <string.h>

static const struct ftc_exchange_step *step_at_hand(const struct ftc_op *op)
{
    return &op->config.exchange_plan->step[op->exchange_step];
}

void ftc_exchange_start(struct ftc_op *op)
{
    ftc_op_enter(op, FTC_PHASE_EXCHANGE);
    op->root = -1;
    op->vrank = op->config.rank;
    op->group_count = op->child_count = 0;
    op->info.count = 0;
    op->exchange_step = -1; /* the first step has not begun, and may send */
    op->exchange_value = op->config.original;
    for (int i = 0; i < op->config.exchange_plan->count; i++)
        op->exchange[i].state = FTC_SLOT_PENDING;
}

/* ---- values ---- */

/* Returns the buffer of the current step. Each step has its own, because the value of the step
 * before may still be on its way out. */
static unsigned char *buffer_of_step(const struct ftc_op *op)
{
    size_t stride =
        (op->config.value_bytes + FTC_VALUE_ALIGN - 1) / FTC_VALUE_ALIGN * FTC_VALUE_ALIGN;

    return op->exchange_results + (size_t)op->exchange_step * stride;
}

static void combine_with(struct ftc_op *op, int peer, const void *value)
{
    unsigned char *into = buffer_of_step(op);
    bool peer_first = peer < op->config.rank;
    const void *first = peer_first ? value : op->exchange_value;

    memcpy(into, first, ftc_op_used_bytes(op, first));
    op->config.combine(op->config.context, into, peer_first ? op->exchange_value : value);
    op->exchange_value = into;
}

/* Returns value @i of those that the current COMBINE step combines, by their places. This rank's
 * own value is in the buffer of the step. */
static unsigned char *kept(const struct ftc_op *op, int i)
{
    const struct ftc_exchange_step *step = step_at_hand(op);
    int own = step->peer, first = op->exchange_step - step->number;

    if (i == own)
        return buffer_of_step(op);
    return op->exchange[first + i - (i > own)].buffer;
}

static void combine_two(struct ftc_op *op, int into, int from)
{
    op->config.combine(op->config.context, kept(op, into), kept(op, from));
}

/* Combines the kept values in the nesting of recursive doubling among their ranks, so that the
 * result does not depend on how the values come together. */
static void combine_kept(struct ftc_op *op)
{
    const struct ftc_exchange_step *step = step_at_hand(op);
    struct ftc_nesting s = ftc_nesting_of(step->number + 1);

    memcpy(kept(op, step->peer), op->exchange_value, ftc_op_used_bytes(op, op->exchange_value));
    for (int i = 0; i < s.pairs; i++)
        combine_two(op, 2 * i, 2 * i + 1);
    for (int width = 1; width < ftc_nesting_leaves(s); width *= 2)
        for (int i = 0; i < ftc_nesting_leaves(s); i += 2 * width)
            combine_two(op, ftc_nesting_first(s, i), ftc_nesting_first(s, i + width));
    op->exchange_value = kept(op, 0);
}

static void take_result(struct ftc_op *op, const void *value)
{
    memcpy(op->value, value, ftc_op_used_bytes(op, value));
    op->exchange_value = op->value;
}

/* ---- steps ---- */

static void finish(struct ftc_op *op)
{
    op->result.verdict = FTC_VERDICT_VALUE;
    op->result.attempt = 0;
    op->result.value = op->exchange_value;
    ftc_op_enter(op, FTC_PHASE_DONE);
}

static void give(struct ftc_op *op, struct ftc_actions *out)
{
    const struct ftc_exchange_step *step = step_at_hand(op);

    ftc_op_send(op, out, step->peer,
                (struct ftc_message){.kind = FTC_MESSAGE_EXCHANGE,
                                     .step = step->number,
                                     .value = op->exchange_value});
}

/* Begins the current step. Returns false if the step waits for nothing. */
static bool begin_step(struct ftc_op *op, struct ftc_actions *out)
{
    switch ((enum ftc_exchange_act)step_at_hand(op)->act) {
    case FTC_EXCHANGE_COMBINE:
        combine_kept(op);
        return false;
    case FTC_EXCHANGE_GIVE:
        give(op, out);
        return false;
    case FTC_EXCHANGE_SWAP:
        give(op, out);
        return true;
    default:
        return true;
    }
}

/* Ends the current step with @value, which the peer has sent. */
static void end_step(struct ftc_op *op, const void *value)
{
    const struct ftc_exchange_step *step = step_at_hand(op);

    op->exchange[op->exchange_step].state = FTC_SLOT_TAKEN;
    if (step->act == FTC_EXCHANGE_TAKE || step->act == FTC_EXCHANGE_SWAP)
        combine_with(op, step->peer, value);
    else if (step->act != FTC_EXCHANGE_KEEP)
        take_result(op, value);
}

/* Goes on to the next step. Returns false at the end. */
static bool next_step(struct ftc_op *op, struct ftc_actions *out)
{
    if (++op->exchange_step == op->config.exchange_plan->count) {
        finish(op);
        return false;
    }
    if (!begin_step(op, out))
        op->exchange[op->exchange_step].state = FTC_SLOT_TAKEN;
    return true;
}

void ftc_exchange_advance(struct ftc_op *op, struct ftc_actions *out)
{
    if (op->exchange_step < 0 && !next_step(op, out))
        return;
    for (;;) {
        struct ftc_slot *slot = &op->exchange[op->exchange_step];

        if (slot->state == FTC_SLOT_PENDING)
            return;
        if (slot->state == FTC_SLOT_ARRIVED)
            end_step(op, slot->buffer);
        if (!next_step(op, out))
            return;
    }
}

/* ---- values of other ranks ---- */

/* Returns whether a value for @step is used as soon as it arrives. Kept values are combined when
 * all of them have arrived. */
static bool is_taken_at_once(const struct ftc_op *op, int step)
{
    return step == op->exchange_step && step_at_hand(op)->act != FTC_EXCHANGE_KEEP;
}

enum ftc_step_outcome ftc_exchange_message(struct ftc_op *op, int from, const struct ftc_message *m)
{
    const struct ftc_exchange_plan *p = op->config.exchange_plan;
    struct ftc_slot *slot;
    int step;

    if (op->phase != FTC_PHASE_EXCHANGE || m->verdict != FTC_VERDICT_NONE)
        return FTC_STEP_BAD;
    step = ftc_exchange_receiving_step(p, m->step);
    if (step < 0 || p->step[step].peer != from)
        return FTC_STEP_BAD;
    slot = &op->exchange[step];
    if (slot->state != FTC_SLOT_PENDING)
        return FTC_STEP_BAD;
    if (is_taken_at_once(op, step)) {
        end_step(op, m->value);
    } else {
        memcpy(slot->buffer, m->value, ftc_op_used_bytes(op, m->value));
        slot->state = FTC_SLOT_ARRIVED;
    }
    return FTC_STEP_OK;
}

/* Considers all KEEP steps in a row, because the rank awaits their values at the same time. The
 * COMBINE step after them awaits nothing. */
bool ftc_exchange_awaits(const struct ftc_op *op, int rank)
{
    const struct ftc_exchange_step *step = op->config.exchange_plan->step;
    int i = op->exchange_step;

    do {
        if (op->exchange[i].state == FTC_SLOT_PENDING && step[i].peer == rank)
            return true;
    } while (step[i].act == FTC_EXCHANGE_KEEP && step[++i].act == FTC_EXCHANGE_KEEP);
    return false;
}

/* Takes also the result of a later attempt, as this rank would take the broadcast of that attempt
 * once it had joined it. Ranks that wait for this rank then find what it publishes. */
void ftc_exchange_read(struct ftc_op *op, const struct ftc_result *result)
{
    ftc_op_hold_lock(op, result);
    ftc_op_enter(op, FTC_PHASE_DONE);
}
