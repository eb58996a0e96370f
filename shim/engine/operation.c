#include "operation.h"

#include "attempt.h"
#include "confirmation.h"
#include "decision.h"
#include "exchange.h"
#include "reduce.h"

#include <assert.h>

/* Returns whether more failures are known than are tolerated. Where ranks fail, more than f of them
 * must be dead. Where hosts fail, the dead ranks must also be on more than f hosts, or on all
 * hosts. If there are at most f hosts, all but one may fail. */
static bool is_excess(const struct ftc_op *op)
{
    const struct ftc_topology *t = op->config.topology;

    if (op->dead_count <= t->f)
        return false;
    return !ftc_topology_has_classes(t) || op->dead_hosts > t->f ||
           op->dead_hosts == t->hosts.count;
}

/* Returns whether a reduce is over before this rank has done its part. No rank waits for a
 * non-root, and more than f failures are an error wherever they are known. Without the root the
 * operation is a no-op (paper, section "Algorithm"). */
static bool reduce_is_over(const struct ftc_op *op)
{
    return ftc_op_is_dead(op, op->root) || is_excess(op);
}

static void start_reduce(struct ftc_op *op, struct ftc_actions *out)
{
    ftc_op_set_root(op, op->config.root);
    if (reduce_is_over(op))
        ftc_decision_end_reduce(op);
    else
        ftc_reduce_start(op, out);
}

/* Goes on after this rank, which is not the root, has done its part of the reduction. */
static void pass_on(struct ftc_op *op)
{
    if (op->config.kind == FTC_OP_ALLREDUCE) {
        ftc_op_enter(op, FTC_PHASE_DISSEMINATION);
        return;
    }
    op->result.verdict = FTC_VERDICT_VALUE;
    ftc_op_enter(op, FTC_PHASE_DONE);
}

/* Goes on after no subtree was usable, which means more than f failures. */
static void find_excess(struct ftc_op *op, struct ftc_actions *out)
{
    if (op->config.kind == FTC_OP_REDUCE)
        ftc_decision_make(op, FTC_VERDICT_EXCESS, out);
    else
        ftc_confirmation_start(op);
}

static void advance_reduce(struct ftc_op *op, struct ftc_actions *out)
{
    switch (ftc_reduce_advance(op, out)) {
    case FTC_REDUCE_WAITS:
        break;
    case FTC_REDUCE_HAS_VALUE:
        ftc_decision_make(op, FTC_VERDICT_VALUE, out);
        break;
    case FTC_REDUCE_HAS_NOTHING:
        find_excess(op, out);
        break;
    case FTC_REDUCE_HAS_PASSED_ON:
        pass_on(op);
        break;
    }
}

static void advance(struct ftc_op *op, struct ftc_actions *out)
{
    if (op->phase == FTC_PHASE_EXCHANGE)
        ftc_exchange_advance(op, out);
    else
        advance_reduce(op, out);
    if (op->phase == FTC_PHASE_CONFIRMATION && ftc_confirmation_is_complete(op))
        ftc_decision_make(op, FTC_VERDICT_EXCESS, out);
}

static bool is_first_of_its_host(const struct ftc_op *op, int rank)
{
    const struct ftc_hosts *hosts = &op->config.topology->hosts;

    for (int peer = 0; peer < op->config.topology->n; peer++)
        if (ftc_op_is_dead(op, peer) && ftc_hosts_of(hosts, peer) == ftc_hosts_of(hosts, rank))
            return false;
    return true;
}

static void peer_failed(struct ftc_op *op, int rank, struct ftc_actions *out)
{
    if (ftc_op_is_dead(op, rank))
        return;
    op->dead_hosts += is_first_of_its_host(op, rank);
    op->dead[rank] = 1;
    op->dead_count++;
    if (op->phase == FTC_PHASE_IDLE)
        return;
    if (op->config.kind == FTC_OP_REDUCE && reduce_is_over(op))
        ftc_decision_end_reduce(op);
    else if (op->phase == FTC_PHASE_EXCHANGE || rank == op->root)
        ftc_attempt_join(op, op->attempt + 1, out);
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
    ftc_decision_accept(op, &result, out);
    return FTC_STEP_OK;
}

static enum ftc_step_outcome message(struct ftc_op *op, int from, const struct ftc_message *m,
                                     struct ftc_actions *out)
{
    if (!is_sane(op, m))
        return FTC_STEP_BAD;
    if (m->attempt < op->attempt)
        return FTC_STEP_OK; /* dropped, as promised when this rank joined a later attempt */
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

/* Takes @result, which @peer, alive, has published. In an exchange @peer is the leader of the host,
 * and the result is taken as it is. The root of this attempt has decided (rule 4). The result of
 * any other rank is a LOCK (rule 3). */
static void published(struct ftc_op *op, int peer, const struct ftc_result *result,
                      struct ftc_actions *out)
{
    if (!ids_are_ranks(result->failed, true, op->config.topology->n))
        return;
    if (op->phase == FTC_PHASE_EXCHANGE)
        ftc_exchange_read(op, result);
    else if (peer == op->root)
        ftc_decision_accept(op, result, out);
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
        return FTC_STEP_OK; /* late event */
    switch (event->kind) {
    case FTC_EVENT_START:
        assert(op->phase == FTC_PHASE_IDLE);
        if (op->config.kind == FTC_OP_REDUCE)
            start_reduce(op, out);
        else
            ftc_attempt_start(op, out);
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
    return ftc_confirmation_awaits(op, rank);
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
    if (op->config.kind != FTC_OP_ALLREDUCE || op->phase == FTC_PHASE_IDLE ||
        op->phase == FTC_PHASE_DONE)
        return false;
    if (op->phase == FTC_PHASE_EXCHANGE)
        return rank == ftc_op_leader(op);
    if (op->phase == FTC_PHASE_CONFIRMATION)
        return ftc_op_confirms(op, rank);
    return rank == op->root ? op->vrank != 0 : ftc_reduce_awaits(op, rank);
}
