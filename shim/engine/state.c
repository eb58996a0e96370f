#include "state.h"

#include <assert.h>
#include <string.h>

static size_t aligned(size_t bytes)
{
    return (bytes + FTC_VALUE_ALIGN - 1) / FTC_VALUE_ALIGN * FTC_VALUE_ALIGN;
}

static int max_slots(int a, int b)
{
    return a > b ? a : b;
}

/* Returns the number of slots for the members of a group, in a direct operation or another. */
static int group_slots(const struct ftc_topology *t, bool direct)
{
    return direct ? t->n : t->max_group;
}

static int all_slots(const struct ftc_topology *t)
{
    int slots = group_slots(t, false) + t->max_children;

    return t->n <= FTC_DIRECT_MOST ? max_slots(slots, group_slots(t, true)) : slots;
}

size_t ftc_op_storage_bytes(const struct ftc_topology *t, int exchange_steps, size_t value_bytes)
{
    size_t slots = (size_t)all_slots(t), steps = (size_t)exchange_steps;
    size_t values = slots + 1 + 2 * steps;

    return aligned(slots * sizeof(struct ftc_slot)) + aligned(steps * sizeof(struct ftc_slot)) +
           values * aligned(value_bytes) + 2 * aligned((size_t)t->n);
}

int ftc_op_actions_capacity(const struct ftc_topology *t, int ring_distance)
{
    /* A step sends most if it ends the exchange, or if it ends the up-correction of a new attempt
     * and its tree phase. */
    return t->max_group + t->max_children + max_slots(t->max_group, ring_distance) +
           FTC_EXCHANGE_LEADERS_STEPS;
}

static unsigned char *carve(unsigned char **storage, size_t bytes)
{
    unsigned char *p = *storage;

    *storage += aligned(bytes);
    return p;
}

static void prepare_exchange(struct ftc_op *op, unsigned char *rest)
{
    const struct ftc_op_config *config = &op->config;
    int count = config->exchange_plan->count;

    op->exchange = (struct ftc_slot *)carve(&rest, (size_t)count * sizeof *op->exchange);
    for (int i = 0; i < count; i++)
        op->exchange[i].buffer = carve(&rest, config->value_bytes);
    op->exchange_results = rest;
}

void ftc_op_init(struct ftc_op *op, const struct ftc_op_config *config, void *storage)
{
    const struct ftc_topology *t = config->topology;
    int groups = group_slots(t, config->direct), children = config->direct ? 0 : t->max_children;
    unsigned char *rest = storage;

    assert(config->rank >= 0);
    assert(config->rank < t->n);
    assert(!config->direct || config->kind == FTC_OP_REDUCE);
    assert(!config->direct || t->n <= FTC_DIRECT_MOST);
    op->config = *config;
    op->phase = FTC_PHASE_IDLE;
    op->attempt = 0;
    op->dead_count = op->dead_hosts = 0;
    op->has_value = op->has_lock = false;
    op->info.count = op->agreed.count = 0;
    op->info.overflow = op->info.subtree_failed = false;
    op->agreed.overflow = op->agreed.subtree_failed = false;
    op->result = (struct ftc_result){.failed = &op->agreed};
    op->group = (struct ftc_slot *)carve(&rest, (size_t)(groups + children) * sizeof *op->group);
    op->child = op->group + groups;
    op->dead = carve(&rest, (size_t)t->n);
    memset(op->dead, 0, (size_t)t->n);
    op->confirmed = carve(&rest, (size_t)t->n);
    op->value = carve(&rest, config->value_bytes);
    for (int i = 0; i < groups + children; i++)
        op->group[i].buffer = carve(&rest, config->value_bytes);
    if (ftc_op_exchanges(config))
        prepare_exchange(op, rest);
}

void ftc_op_send(struct ftc_op *op, struct ftc_actions *out, int to, struct ftc_message message)
{
    if (ftc_op_is_dead(op, to))
        return;
    assert(out->count < out->capacity);
    message.attempt = op->attempt;
    out->send[out->count++] = (struct ftc_send){.to = to, .message = message};
}

static bool is_legal_edge(enum ftc_phase from, enum ftc_phase to)
{
    switch (to) {
    case FTC_PHASE_IDLE:
        return false;
    case FTC_PHASE_EXCHANGE:
        return from == FTC_PHASE_IDLE;
    case FTC_PHASE_UP_CORRECTION: /* also of the next attempt, wherever the root died */
        return from != FTC_PHASE_DONE;
    case FTC_PHASE_TREE:
        return from == FTC_PHASE_UP_CORRECTION;
    case FTC_PHASE_CONFIRMATION:
    case FTC_PHASE_DISSEMINATION:
        return from == FTC_PHASE_TREE;
    case FTC_PHASE_DONE:
        return from != FTC_PHASE_DONE;
    }
    return false;
}

void ftc_op_enter(struct ftc_op *op, enum ftc_phase phase)
{
    assert(is_legal_edge(op->phase, phase));
    op->phase = phase;
}

/* Keeps the LOCK of the higher attempt if there are two (doc/design.md, section 5, rule 3). */
void ftc_op_hold_lock(struct ftc_op *op, const struct ftc_result *lock)
{
    if (op->has_lock && op->result.attempt >= lock->attempt)
        return;
    op->has_lock = true;
    op->agreed.count = 0;
    if (lock->failed)
        ftc_failure_info_merge(&op->agreed, FTC_FAILURE_LIST, lock->failed);
    op->result = (struct ftc_result){
        .verdict = lock->verdict, .attempt = lock->attempt, .failed = &op->agreed};
    if (lock->verdict != FTC_VERDICT_VALUE)
        return;
    memcpy(op->value, lock->value, ftc_op_used_bytes(op, lock->value));
    op->result.value = op->value;
    op->has_value = true;
}
