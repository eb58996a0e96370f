#include "reduce.h"

#include <assert.h>
#include <string.h>

static bool is_root(const struct ftc_op *op)
{
    return op->vrank == 0;
}

static void add_value(struct ftc_op *op, const void *value)
{
    if (op->has_lock)
        return; /* a LOCK absorbs data */
    if (op->has_value)
        op->config.combine(op->config.context, op->value, value);
    else
        memcpy(op->value, value, ftc_op_used_bytes(op, value));
    op->has_value = true;
}

static void add_group_slot(struct ftc_op *op, int rank)
{
    struct ftc_slot *s = &op->group[op->group_count++];

    s->rank = rank;
    s->state = FTC_SLOT_PENDING;
}

/* Adds the members of this rank's group that are in other classes. The root is in no group. */
static void add_peers_of_classes(struct ftc_op *op)
{
    struct ftc_group_walk walk;
    int peer;

    if (is_root(op))
        return;
    ftc_classes_walk(&walk, &op->config.topology->classes, op->root, op->config.rank);
    while ((peer = ftc_classes_next(&walk)) >= 0)
        add_group_slot(op, peer);
}

/* Adds this rank and the ranks with which it exchanges values. If all ranks are one group, these
 * are all ranks at the root, and the root elsewhere. */
static __attribute__((noinline)) void set_group_of_classes(struct ftc_op *op)
{
    add_group_slot(op, op->config.rank);
    if (!op->group_is_everybody) {
        add_peers_of_classes(op);
        return;
    }
    for (int rank = 0; rank < op->config.topology->n; rank++)
        if (rank != op->config.rank && (is_root(op) || rank == op->root))
            add_group_slot(op, rank);
}

/* Returns the part of the group of all ranks that concerns this rank. At the root that is all
 * ranks, elsewhere the root and this rank. */
static struct ftc_up_correction_group direct_group(const struct ftc_op *op)
{
    struct ftc_up_correction_group g = {.first = op->vrank, .count = 1, .with_root = true};

    if (is_root(op)) {
        g.first = 1;
        g.count = op->config.topology->n - 1;
    }
    return g;
}

/* Adds the group in vrank order, with the root first, so that all its members combine in the same
 * order. */
static void set_group_of_vranks(struct ftc_op *op)
{
    struct ftc_up_correction_group g =
        op->config.direct ? direct_group(op) : ftc_topology_group(op->config.topology, op->vrank);

    if (g.with_root || g.count == 0)
        add_group_slot(op, op->root); /* a root in no group: itself alone */
    for (int i = 0; i < g.count; i++)
        add_group_slot(op, ftc_topology_swap(g.first + i, op->root));
}

static void set_group(struct ftc_op *op)
{
    op->group_count = 0;
    if (ftc_topology_has_classes(op->config.topology))
        set_group_of_classes(op);
    else
        set_group_of_vranks(op);
}

/* Returns the index of a child's slot. At the root the subtrees come in turn, as in the topology.
 * Elsewhere the smallest tree comes first, because it completes first. */
static int child_slot_index(const struct ftc_op *op, int ordinal)
{
    return is_root(op) ? ordinal : op->child_count - 1 - ordinal;
}

/* Sets the slot of a child. If its class has too few ranks for that node, there is no rank to wait
 * for. */
static __attribute__((noinline)) void set_child_of_classes(const struct ftc_op *op,
                                                           struct ftc_slot *slot, int vrank)
{
    int rank = ftc_topology_rank(op->config.topology, op->root, vrank);

    slot->rank = rank < 0 ? op->config.rank : rank;
    slot->state = rank < 0 ? FTC_SLOT_TAKEN : FTC_SLOT_PENDING;
}

static void set_children(struct ftc_op *op)
{
    const struct ftc_topology *t = op->config.topology;
    bool has_classes = ftc_topology_has_classes(t);
    int ordinal = 0;

    op->child_count = 0;
    if (op->group_is_everybody)
        return; /* up-correction is all: there is no tree phase */
    op->child_count = ftc_topology_child_count(t, op->vrank);
    for (int v = ftc_topology_first_child(t, op->vrank); v >= 0;
         v = ftc_topology_next_sibling(t, v)) {
        struct ftc_slot *s = &op->child[child_slot_index(op, ordinal++)];

        s->rank = ftc_topology_swap(v, op->root);
        s->state = FTC_SLOT_PENDING;
        if (has_classes)
            set_child_of_classes(op, s, v);
    }
    assert(ordinal == op->child_count);
}

