#include "op_internal.h"

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

size_t ftc_op_storage_bytes(const struct ftc_topology *t, size_t value_bytes)
{
    size_t slots = (size_t)t->f + 1 + (size_t)t->max_children;
    size_t values = slots + 1 + 2 * (size_t)ftc_exchange_steps(t->n);

    return aligned(slots * sizeof(struct ftc_slot)) + values * aligned(value_bytes) +
           2 * aligned((size_t)t->n);
}

int ftc_op_actions_capacity(const struct ftc_topology *t, int ring_distance)
{
    /* At most, one step ends the exchange, or the up-correction of a new attempt and its tree
     * phase. */
    return t->f + 1 + t->max_children + max_slots(t->f + 1, ring_distance) + FTC_EXCHANGE_STEPS;
}

static unsigned char *carve(unsigned char **storage, size_t bytes)
{
    unsigned char *p = *storage;

    *storage += aligned(bytes);
    return p;
}

void ftc_op_init(struct ftc_op *op, const struct ftc_op_config *config, void *storage)
{
    const struct ftc_topology *t = config->topology;
    int groups = t->f + 1, children = t->max_children, steps = ftc_exchange_steps(t->n);
    unsigned char *rest = storage;

    assert(config->rank >= 0);
    assert(config->rank < t->n);
    op->config = *config;
    op->phase = FTC_PHASE_IDLE;
    op->attempt = 0;
    op->dead_count = 0;
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
    for (int i = 0; i < steps; i++)
        op->exchange[i].buffer = carve(&rest, config->value_bytes);
    op->exchange_results = rest;
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
    case FTC_PHASE_UP_CORRECTION: /* also the next attempt, from wherever the root's death is learnt
                                   */
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

/* Of two LOCKs the one of the higher attempt wins (DESIGN section 5, rule 3). */
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
    memcpy(op->value, lock->value, op->config.value_bytes);
    op->result.value = op->value;
    op->has_value = true;
}

/* Whoever decides tells whom all survivors leave out: everybody it knows to be dead. */
static void list_failed(struct ftc_op *op)
{
    op->agreed.count = 0;
    if (op->config.failure_scheme == FTC_FAILURE_LIST)
        ftc_failure_info_merge(&op->agreed, FTC_FAILURE_LIST, &op->info);
    for (int rank = 0; op->dead_count > 0 && rank < op->config.topology->n; rank++)
        if (ftc_op_is_dead(op, rank))
            ftc_failure_info_note(&op->agreed, FTC_FAILURE_LIST, rank, false);
    op->agreed.overflow = false; /* the rest is agreed on later */
}

/* The root's decision, from the data in op->value or from a LOCK, which stands as it was published.
 */
void ftc_op_decide(struct ftc_op *op, enum ftc_verdict verdict, struct ftc_actions *out)
{
    if (!op->has_lock) {
        list_failed(op);
        op->result.verdict = verdict;
        op->result.value = verdict == FTC_VERDICT_VALUE ? op->value : NULL;
    }
    op->result.attempt = op->attempt;
    ftc_op_enter(op, FTC_PHASE_DONE);
    if (op->config.kind == FTC_OP_ALLREDUCE)
        ftc_bcast_forward(op, out);
}

/* Takes a result that the root of this attempt decided. */
static void accept_result(struct ftc_op *op, const struct ftc_result *result,
                          struct ftc_actions *out)
{
    op->has_lock = false;
    ftc_op_hold_lock(op, result);
    ftc_op_enter(op, FTC_PHASE_DONE);
    ftc_bcast_forward(op, out);
}

/* Candidate roots of an allreduce, in a fixed order; an optimistic attempt 0 has none. */
static int first_corrected_attempt(const struct ftc_op *op)
{
    return op->config.algorithm == FTC_ALGORITHM_OPTIMISTIC ? 1 : 0;
}

/* Joins the first attempt >= @attempt whose root is not known to be dead (DESIGN section 5, rule
 * 2). */
static void join(struct ftc_op *op, uint32_t attempt, struct ftc_actions *out)
{
    int base = first_corrected_attempt(op);

    while (ftc_op_is_dead(op, (int)attempt - base))
        attempt++;
    op->attempt = attempt;
    op->root = (int)attempt - base;
    assert(op->root < op->config.topology->n); /* this rank itself is a candidate, and alive */
    op->vrank = ftc_topology_swap(op->config.rank, op->root);
    op->has_value = op->has_lock = false;
    ftc_reduce_start(op, out);
}

