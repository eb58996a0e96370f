#include "drive.h"

#include "board/publication.h"
#include "crash.h"
#include "detector/silence.h"
#include "mismatch.h"
#include "mismatch_native.h"
#include "report/report.h"
#include "unexpected.h"
#include "wait.h"

#include <stdlib.h>

bool (*ftc_drive_background)(void);

static struct ftc_comm *recent; /* of the operations that are running, the last that has begun */

static struct ftc_failure_info scratch_info; /* of the message at hand */

static void step(struct ftc_comm *c, const struct ftc_event *event)
{
    ftc_op_step(&c->op, event, &c->actions);
}

/* Carries out sends as far as the rings have room. While some are left the operation takes no
 * further step, because what they point to is the engine's until then. */
static bool flush(struct ftc_comm *c)
{
    struct ftc_library *l = &ftc_library;
    struct ftc_envelope envelope = {
        .communicator_id = c->id, .seq = c->seq, .signature = c->signature};
    int left = 0;

    for (int i = 0; i < c->actions.count; i++) {
        const struct ftc_send *s = &c->actions.send[i];
        uint32_t to = c->slot[c->member[s->to]];

        if (ftc_crash_armed)
            ftc_crash_before_send(&c->crash);
        if (ftc_transport_send(&l->transport, to, &s->message, &envelope, l->settings.failure_info,
                               c->op.config.value_bytes, &c->note)) {
            l->messages_sent++;
            if (ftc_crash_armed)
                ftc_crash_after_send(&c->crash);
        } else if (ftc_board_state(&l->board, to) < FTC_RANK_FINALIZED) {
            c->actions.send[left++] = *s;
        }
    }
    c->actions.count = left;
    if (left > 0)
        c->was_blocked = true;
    return left == 0;
}

/* False if the message has to wait. */
static bool deliver(struct ftc_comm *c, uint32_t from, const struct ftc_envelope *envelope,
                    size_t value_bytes, const struct ftc_message *m, const struct ftc_note *note)
{
    struct ftc_event event = {
        .kind = FTC_EVENT_MESSAGE, .peer = c->member_of_slot[from], .message = m};
    enum ftc_step_outcome outcome;

    if (event.peer < 0)
        return true; /* left out: it is dead */
    if (c->actions.count > 0)
        return false;
    if (envelope->signature != c->signature) {
        ftc_mismatch_meet(c, c->member[event.peer], envelope->signature, note, m, value_bytes);
        return true;
    }
    if (m->value && value_bytes != c->op.config.value_bytes)
        return true;
    outcome = ftc_op_step(&c->op, &event, &c->actions);
    flush(c);
    return outcome != FTC_STEP_LATER;
}

/* Finds the operation that a message belongs to; sequence numbers may wrap. False if it has to
 * wait.
 */
static bool dispatch(uint32_t from, const void *wire, size_t bytes, const struct ftc_note *note)
{
    struct ftc_envelope envelope;
    struct ftc_message m;
    struct ftc_comm *c;
    size_t value_bytes;
    int32_t ahead;

    if (ftc_message_decode(wire, bytes, ftc_library.settings.failure_info, &envelope, &value_bytes,
                           &m, &scratch_info) != 0)
        return true; /* nothing that a correct peer sends */
    c = recent && recent->id == envelope.communicator_id ? recent
                                                         : ftc_comm_find(envelope.communicator_id);
    if (!c) /* freed here, or not used here yet */
        return ftc_comm_was_freed(envelope.communicator_id);
    ahead = (int32_t)(envelope.seq - c->seq);
    if (ahead < 0)
        return true; /* late: the operation is over */
    if (ahead > 0 || !c->active)
        return false;
    return deliver(c, from, &envelope, value_bytes, &m, note);
}

/* A message that has to wait is kept, because others behind it may be what its operation waits for:
 * room in the ring of a peer that has operations of its own with sends that wait for room here. */
static bool poll_peer(uint32_t from)
{
    struct ftc_transport *t = &ftc_library.transport;
    const void *wire;
    size_t bytes;
    bool progress = false;

    while ((wire = ftc_transport_peek(t, from, &bytes)) != NULL) {
        const struct ftc_note *note = ftc_transport_note(t, from);

        if (!dispatch(from, wire, bytes, note) && !ftc_early_keep(from, wire, bytes, note))
            break;
        ftc_transport_drop(t, from);
        progress = true;
    }
    return progress;
}

