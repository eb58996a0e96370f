#include "peer_events.h"

#include "board/publication.h"
#include "board/rank_state.h"
#include "hooks.h"
#include "messages.h"
#include "recovery.h"
#include "running.h"
#include "transport/remote_query.h"

static void peer_died(struct ftc_comm *c, int member)
{
    struct ftc_event event = {.kind = FTC_EVENT_PEER_FAILED, .peer = member};

    c->dead[member] = true;
    c->known_dead++;
    if (ftc_hooks_enabled)
        ftc_hooks_death(c, member);
    ftc_messages_step(c, &event);
    ftc_recovery_begin(c, c->world[c->member[member]]);
}

/* Processes the deaths in descending order of rank. Where ranks fail, the highest rank is the last
 * candidate root of an allreduce, so no attempt with another dead root is begun. */
bool ftc_peer_events_take_deaths(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    struct ftc_board *board = &ftc_library.board;
    uint32_t deaths = ftc_board_deaths(board);

    if (r->actions.count > 0)
        return false;
    for (int i = c->member_count - 1; i >= 0; i--) {
        uint32_t world = c->world[c->member[i]];

        if (c->dead[i] || !ftc_board_is_dead(board, world))
            continue;
        ftc_messages_take_from(world); /* a dead rank's messages still count */
        ftc_messages_take_multicast_of(c, i);
        if (r->actions.count > 0)
            return true;
        peer_died(c, i);
        if (!ftc_messages_send(c))
            return true;
    }
    c->deaths_seen = deaths;
    ftc_recovery_know();
    return true;
}

/* Takes the publication of @member, a living member for which the operation waits. Returns whether
 * there was one. */
static bool take_published(struct ftc_comm *c, int member)
{
    struct ftc_running *r = c->running;
    struct ftc_publication copy = {.value = r->published_value,
                                   .varies = r->op.config.used_bytes != NULL};
    struct ftc_event event = {
        .kind = FTC_EVENT_PUBLISHED, .peer = member, .published = &copy.result};

    if (!ftc_remote_query_published(&ftc_library.transport, c->world[c->member[member]], c->id,
                                    c->seq, r->op.attempt, r->op.config.value_bytes, &copy) ||
        (copy.result.value && copy.value_bytes != ftc_op_used_bytes(&r->op, copy.value)))
        return false;
    if (ftc_hooks_enabled)
        ftc_hooks_published(c, member, copy.result.attempt);
    ftc_messages_step(c, &event);
    ftc_messages_send(c);
    return true;
}

bool ftc_peer_events_take_published(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    bool progress = false;

    for (int i = 0; i < c->member_count && r->actions.count == 0; i++)
        progress |= !c->dead[i] && ftc_op_awaits(&r->op, i) && take_published(c, i);
    return progress;
}

bool ftc_peer_events_take_leader(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    int leader = ftc_op_leader(&r->op);

    return leader >= 0 && r->actions.count == 0 && take_published(c, leader);
}

bool ftc_peer_events_take_joined(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;
    struct ftc_event event = {.kind = FTC_EVENT_JOINED};
    bool progress = false;

    for (; event.peer < c->member_count && r->actions.count == 0; event.peer++) {
        if (!ftc_op_confirms(&r->op, event.peer) ||
            !ftc_remote_query_attempt(&ftc_library.transport, c->world[c->member[event.peer]],
                                      c->id, c->seq, r->op.attempt, &event.attempt) ||
            event.attempt < r->op.attempt)
            continue;
        ftc_messages_step(c, &event);
        ftc_messages_send(c);
        progress = true;
    }
    return progress;
}

void ftc_peer_events_publish_attempt(struct ftc_comm *c)
{
    struct ftc_running *r = c->running;

    r->published_attempt = r->op.attempt;
    ftc_publish_attempt(&ftc_library.board, ftc_library.world_rank, c->entry, c->seq,
                        r->op.attempt);
}