/* Nobody waits for the non-roots of a reduce, and more than f failures are an error wherever they
 * are known. Without the root the operation is a no-op (paper, section "Algorithm"). */
static bool reduce_is_over(const struct ftc_op *op)
{
    return ftc_op_is_dead(op, op->root) || op->dead_count > op->config.topology->f;
}

static void end_reduce_early(struct ftc_op *op)
{
    list_failed(op);
    op->result.verdict = ftc_op_is_dead(op, op->root) ? FTC_VERDICT_VALUE : FTC_VERDICT_EXCESS;
    op->result.value = NULL;
    ftc_op_enter(op, FTC_PHASE_DONE);
}

static void start_reduce(struct ftc_op *op, struct ftc_actions *out)
{
    op->root = op->config.root;
    op->vrank = ftc_topology_swap(op->config.rank, op->root);
    if (reduce_is_over(op))
        end_reduce_early(op);
    else
        ftc_reduce_start(op, out);
}

static void start_allreduce(struct ftc_op *op, struct ftc_actions *out)
{
    if (op->config.algorithm == FTC_ALGORITHM_OPTIMISTIC && op->dead_count == 0)
        ftc_exchange_start(op);
    else
        join(op, (uint32_t)first_corrected_attempt(op), out);
}

/* No subtree is usable: there are more than f failures. Before the root says so, every live process
 * has joined this attempt, which is its promise not to return with an earlier result, or has
 * returned with one, which then is the result. So survivors agree, whatever the number of failures.
 */
static void start_confirmation(struct ftc_op *op)
{
    ftc_op_enter(op, FTC_PHASE_CONFIRMATION);
    memset(op->confirmed, 0, (size_t)op->config.topology->n);
    op->confirmed[op->config.rank] = 1;
}

static void advance_confirmation(struct ftc_op *op, struct ftc_actions *out)
{
    for (int rank = 0; !op->has_lock && rank < op->config.topology->n; rank++)
        if (!op->confirmed[rank] && !ftc_op_is_dead(op, rank))
            return;
    ftc_op_decide(op, FTC_VERDICT_EXCESS, out);
}

void ftc_op_find_excess(struct ftc_op *op, struct ftc_actions *out)
{
    if (op->config.kind == FTC_OP_REDUCE) {
        ftc_op_decide(op, FTC_VERDICT_EXCESS, out);
        return;
    }
    start_confirmation(op);
    advance_confirmation(op, out);
}

static void advance(struct ftc_op *op, struct ftc_actions *out)
{
    if (op->phase == FTC_PHASE_EXCHANGE)
        ftc_exchange_advance(op, out);
    else if (op->phase == FTC_PHASE_CONFIRMATION)
        advance_confirmation(op, out);
    else
        ftc_reduce_advance(op, out);
}

static void peer_failed(struct ftc_op *op, int rank, struct ftc_actions *out)
{
    if (ftc_op_is_dead(op, rank))
        return;
    op->dead[rank] = 1;
    op->dead_count++;
    if (op->phase == FTC_PHASE_IDLE)
        return;
    if (op->config.kind == FTC_OP_REDUCE && reduce_is_over(op))
        end_reduce_early(op);
    else if (op->phase == FTC_PHASE_EXCHANGE || rank == op->root)
        join(op, op->attempt + 1, out);
    else
        ftc_reduce_peer_failed(op, rank);
}

static bool ids_are_ranks(const struct ftc_failure_info *info, bool has_ids, int n)
{
    for (int i = 0; has_ids && info && i < info->count; i++)
        if (info->id[i] < 0 || info->id[i] >= n)
            return false;
    return true;
}

static bool is_sane(const struct ftc_op *op, const struct ftc_message *m)
{
    bool lock = m->verdict != FTC_VERDICT_NONE;
    bool ids = lock || op->config.failure_scheme == FTC_FAILURE_LIST;

    return (m->value != NULL) == (m->verdict != FTC_VERDICT_EXCESS) &&
           (!lock || op->config.kind == FTC_OP_ALLREDUCE) &&
           ids_are_ranks(m->info, ids, op->config.topology->n);
}

static enum ftc_step_outcome broadcast_message(struct ftc_op *op, const struct ftc_message *m,
                                               struct ftc_actions *out)
{
    struct ftc_result result = {
        .verdict = m->verdict, .attempt = m->decided, .failed = m->info, .value = m->value};