bool ftc_drive_poll(void)
{
    uint32_t n = ftc_library.board.geometry.slots, self = ftc_library.self;
    bool progress = false;

    for (uint32_t from = 0; from < n; from++)
        if (from != self)
            progress |= poll_peer(from);
    return progress;
}

/* Offers the kept messages again: when an operation starts, when its attempt has changed, and when
 * its sends are no longer in the way. */
static void offer_early(void)
{
    struct ftc_early_message **link = ftc_early_first();

    while (*link) {
        if (dispatch((*link)->from, (*link)->wire, (*link)->bytes, &(*link)->note))
            ftc_early_release(link);
        else
            link = &(*link)->next;
    }
}

static void peer_died(struct ftc_comm *c, int member)
{
    struct ftc_event event = {.kind = FTC_EVENT_PEER_FAILED, .peer = member};

    c->dead[member] = true;
    c->known_dead++;
    step(c, &event);
    ftc_report_noticed(c, c->slot[c->member[member]]);
}

/* One load tells that nobody has died since the last look. The news waits while sends are pending.
 * Of several deaths the one of the highest rank comes first: in an allreduce that is the last
 * candidate root, and the attempts of roots that are dead as well are not begun. */
static bool look_for_deaths(struct ftc_comm *c)
{
    struct ftc_board *board = &ftc_library.board;
    uint32_t deaths = atomic_load_explicit(&board->shared->deaths, memory_order_acquire);

    if (deaths == c->deaths_seen || c->actions.count > 0)
        return false;
    for (int i = c->member_count - 1; i >= 0; i--) {
        uint32_t slot = c->slot[c->member[i]];

        if (c->dead[i] || ftc_board_state(board, slot) != FTC_RANK_FAILED)
            continue;
        poll_peer(slot); /* what it has sent still counts */
        if (c->actions.count > 0)
            return true;
        peer_died(c, i);
        if (!flush(c))
            return true;
    }
    c->deaths_seen = deaths;
    return true;
}

/* Rules 3 and 4: whoever has left the operation stands for itself by what it published. */
static bool look_for_published(struct ftc_comm *c)
{
    struct ftc_publication copy = {.value = c->published_value};
    bool progress = false;

    for (int i = 0; i < c->member_count && c->actions.count == 0; i++) {
        struct ftc_event event = {
            .kind = FTC_EVENT_PUBLISHED, .peer = i, .published = &copy.result};

        if (c->dead[i] || !ftc_op_awaits(&c->op, i) ||
            !ftc_published(&ftc_library.board, c->slot[c->member[i]], c->id, c->seq,
                           c->op.config.value_bytes, &copy))
            continue;
        step(c, &event);
        flush(c);
        progress = true;
    }
    return progress;
}

/* The other way round: a root without a usable subtree waits until all have joined its attempt. */
static bool look_for_joined(struct ftc_comm *c)
{
    struct ftc_event event = {.kind = FTC_EVENT_JOINED};
    bool progress = false;

    for (; event.peer < c->member_count && c->actions.count == 0; event.peer++) {
        if (!ftc_op_confirms(&c->op, event.peer) ||
            !ftc_published_attempt(&ftc_library.board, c->slot[c->member[event.peer]], c->id,
                                   c->seq, &event.attempt) ||
            event.attempt < c->op.attempt)
            continue;
        step(c, &event);
        flush(c);
        progress = true;
    }
    return progress;
}

static void announce_attempt(struct ftc_comm *c)
{
    c->announced = c->op.attempt;
    ftc_publish_attempt(&ftc_library.board, ftc_library.self, c->entry, c->seq, c->op.attempt);
}

/* Messages that came while sends were pending go before all that has come since. */
static bool unblock(struct ftc_comm *c)
{
    if (c->was_blocked && flush(c)) {
        c->was_blocked = false;
        offer_early();
        return true;
    }
    return false;
}

