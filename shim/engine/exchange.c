/* Exchange: the optimistic first attempt of an allreduce, by recursive doubling.
 *
 * Whoever has everybody's value has the only value that this attempt can have, bit for bit: blocks
 * are combined in rank order, so all ranks evaluate the same expression. On any failure the rest
 * join the corrected attempts, where whoever has returned stands for itself by its published value.
 *
 * For n that is no power of two, the first 2 * rest ranks pair up: the even one folds its value
 * into the odd one and gets the result back at the end.
 *
 *     step  0         fold in      even -> odd
 *     step  1 .. k    doubling     with the partner at distance 2^(step - 1)
 *     step  k + 1     fold out     odd -> even
 */
#include "op_internal.h"

#include <assert.h>
#include <string.h>

struct plan {
    int doublings, rest;
    bool folds, folded_away; /* takes part in a pair; is its even member */
    int number;              /* among those who double */
};

static struct plan plan_for(int n, int rank)
{
    struct plan p = {0};

    while (2 << p.doublings <= n)
        p.doublings++;
    p.rest = n - (1 << p.doublings);
    p.folds = rank < 2 * p.rest;
    p.folded_away = p.folds && rank % 2 == 0;
    p.number = p.folds ? rank / 2 : rank - p.rest;
    return p;
}

int ftc_exchange_steps(int n)
{
    return plan_for(n, 0).doublings + 2;
}

/* Partner of a step, or -1: nothing to do in it. */
static int partner(const struct plan *p, int rank, int step)
{
    int number;

    if (step == 0 || step == p->doublings + 1)
        return p->folds ? rank ^ 1 : -1;
    if (p->folded_away)
        return -1;
    number = p->number ^ (1 << (step - 1));
    return number < p->rest ? 2 * number + 1 : number + p->rest;
}

/* Which side of its pair a rank is in a step. */
static bool sends_in(const struct plan *p, int step)
{
    if (step == 0)
        return p->folded_away;
    return step <= p->doublings || !p->folded_away;
}

static bool receives_in(const struct plan *p, int step)
{
    if (step == 0)
        return !p->folded_away;
    return step <= p->doublings || p->folded_away;
}

void ftc_exchange_start(struct ftc_op *op)
{
    int steps = ftc_exchange_steps(op->config.topology->n);

    ftc_op_enter(op, FTC_PHASE_EXCHANGE);
    op->root = -1;
    op->vrank = op->config.rank;
    op->group_count = op->child_count = 0;
    op->info.count = 0;
    op->exchange_step = -1; /* its send is not out yet */
    op->exchange_value = op->config.original;
    for (int i = 0; i < steps; i++)
        op->exchange[i].state = FTC_SLOT_PENDING;
}

/* A new buffer each time: the last one may still be on its way out. */
static void combine_with(struct ftc_op *op, int peer, int step, const void *value)
{
    size_t stride =
        (op->config.value_bytes + FTC_VALUE_ALIGN - 1) / FTC_VALUE_ALIGN * FTC_VALUE_ALIGN;
    unsigned char *into = op->exchange_results + (size_t)step * stride;
    bool peer_first = peer < op->config.rank;

    memcpy(into, peer_first ? value : op->exchange_value, op->config.value_bytes);
    op->config.combine(op->config.context, into, peer_first ? op->exchange_value : value);
    op->exchange_value = into;
}

static void take(struct ftc_op *op, int peer, int step, const void *value)
{
    op->exchange[step].state = FTC_SLOT_TAKEN;
    if (step <= plan_for(op->config.topology->n, op->config.rank).doublings) {
        combine_with(op, peer, step, value);
        return;
    }
    memcpy(op->value, value, op->config.value_bytes); /* folded out: it is the result */
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
static bool next_step(struct ftc_op *op, const struct plan *p, struct ftc_actions *out)
{
    int step = ++op->exchange_step;
    int peer;

    if (step > p->doublings + 1) {
        finish(op);
        return false;
    }
    peer = partner(p, op->config.rank, step);
    if (peer >= 0 && sends_in(p, step))
        ftc_op_send(op, out, peer,
                    (struct ftc_message){.kind = FTC_MESSAGE_EXCHANGE,
                                         .step = (uint32_t)step,
                                         .value = op->exchange_value});
    if (peer < 0 || !receives_in(p, step))
        op->exchange[step].state = FTC_SLOT_TAKEN;
    return true;
}

void ftc_exchange_advance(struct ftc_op *op, struct ftc_actions *out)
{
    struct plan p = plan_for(op->config.topology->n, op->config.rank);

    for (;;) {
        int step = op->exchange_step;

        if (step >= 0 && op->exchange[step].state == FTC_SLOT_PENDING)
            return;
        if (step >= 0 && op->exchange[step].state == FTC_SLOT_ARRIVED)
            take(op, partner(&p, op->config.rank, step), step, op->exchange[step].buffer);
        if (!next_step(op, &p, out))
            return;
    }
}

enum ftc_step_outcome ftc_exchange_message(struct ftc_op *op, int from, const struct ftc_message *m)
{
    struct plan p = plan_for(op->config.topology->n, op->config.rank);
    struct ftc_slot *slot;

    if (op->phase != FTC_PHASE_EXCHANGE || m->verdict != FTC_VERDICT_NONE ||
        m->step > (uint32_t)p.doublings + 1 || !receives_in(&p, (int)m->step) ||
        partner(&p, op->config.rank, (int)m->step) != from)
        return FTC_STEP_BAD;
    slot = &op->exchange[m->step];
    if (slot->state != FTC_SLOT_PENDING)
        return FTC_STEP_BAD;
    if ((int)m->step == op->exchange_step) {
        take(op, from, op->exchange_step, m->value);
    } else {
        memcpy(slot->buffer, m->value, op->config.value_bytes);
        slot->state = FTC_SLOT_ARRIVED;
    }
    return FTC_STEP_OK;
}

bool ftc_exchange_awaits(const struct ftc_op *op, int rank)
{
    struct plan p = plan_for(op->config.topology->n, op->config.rank);
    int step = op->exchange_step;

    return op->exchange[step].state == FTC_SLOT_PENDING &&
           partner(&p, op->config.rank, step) == rank;
}