    if (m->verdict == FTC_VERDICT_NONE || op->phase == FTC_PHASE_EXCHANGE || op->vrank == 0)
        return FTC_STEP_BAD;
    accept_result(op, &result, out);
    return FTC_STEP_OK;
}

static enum ftc_step_outcome message(struct ftc_op *op, int from, const struct ftc_message *m,
                                     struct ftc_actions *out)
{
    if (!is_sane(op, m))
        return FTC_STEP_BAD;
    if (m->attempt < op->attempt)
        return FTC_STEP_OK; /* the promise of whoever joined a later attempt: it is dropped */
    if (m->attempt > op->attempt)
        return op->config.kind == FTC_OP_REDUCE ? FTC_STEP_BAD : FTC_STEP_LATER;
    switch (m->kind) {
    case FTC_MESSAGE_EXCHANGE:
        return ftc_exchange_message(op, from, m);
    case FTC_MESSAGE_UP_CORRECTION:
    case FTC_MESSAGE_TREE:
        return ftc_reduce_message(op, from, m);
    case FTC_MESSAGE_BROADCAST:
        return broadcast_message(op, m, out);
    }
    return FTC_STEP_BAD;
}

/* The root of this attempt, alive, has left: it has decided (rule 4). Anybody else: a LOCK (rule
 * 3). */
static void published(struct ftc_op *op, int peer, const struct ftc_result *result,
                      struct ftc_actions *out)
{
    if (!ids_are_ranks(result->failed, true, op->config.topology->n))
        return;
    if (peer == op->root)
        accept_result(op, result, out);
    else if (op->phase == FTC_PHASE_CONFIRMATION)
        ftc_op_hold_lock(op, result);
    else
        ftc_reduce_take_lock(op, peer, result);
}

enum ftc_step_outcome ftc_op_step(struct ftc_op *op, const struct ftc_event *event,
                                  struct ftc_actions *out)
{
    enum ftc_step_outcome outcome = FTC_STEP_OK;

    if (op->phase == FTC_PHASE_DONE)
        return FTC_STEP_OK; /* late news */
    switch (event->kind) {
    case FTC_EVENT_START:
        assert(op->phase == FTC_PHASE_IDLE);
        if (op->config.kind == FTC_OP_REDUCE)
            start_reduce(op, out);
        else
            start_allreduce(op, out);
        break;
    case FTC_EVENT_MESSAGE:
        assert(op->phase != FTC_PHASE_IDLE);
        outcome = message(op, event->peer, event->message, out);
        break;
    case FTC_EVENT_PEER_FAILED:
        peer_failed(op, event->peer, out);
        break;
    case FTC_EVENT_PUBLISHED:
        assert(ftc_op_awaits(op, event->peer));
        published(op, event->peer, event->published, out);
        break;
    case FTC_EVENT_JOINED:
        if (ftc_op_confirms(op, event->peer) && event->attempt >= op->attempt)
            op->confirmed[event->peer] = 1;
        break;
    }
    if (op->phase != FTC_PHASE_IDLE)
        advance(op, out);
    return outcome;
}

bool ftc_op_confirms(const struct ftc_op *op, int rank)
{
    return op->phase == FTC_PHASE_CONFIRMATION && !op->confirmed[rank] && !ftc_op_is_dead(op, rank);
}

bool ftc_op_expects(const struct ftc_op *op, int rank)
{
    switch (op->phase) {
    case FTC_PHASE_EXCHANGE:
        return ftc_exchange_awaits(op, rank);
    case FTC_PHASE_UP_CORRECTION:
    case FTC_PHASE_TREE:
        return ftc_reduce_awaits(op, rank);
    case FTC_PHASE_DISSEMINATION:
        return rank == op->root;
    case FTC_PHASE_CONFIRMATION:
        return ftc_op_confirms(op, rank);
    default:
        return false;
    }
}

bool ftc_op_awaits(const struct ftc_op *op, int rank)
{
    if (op->config.kind != FTC_OP_ALLREDUCE || op->phase < FTC_PHASE_UP_CORRECTION ||
        op->phase == FTC_PHASE_DONE)
        return false;
    if (op->phase == FTC_PHASE_CONFIRMATION)
        return ftc_op_confirms(op, rank);
    return rank == op->root ? op->vrank != 0 : ftc_reduce_awaits(op, rank);
}