static struct ftc_slot *find_slot(struct ftc_slot *slots, int count, int rank)
{
    for (int i = 0; i < count; i++)
        if (slots[i].rank == rank)
            return &slots[i];
    return NULL;
}

static void fail_slot(struct ftc_op *op, struct ftc_slot *slot, bool is_child)
{
    if (!slot || slot->state != FTC_SLOT_PENDING)
        return;
    slot->state = FTC_SLOT_FAILED;
    ftc_failure_info_note(&op->info, op->config.failure_scheme, slot->rank, is_child);
}

/* Returns whether @from sends its value to @to. If all ranks are one group, only the root needs the
 * values of the others. An allreduce then sends the result back. */
static bool is_sent(const struct ftc_op *op, int from, int to)
{
    return from != to && (to == op->root || !op->group_is_everybody);
}

/* Returns whether @rank takes values of its group, with classes. Satellites need none. */
static __attribute__((noinline)) bool takes_values(const struct ftc_op *op, int rank)
{
    return op->group_is_everybody ||
           ftc_classes_is_carrier(&op->config.topology->classes, op->root, rank);
}

static void start_group_slot(struct ftc_op *op, struct ftc_slot *slot, bool sends, bool receives,
                             struct ftc_actions *out)
{
    /* the ORIGINAL value, even if others have arrived: each value is in each subtree once */
    if (sends)
        ftc_op_send(
            op, out, slot->rank,
            (struct ftc_message){.kind = FTC_MESSAGE_UP_CORRECTION, .value = op->config.original});
    if (slot->rank == op->config.rank)
        return;
    if (!receives)
        slot->state = FTC_SLOT_TAKEN;
    else if (ftc_op_is_dead(op, slot->rank))
        fail_slot(op, slot, false);
}

static void start_group(struct ftc_op *op, struct ftc_actions *out)
{
    bool has_classes = ftc_topology_has_classes(op->config.topology);
    int self = op->config.rank;

    for (int i = 0; i < op->group_count; i++) {
        int peer = op->group[i].rank;
        bool sends = is_sent(op, self, peer), receives = is_sent(op, peer, self);

        if (has_classes) {
            sends = sends && takes_values(op, peer);
            receives = receives && takes_values(op, self);
        }
        start_group_slot(op, &op->group[i], sends, receives, out);
    }
}

void ftc_reduce_start(struct ftc_op *op, struct ftc_actions *out)
{
    ftc_op_enter(op, FTC_PHASE_UP_CORRECTION);
    op->info.count = 0;
    op->info.subtree_failed = op->info.overflow = false;
    set_group(op);
    set_children(op);
    start_group(op, out);
    for (int i = 0; i < op->child_count; i++)
        if (ftc_op_is_dead(op, op->child[i].rank))
            fail_slot(op, &op->child[i], true);
}

static const void *slot_value(const struct ftc_op *op, const struct ftc_slot *slot)
{
    return slot->rank == op->config.rank ? op->config.original : slot->buffer;
}

/* Combines what has arrived, in the order of the slots if deterministic. Returns whether no slot is
 * pending any more. */
static bool settle(struct ftc_op *op, struct ftc_slot *slots, int count)
{
    bool settled = true;

    for (int i = 0; i < count && (settled || !op->config.deterministic); i++) {
        struct ftc_slot *s = &slots[i];

        if (s->state == FTC_SLOT_ARRIVED || s->rank == op->config.rank) {
            if (s->state != FTC_SLOT_TAKEN)
                add_value(op, slot_value(op, s));
            s->state = FTC_SLOT_TAKEN;
        }
        settled = settled && s->state != FTC_SLOT_PENDING;
    }
    return settled;
}