/* Kept messages are of a later attempt, or came while sends were pending. */
bool ftc_drive_look_after(struct ftc_comm *c)
{
    bool progress = unblock(c);

    progress |= look_for_deaths(c);
    if (c->known_dead > 0 || ftc_library.suspects)
        progress |= look_for_published(c);
    if (c->op.phase == FTC_PHASE_CONFIRMATION)
        progress |= look_for_joined(c);
    if (c->op.attempt != c->announced) {
        announce_attempt(c);
        offer_early();
    }
    return progress;
}

static void combine_nothing(void *context, void *into, const void *from)
{
    (void)context;
    (void)into;
    (void)from;
}

bool ftc_drive_begin(struct ftc_comm *c, const struct ftc_drive_request *r)
{
    const struct ftc_settings *s = &ftc_library.settings;
    struct ftc_event event = {.kind = FTC_EVENT_PEER_FAILED};

    if (ftc_comm_reserve(c, r->value_bytes) != 0)
        return false;
    ftc_op_init(&c->op,
                &(struct ftc_op_config){
                    .kind = r->kind,
                    .algorithm = s->algorithm,
                    .failure_scheme = s->failure_info,
                    .correction = s->correction.kind,
                    .ring_distance = s->correction.d,
                    .deterministic = s->deterministic,
                    .topology = &c->topology,
                    .rank = c->self,
                    .root = r->root,
                    .value_bytes = r->value_bytes,
                    .original = r->contribution,
                    .combine = r->combine ? r->combine : combine_nothing,
                    .context = r->context,
                },
                c->op_storage);
    c->actions.count = 0;
    c->mismatched = -1;
    c->signature = r->signature;
    c->active = true;
    c->was_blocked = false;
    recent = c;
    for (event.peer = 0; c->known_dead > 0 && event.peer < c->member_count; event.peer++)
        if (c->dead[event.peer])
            step(c, &event);
    if (ftc_crash_armed)
        ftc_crash_at_start(&c->crash);
    event.kind = FTC_EVENT_START;
    step(c, &event);
    announce_attempt(c);
    flush(c);
    offer_early();
    ftc_suspect_begin(c);
    return true;
}

static void stop(struct ftc_comm *c)
{
    if (recent == c)
        recent = NULL;
    c->active = false;
    c->seq++;
}

bool ftc_drive_is_over(const struct ftc_comm *c)
{
    return (ftc_op_is_done(&c->op) && c->actions.count == 0) || c->mismatched >= 0;
}

enum ftc_drive_outcome ftc_drive_end(struct ftc_comm *c)
{
    if (c->mismatched >= 0)
        ftc_mismatch_spread(c);
    if (ftc_crash_armed)
        ftc_crash_at_end(&c->crash);
    ftc_fence_check();
    if (c->mismatched < 0 && c->op.config.kind == FTC_OP_ALLREDUCE)
        ftc_publish(&ftc_library.board, ftc_library.self, c->entry, c->seq, &c->op.result,
                    c->op.config.value_bytes);
    ftc_fence_check();
    ftc_report_recovered(c);
    stop(c);
    return c->mismatched >= 0 ? FTC_DRIVE_MISMATCH : FTC_DRIVE_DONE;
}

/* One turn of the wait loop; false if nothing has happened. */
static bool turn(struct ftc_comm *c)
{
    bool progress = ftc_drive_poll();

    progress |= ftc_drive_look_after(c);
    if (ftc_drive_background)
        progress |= ftc_drive_background();
    return progress;
}

static void look_for_mismatch(struct ftc_comm *c, struct ftc_mixed *mixed)
{
    if (!ftc_mismatch_find(c))
        ftc_mixed_look(mixed, c);
}

enum ftc_drive_outcome ftc_drive(struct ftc_comm *c, const struct ftc_drive_request *request)
{
    struct ftc_mixed mixed = {0};
    struct ftc_wait wait;

    if (!ftc_drive_begin(c, request))
        return FTC_DRIVE_NO_MEMORY;
    ftc_wait_reset(&wait);
    while (!ftc_drive_is_over(c)) {
        if (turn(c))
            ftc_wait_reset(&wait);
        else if (ftc_wait_turn(&wait, c) && c->mismatched < 0)
            look_for_mismatch(c, &mixed);
    }
    return ftc_drive_end(c);
}
