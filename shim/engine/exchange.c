#include "exchange.h"

#include <string.h>

void ftc_exchange_start(struct ftc_op *op)
{
    ftc_op_enter(op, FTC_PHASE_EXCHANGE);
    op->root = -1;
    op->vrank = op->config.rank;
    op->group_count = op->child_count = 0;
    op->info.count = 0;
    op->exchange_step = -1; /* its send is not out yet */
    op->exchange_value = op->config.original;
    for (int i = 0; i < ftc_exchange_steps(&op->exchange_plan); i++)
        op->exchange[i].state = FTC_SLOT_PENDING;
}

/* A new buffer each time: the last one may still be on its way out. */
static void combine_with(struct ftc_op *op, int peer, int step, const void *value)
{
    size_t stride =
        (op->config.value_bytes + FTC_VALUE_ALIGN - 1) / FTC_VALUE_ALIGN * FTC_VALUE_ALIGN;
    unsigned char *into = op->exchange_results + (size_t)step * stride;
    bool peer_first = peer < op->config.rank;
    const void *first = peer_first ? value : op->exchange_value;

    memcpy(into, first, ftc_op_used_bytes(op, first));
    op->config.combine(op->config.context, into, peer_first ? op->exchange_value : value);
    op->exchange_value = into;
}

static void take(struct ftc_op *op, int peer, int step, const void *value)
{
    op->exchange[step].state = FTC_SLOT_TAKEN;
    if (step <= op->exchange_plan.doublings) {
        combine_with(op, peer, step, value);
        return;
    }
    memcpy(op->value, value, ftc_op_used_bytes(op, value)); /* folded out: it is the result */
    op->exchange_value = op->value;
}

static void finish(struct ftc_op *op)
{
    op->result.verdict = FTC_VERDICT_VALUE;
    op->result.attempt = 0;
    op->result.value = op->exchange_value;
    ftc_op_enter(op, FTC_PHASE_DONE);
}

/* Goes on to the next step and sends what it calls for; false at the end. */
static bool next_step(struct ftc_op *op, struct ftc_actions *out)
{
    const struct ftc_exchange_plan *p = &op->exchange_plan;
    int step = ++op->exchange_step;
    int peer;

    if (step > p->doublings + 1) {
        finish(op);
        return false;
    }
    peer = ftc_exchange_partner(p, op->config.rank, step);
    if (peer >= 0 && ftc_exchange_sends_in(p, step))
        ftc_op_send(op, out, peer,
                    (struct ftc_message){.kind = FTC_MESSAGE_EXCHANGE,
                                         .step = (uint32_t)step,
                                         .value = op->exchange_value});
    if (peer < 0 || !ftc_exchange_receives_in(p, step))
        op->exchange[step].state = FTC_SLOT_TAKEN;
    return true;
}

void ftc_exchange_advance(struct ftc_op *op, struct ftc_actions *out)
{
    const struct ftc_exchange_plan *p = &op->exchange_plan;

    for (;;) {
        int step = op->exchange_step;

        if (step >= 0 && op->exchange[step].state == FTC_SLOT_PENDING)
            return;
        if (step >= 0 && op->exchange[step].state == FTC_SLOT_ARRIVED)
            take(op, ftc_exchange_partner(p, op->config.rank, step), step,
                 op->exchange[step].buffer);
        if (!next_step(op, out))
            return;
    }
}

enum ftc_step_outcome ftc_exchange_message(struct ftc_op *op, int from, const struct ftc_message *m)
{
    const struct ftc_exchange_plan *p = &op->exchange_plan;
    struct ftc_slot *slot;

    if (op->phase != FTC_PHASE_EXCHANGE || m->verdict != FTC_VERDICT_NONE ||
        m->step > (uint32_t)p->doublings + 1 || !ftc_exchange_receives_in(p, (int)m->step) ||
        ftc_exchange_partner(p, op->config.rank, (int)m->step) != from)
        return FTC_STEP_BAD;
    slot = &op->exchange[m->step];
    if (slot->state != FTC_SLOT_PENDING)
        return FTC_STEP_BAD;
    if ((int)m->step == op->exchange_step) {
        take(op, from, op->exchange_step, m->value);
    } else {
        memcpy(slot->buffer, m->value, ftc_op_used_bytes(op, m->value));
        slot->state = FTC_SLOT_ARRIVED;
    }
    return FTC_STEP_OK;
}

bool ftc_exchange_awaits(const struct ftc_op *op, int rank)
{
    const struct ftc_exchange_plan *p = &op->exchange_plan;
    int step = op->exchange_step;

    return op->exchange[step].state == FTC_SLOT_PENDING &&
           ftc_exchange_partner(p, op->config.rank, step) == rank;
}