static void send_to_parent(struct ftc_op *op, struct ftc_actions *out)
{
    const struct ftc_topology *t = op->config.topology;
    struct ftc_message m = {.kind = FTC_MESSAGE_TREE, .info = &op->info, .value = op->value};

    if (op->has_lock) {
        m.verdict = op->result.verdict;
        m.decided = op->result.attempt;
        m.info = &op->agreed;
        m.value = op->result.value;
    }
    ftc_op_send(op, out, ftc_topology_rank(t, op->root, ftc_topology_parent(t, op->vrank)), m);
}

/* Makes the value of subtree k, which is usable, the result. If subtree k has no member of the
 * root's group, its value lacks what that group holds, which is added: the root's own value if the
 * root is in no group, else the root's value after up-correction. */
static void use_subtree(struct ftc_op *op, int k)
{
    const struct ftc_topology *t = op->config.topology;
    int r = t->remainder;

    if (r > 0 && k <= r)
        op->has_value = false; /* the parts are complete: they replace the root's own value */
    for (int i = k - 1; i < op->child_count; i += t->subtrees)
        if (op->child[i].state == FTC_SLOT_ARRIVED)
            add_value(op, op->child[i].buffer);
}

/* Returns ARRIVED if the subtree is usable: all its parts have arrived, and none reports a failure
 * (topology.h). Returns FAILED if at least one part is dead or reports a failure, else PENDING. */
static int subtree_state(const struct ftc_op *op, int k)
{
    int state = FTC_SLOT_ARRIVED;

    for (int i = k - 1; i < op->child_count; i += op->config.topology->subtrees) {
        if (op->child[i].state == FTC_SLOT_FAILED)
            return FTC_SLOT_FAILED;
        if (op->child[i].state == FTC_SLOT_PENDING)
            state = FTC_SLOT_PENDING;
    }
    return state;
}

/* Uses the first usable subtree, or the lowest-numbered one if deterministic. */
static enum ftc_reduce_outcome choose_subtree(struct ftc_op *op)
{
    bool waits = false;

    for (int k = 1; k <= op->config.topology->subtrees; k++) {
        int state = subtree_state(op, k);

        if (state == FTC_SLOT_ARRIVED) {
            use_subtree(op, k);
            return FTC_REDUCE_HAS_VALUE;
        }
        waits = waits || state == FTC_SLOT_PENDING;
        if (waits && op->config.deterministic)
            return FTC_REDUCE_WAITS;
    }
    return waits ? FTC_REDUCE_WAITS : FTC_REDUCE_HAS_NOTHING;
}

/* Advances the root. A LOCK from its group or from a child is decided already, whatever failures
 * the subtree reports. */
static enum ftc_reduce_outcome advance_root(struct ftc_op *op)
{
    if (op->has_lock || op->group_is_everybody)
        return FTC_REDUCE_HAS_VALUE;
    return choose_subtree(op);
}

static enum ftc_reduce_outcome advance_non_root(struct ftc_op *op, struct ftc_actions *out)
{
    if (!settle(op, op->child, op->child_count))
        return FTC_REDUCE_WAITS;
    if (!op->group_is_everybody)
        send_to_parent(op, out);
    return FTC_REDUCE_HAS_PASSED_ON;
}

enum ftc_reduce_outcome ftc_reduce_advance(struct ftc_op *op, struct ftc_actions *out)
{
    if (op->phase == FTC_PHASE_UP_CORRECTION && settle(op, op->group, op->group_count))
        ftc_op_enter(op, FTC_PHASE_TREE);
    if (op->phase != FTC_PHASE_TREE)
        return FTC_REDUCE_WAITS;
    return is_root(op) ? advance_root(op) : advance_non_root(op, out);
}

static void keep_value(const struct ftc_op *op, struct ftc_slot *slot, const void *value)
{
    memcpy(slot->buffer, value, ftc_op_used_bytes(op, value));
    slot->state = FTC_SLOT_ARRIVED;
}

/* Returns whether a value that arrives for @slot now is the next one to combine, so that it need
 * not be kept. */
static bool is_next(const struct ftc_op *op, const struct ftc_slot *slots,
                    const struct ftc_slot *slot)
{
    if (!op->config.deterministic)
        return true;
    for (const struct ftc_slot *s = slots; s < slot; s++)
        if (s->state == FTC_SLOT_PENDING || s->state == FTC_SLOT_ARRIVED)
            return false;
    return true;
}

