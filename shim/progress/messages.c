#include "messages.h"

#include "board/rank_state.h"
#include "hooks.h"
#include "mismatch.h"
#include "run_ahead.h"
#include "running.h"
#include "unexpected.h"

static struct ftc_comm *recent; /* communicator of the running operation that began last */

static struct ftc_failure_info scratch_info; /* failed ranks of the current message */

void ftc_messages_expect(struct ftc_comm *c)
{
    recent = c;
}

void ftc_messages_forget(const struct ftc_comm *c)
{
    if (recent == c)
        recent = NULL;
}

void ftc_messages_step(struct ftc_comm *c, const struct ftc_event *event)
{
    struct ftc_running *r = c->running;

    ftc_op_step(&r->op, event, &r->actions);
}

/* Sends action @number, unless there is no room; then returns false. With @for_all, action 0 is
 * sent to all members at once and the others are skipped. */
static bool send(struct ftc_comm *c, int number, const struct ftc_envelope *envelope, bool for_all)
{
    struct ftc_running *r = c->running;
    struct ftc_library *l = &ftc_library;
    const struct ftc_send *s = &r->actions.send[number];
    size_t bytes;

    if (for_all && number > 0)
        return true;
    bytes = ftc_op_used_bytes(&r->op, s->message.value);
    if (for_all)
        ftc_multicast_send(&r->multicast, &l->transport, c->entry, &s->message, envelope,
                           l->settings.failure_info, bytes, &r->note);
    else if (!ftc_transport_send(&l->transport, c->world[c->member[s->to]], &s->message, envelope,
                                 l->settings.failure_info, bytes, &r->note))
        return false;
    l->messages_sent++;
    return true;
}

bool ftc_messages_send(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    struct ftc_library *l = &ftc_library;
    struct ftc_envelope envelope = {
        .communicator_id = c->id, .seq = c->seq, .signature = r->note.signature};
    bool for_all = ftc_op_multicasts(&r->op) && ftc_multicast_has_room(&r->multicast, c->ended);
    int left = 0;

    if (ftc_hooks_enabled)
        ftc_hooks_step(c);
    if (l->interleaved && r->actions.count > 0 && ftc_run_ahead_must_wait(c)) {
        r->was_blocked = true;
        return false;
    }
    for (int i = 0; i < r->actions.count; i++) {
        const struct ftc_send *s = &r->actions.send[i];

        if (ftc_hooks_enabled)
            ftc_hooks_before_send(c);
        if (send(c, i, &envelope, for_all)) {
            if (ftc_hooks_enabled)
                ftc_hooks_sent(c, s);
        } else if (ftc_board_state(&l->board, c->world[c->member[s->to]]) < FTC_RANK_FINALIZED) {
            r->actions.send[left++] = *s;
        }
    }
    r->actions.count = left;
    if (left > 0)
        r->was_blocked = true;
    return left == 0;
}

/* Returns whether the deaths on the board must be examined before a message of @from. A vote may
 * report that its sender has left the data phase because of a death, and the rank that decides must
 * know of that death too (doc/design.md, section 12). */
static bool is_to_look_first(const struct ftc_comm *c, uint32_t from)
{
    const struct ftc_board *board = &ftc_library.board;

    return c->running->votes && ftc_board_deaths(board) != c->deaths_seen &&
           !ftc_board_is_dead(board, from);
}

/* Gives a message to the operation on @c. Returns false if the message must wait. */
static bool deliver(struct ftc_comm *c, const struct ftc_arrival *a)
{
    struct ftc_running *r = c->running;
    struct ftc_message m;
    struct ftc_event event = {
        .kind = FTC_EVENT_MESSAGE, .peer = c->member_of_world[a->from], .message = &m};
    struct ftc_envelope envelope;
    enum ftc_step_outcome outcome;
    size_t value_bytes;

    if (event.peer < 0)
        return true; /* a rank that is excluded as dead */
    if (ftc_message_decode(a->wire, a->bytes, ftc_library.settings.failure_info, &envelope,
                           &value_bytes, &m, &scratch_info) != 0)
        return true; /* not a message of a correct peer */
    if (r->mismatched >= 0)
        return true; /* the first mismatch is the one that is reported */
    if (envelope.signature != r->note.signature) {
        ftc_mismatch_meet(c, c->member[event.peer], envelope.signature, a->note, &m, value_bytes);
        return true;
    }
    if (r->actions.count > 0 || r->prelude || is_to_look_first(c, a->from))
        return false;
    if (m.value && value_bytes != ftc_op_used_bytes(&r->op, m.value))
        return true;
    if (ftc_hooks_enabled)
        ftc_hooks_receive(c, event.peer, &m);
    outcome = ftc_op_step(&r->op, &event, &r->actions);
    ftc_messages_send(c);
    return outcome != FTC_STEP_LATER;
}

