#include "loop.h"

#include "board/publication.h"
#include "board/rank_state.h"
#include "detector/silence.h"
#include "hooks.h"
#include "messages.h"
#include "mismatch.h"
#include "peer_events.h"
#include "recovery.h"
#include "running.h"

#include <assert.h>
#include <stdlib.h>

/* Sends the pending messages of @c. If all are sent, offers the kept messages, so that those that
 * arrived meanwhile precede later ones. Returns whether it did. */
static bool unblock(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;

    if (r->was_blocked && ftc_messages_send(c)) {
        r->was_blocked = false;
        ftc_messages_offer_kept(c);
        return true;
    }
    return false;
}

/* Advances the operation on @c once it has no prelude. Offers the kept messages again whenever a
 * reason for keeping them may be gone: a later attempt, pending sends, or a vote that came before
 * the news of a death. */
static bool look_after_operation(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    bool progress = unblock(c);

    progress |= ftc_messages_take_multicasts(c);
    if (ftc_board_deaths(&ftc_library.board) != c->deaths_seen) {
        progress |= ftc_peer_events_take_deaths(c);
        ftc_messages_offer_kept(c);
    }
    if (c->known_dead > 0 || ftc_library.suspects)
        progress |= ftc_peer_events_take_published(c);
    else
        progress |= ftc_peer_events_take_leader(c);
    if (r->op.phase == FTC_PHASE_CONFIRMATION)
        progress |= ftc_peer_events_take_joined(c);
    if (r->op.attempt != r->published_attempt) {
        ftc_peer_events_publish_attempt(c);
        ftc_messages_offer_kept(c);
    }
    return progress;
}

static void combine_nothing(void *context, void *into, const void *from)
{
    (void)context;
    (void)into;
    (void)from;
}

static void prepare(struct ftc_comm *c, const struct ftc_loop_request *request)
{
    const struct ftc_settings *s = &ftc_library.settings;
    struct ftc_running *r = c->running;

    ftc_op_init(&r->op,
                &(struct ftc_op_config){
                    .kind = request->kind,
                    .algorithm = s->algorithm,
                    .failure_scheme = s->failure_info,
                    .correction = s->correction.kind,
                    .ring_distance = s->correction.d,
                    .deterministic = s->deterministic,
                    .direct = request->direct,
                    .topology = &c->topology,
                    .exchange_plan = ftc_running_exchange_plan(c, request->value_bytes),
                    .rank = c->own_member,
                    .root = request->root,
                    .value_bytes = request->value_bytes,
                    .original = request->contribution,
                    .combine = request->combine ? request->combine : combine_nothing,
                    .context = request->context,
                    .used_bytes = request->used_bytes,
                },
                r->op_storage);
    r->actions.count = 0;
    r->mismatched = -1;
    r->call = request->call;
    r->prelude = request->prelude;
    r->votes = request->prelude != NULL;
    r->was_blocked = false;
    r->active = true;
}

static void publish_call(struct ftc_comm *c)
{
    ftc_publish_call(&ftc_library.board, ftc_library.world_rank, c->entry, c->seq,
                     &c->running->note);
}

static void start_engine(struct ftc_comm *c)
{
    struct ftc_event event = {.kind = FTC_EVENT_PEER_FAILED};

    for (event.peer = 0; c->known_dead > 0 && event.peer < c->member_count; event.peer++)
        if (c->dead[event.peer]) {
            ftc_messages_step(c, &event);
            ftc_recovery_begin(c, c->world[c->member[event.peer]]);
        }
    event.kind = FTC_EVENT_START;
    ftc_messages_step(c, &event);
    ftc_peer_events_publish_attempt(c);
    ftc_messages_send(c);
}

bool ftc_loop_begin(struct ftc_comm *c, const struct ftc_loop_request *request)
{
    assert(c->fallback == FTC_FALLBACK_NONE);
    assert(!c->running->active);
    assert(request->root >= 0);
    assert(request->root < c->member_count);
    if (ftc_running_reserve(c, request->value_bytes) != 0)
        return false;
    prepare(c, request);
    if (ftc_hooks_enabled)
        ftc_hooks_begin(c);
    ftc_messages_expect(c);
    if (!request->prelude)
        start_engine(c);
    publish_call(c); /* after the sends, because other ranks may wait for them */
    if (ftc_hooks_enabled)
        ftc_hooks_begun(c);
    ftc_messages_offer_kept(c);
    ftc_mismatch_begin(c);
    ftc_silence_begin(c);
    return true;
}

static bool look_after_prelude(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    bool progress = r->prelude->turn(r->prelude);

    if (!r->prelude->is_over(r->prelude))
        return progress;
    r->prelude = NULL;
    start_engine(c);
    ftc_messages_offer_kept(c);
    ftc_silence_begin(c);
    /* The rank that decides must know of the deaths that ended the prelude. */
    look_after_operation(c);
    return true;
}

bool ftc_loop_look_after(struct ftc_comm *c)
{
    return c->running->prelude ? look_after_prelude(c) : look_after_operation(c);
}

static void stop(struct ftc_comm *c)
{
    ftc_messages_forget(c);
    c->running->prelude = NULL;
    c->running->active = false;
    c->seq++;
}

bool ftc_loop_is_over(const struct ftc_comm *c)
{
    struct ftc_running *r = c->running;

    return (ftc_op_is_done(&r->op) && r->actions.count == 0 &&
            ftc_transport_is_out(&ftc_library.transport)) ||
           r->mismatched >= 0;
}

/* Notes that all living members have ended the operations before this one. A result with values of
 * all of them proves it, because each has begun this one. */
static void note_end(struct ftc_comm *c)
{
    const struct ftc_op *op = &c->running->op;

    if (op->config.kind == FTC_OP_ALLREDUCE && op->result.verdict == FTC_VERDICT_VALUE)
        c->ended = c->seq;
}

enum ftc_loop_outcome ftc_loop_end(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;

    if (r->mismatched >= 0)
        ftc_mismatch_spread(c);
    if (ftc_hooks_enabled)
        ftc_hooks_end(c);
    ftc_fence_check();
    if (r->mismatched < 0 && r->op.config.kind == FTC_OP_ALLREDUCE)
        ftc_publish(&ftc_library.board, ftc_library.world_rank, c->entry, c->seq, &r->op.result,
                    ftc_op_used_bytes(&r->op, r->op.result.value));
    ftc_fence_check();
    if (r->mismatched < 0)
        note_end(c);
    stop(c);
    return r->mismatched >= 0 ? FTC_LOOP_MISMATCH : FTC_LOOP_DONE;
}
