#include "gone_on.h"

#include "board/publication.h"
#include "board/rank_state.h"
#include "messages.h"
#include "mismatch.h"
#include "running.h"
#include "unexpected.h"

static bool awaits(const struct ftc_comm *c, int member)
{
    const struct ftc_running *r = c->running;

    return r->active && r->mismatched < 0 && r->actions.count == 0 && !r->prelude &&
           r->op.config.kind == FTC_OP_REDUCE && ftc_op_expects(&r->op, member);
}

/* What it has begun last; its messages of what comes before are in the ring by then. */
static bool has_begun_later(const struct ftc_comm *c, int member, uint32_t *seq)
{
    uint32_t world = c->world[c->member[member]];

    return ftc_board_is_here(&ftc_library.board, world) &&
           ftc_published_joined(&ftc_library.board, world, c->id, seq) &&
           (int32_t)(*seq - c->seq) > 0;
}

/* Its own reduce may have ended without a message, because of deaths: it knows none that the board
 * has not. A death is on the board before it is counted there. */
static bool knows_all_deaths(const struct ftc_comm *c)
{
    const struct ftc_board *board = &ftc_library.board;

    for (int i = 0; i < c->member_count; i++)
        if (!c->dead[i] && ftc_board_is_dead(board, c->world[c->member[i]]))
            return false;
    return ftc_board_deaths(board) == c->deaths_seen;
}

static bool is_of_later(const struct ftc_comm *c, const struct ftc_arrival *a)
{
    struct ftc_envelope envelope;

    return ftc_message_read_envelope(a->wire, a->bytes, &envelope) &&
           envelope.communicator_id == c->id && (int32_t)(envelope.seq - c->seq) > 0;
}

static bool keeps_later(const struct ftc_comm *c, uint32_t world)
{
    for (const struct ftc_unexpected_message *m = *ftc_unexpected_first(); m; m = m->next)
        if (m->arrival.from == world && is_of_later(c, &m->arrival))
            return true;
    return false;
}

/* Whether nothing of this operation can come of it any more: a message of a later one has come,
 * which none overtakes, or all that there is has been taken. If there is no room for that, what is
 * awaited may stand behind it. */
static bool has_sent_all(const struct ftc_comm *c, uint32_t world)
{
    struct ftc_arrival a;

    ftc_messages_take_from(world);
    return keeps_later(c, world) || !ftc_transport_next_from(&ftc_library.transport, world, &a) ||
           is_of_later(c, &a);
}

static bool has_gone_on(struct ftc_comm *c, int member)
{
    uint32_t world = c->world[c->member[member]], seq;
    struct ftc_note note;

    if (!awaits(c, member) || !has_begun_later(c, member, &seq) || !knows_all_deaths(c) ||
        !has_sent_all(c, world) || !awaits(c, member) ||
        !ftc_published_call(&ftc_library.board, world, c->id, seq, &note))
        return false;
    ftc_mismatch_meet_gone(c, c->member[member], seq, &note);
    return true;
}

bool ftc_gone_on_find(struct ftc_comm *c)
{
    for (int left = ftc_comm_looks(c); left > 0; left--)
        if (has_gone_on(c, ftc_comm_look(c, &c->gone_on)))
            return true;
    return false;
}