static void arrive(struct ftc_op *op, struct ftc_slot *slots, int count, struct ftc_slot *slot,
                   const void *value, bool phase_is_on)
{
    if (phase_is_on)
        settle(op, slots, count);
    if (phase_is_on && is_next(op, slots, slot)) {
        add_value(op, value);
        slot->state = FTC_SLOT_TAKEN;
    } else {
        keep_value(op, slot, value);
    }
}

static void child_of_root_message(struct ftc_op *op, struct ftc_slot *slot,
                                  const struct ftc_message *m)
{
    const struct ftc_topology *t = op->config.topology;
    int subtree = (int)(slot - op->child) % t->subtrees + 1; /* subtrees come in turn */

    if (ftc_failure_info_is_unusable(m->info, op->config.failure_scheme, t, op->root, subtree)) {
        slot->state = FTC_SLOT_FAILED;
    } else {
        keep_value(op, slot, m->value);
    }
}

static enum ftc_step_outcome tree_message(struct ftc_op *op, struct ftc_slot *slot,
                                          const struct ftc_message *m)
{
    bool lock = m->verdict != FTC_VERDICT_NONE;
    struct ftc_result result = {
        .verdict = m->verdict, .attempt = m->decided, .failed = m->info, .value = m->value};

    if (!m->info)
        return FTC_STEP_BAD;
    if (lock)
        ftc_op_hold_lock(op, &result);
    else
        ftc_failure_info_merge(&op->info, op->config.failure_scheme, m->info);
    if (lock)
        slot->state = FTC_SLOT_TAKEN;
    else if (is_root(op))
        child_of_root_message(op, slot, m);
    else
        arrive(op, op->child, op->child_count, slot, m->value, op->phase == FTC_PHASE_TREE);
    return FTC_STEP_OK;
}

enum ftc_step_outcome ftc_reduce_message(struct ftc_op *op, int from, const struct ftc_message *m)
{
    bool is_child = m->kind == FTC_MESSAGE_TREE;
    struct ftc_slot *slots = is_child ? op->child : op->group;
    int count = is_child ? op->child_count : op->group_count;
    struct ftc_slot *slot = find_slot(slots, count, from);

    if (!slot || from == op->config.rank || (!is_child && m->verdict != FTC_VERDICT_NONE))
        return FTC_STEP_BAD;
    if (slot->state != FTC_SLOT_PENDING)
        return FTC_STEP_OK; /* the sender's death was known before */
    if (is_child)
        return tree_message(op, slot, m);
    arrive(op, slots, count, slot, m->value, op->phase == FTC_PHASE_UP_CORRECTION);
    return FTC_STEP_OK;
}

void ftc_reduce_peer_failed(struct ftc_op *op, int rank)
{
    fail_slot(op, find_slot(op->group, op->group_count, rank), false);
    fail_slot(op, find_slot(op->child, op->child_count, rank), true);
}

static bool is_pending(const struct ftc_op *op, struct ftc_slot *slots, int count, int rank)
{
    const struct ftc_slot *s = find_slot(slots, count, rank);

    return s && s->state == FTC_SLOT_PENDING && rank != op->config.rank;
}

bool ftc_reduce_awaits(const struct ftc_op *op, int rank)
{
    return is_pending(op, op->group, op->group_count, rank) ||
           is_pending(op, op->child, op->child_count, rank);
}

bool ftc_reduce_take_lock(struct ftc_op *op, int from, const struct ftc_result *published)
{
    struct ftc_slot *in_group = find_slot(op->group, op->group_count, from);
    struct ftc_slot *child = find_slot(op->child, op->child_count, from);
    bool taken = false;

    if (in_group && in_group->state == FTC_SLOT_PENDING) {
        in_group->state = FTC_SLOT_TAKEN;
        taken = true;
    }
    if (child && child->state == FTC_SLOT_PENDING) {
        child->state = FTC_SLOT_TAKEN;
        taken = true;
    }
    if (taken)
        ftc_op_hold_lock(op, published);
    return taken;
}