/* Drops a message of an operation that is over. Notes a mismatch if its sender was in another
 * call. */
static void meet_late(struct ftc_comm *c, const struct ftc_arrival *a,
                      const struct ftc_envelope *envelope)
{
    int from = c->member_of_world[a->from];

    if (from >= 0)
        ftc_mismatch_meet_late(c, c->member[from], envelope->seq, envelope->signature, a->note);
}

/* Finds the operation of a message and gives it the message. Returns false if the message must
 * wait. Sequence numbers may wrap around. */
static bool dispatch(const struct ftc_arrival *a)
{
    struct ftc_envelope envelope;
    struct ftc_comm *c;
    int32_t ahead;

    if (!ftc_message_read_envelope(a->wire, a->bytes, &envelope))
        return true;
    c = recent && recent->id == envelope.communicator_id ? recent
                                                         : ftc_comm_find(envelope.communicator_id);
    if (!c) /* communicator freed, or not used here yet */
        return ftc_comm_was_freed(envelope.communicator_id);
    ahead = (int32_t)(envelope.seq - c->seq);
    if (ahead < 0) {
        meet_late(c, a, &envelope);
        return true;
    }
    return ahead == 0 && c->running->active && deliver(c, a);
}

/* Processes a message, or keeps it if it must wait. It is not left in the ring, because a message
 * after it may be needed first: two ranks whose operations wait for room in each other's rings
 * would block. Returns false if it cannot be kept. */
static bool take(struct ftc_arrival *a)
{
    if (!dispatch(a) && !ftc_unexpected_keep(a))
        return false;
    ftc_transport_release(&ftc_library.transport, a);
    return true;
}

bool ftc_messages_take_from(uint32_t from)
{
    struct ftc_arrival a;
    bool progress = false;

    while (ftc_transport_next_from(&ftc_library.transport, from, &a) && take(&a))
        progress = true;
    return progress;
}

bool ftc_messages_take_multicast_of(struct ftc_comm *c, int member)
{
    struct ftc_running *r = c->running;
    struct ftc_envelope envelope = {.communicator_id = c->id, .seq = c->seq};
    struct ftc_arrival a;
    int rank = c->member[member];

    return ftc_op_multicasts(&r->op) && ftc_op_expects(&r->op, member) &&
           ftc_multicast_find(&r->multicast, &ftc_library.transport, rank, c->world[rank],
                              &envelope, &a) &&
           deliver(c, &a);
}

/* Checks the members in the order in which the engine waits for them, because a message of another
 * one would not help yet. Afterwards takes the messages in this rank's rings, which were sent
 * before and must be taken before the operation ends. */
bool ftc_messages_take_multicasts(struct ftc_comm *c)
{
    const struct ftc_op *op = &c->running->op;
    bool progress = false;

    while (ftc_op_multicasts(op)) {
        int sender = ftc_op_multicast_sender(op);

        if (!ftc_messages_take_multicast_of(c, sender) ||
            (ftc_op_multicasts(op) && ftc_op_multicast_sender(op) == sender))
            break;
        progress = true;
    }
    if (progress)
        ftc_messages_take();
    return progress;
}

bool ftc_messages_take(void)
{
    struct ftc_arrival a = {0};
    bool progress = false;

    while (ftc_transport_next(&ftc_library.transport, &a))
        progress |= take(&a);
    return progress;
}

void ftc_messages_offer_kept(struct ftc_comm *c)
{
    struct ftc_unexpected_message **link = ftc_unexpected_first(c->id);

    while (*link) {
        if (dispatch(&(*link)->arrival))
            ftc_unexpected_release(link);
        else
            link = &(*link)->next;
    }
}
