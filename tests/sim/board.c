/* The board: what each process shows to the others, and who can learn something from it. */
#include "internal.h"

static bool shows_result(const struct sim *s, const struct sim_process *reader, int peer)
{
    return s->process[peer].published == reader->seq;
}

static bool shows_attempt(const struct sim *s, const struct sim_process *reader, int peer)
{
    const struct sim_process *q = &s->process[peer];

    return q->stage == SIM_STAGE_RUNNING && q->seq == reader->seq &&
           q->attempt >= reader->op.attempt;
}

/* Whether a look at what @peer shows would tell @rank something (doc/design.md, section 5, rules 3
 * to 5).
 */
static bool can_read(const struct sim *s, int rank, int peer)
{
    const struct sim_process *p = &s->process[rank];
    int index = sim_process_index(p, peer);

    if (index < 0 || !s->process[peer].alive || p->known_dead & sim_bit(peer))
        return false;
    if (shows_result(s, p, peer))
        return (s->scenario.eager_reads || p->known_dead & p->members ||
                ftc_op_leader(&p->op) == index) &&
               ftc_op_awaits(&p->op, index);
    return ftc_op_confirms(&p->op, index) && shows_attempt(s, p, peer);
}

static void refresh_read(struct sim *s, int rank, int peer)
{
    const struct sim_process *p = &s->process[rank];

    if (p->alive && p->stage == SIM_STAGE_RUNNING &&
        !s->answer[rank * s->scenario.n + peer].is_under_way &&
        s->scenario.op[p->seq].kind == FTC_OP_ALLREDUCE && can_read(s, rank, peer))
        sim_event_allow(s, SIM_EVENT_READ, rank, peer);
    else
        sim_event_forbid(s, SIM_EVENT_READ, rank, peer);
}

void sim_board_refresh_by(struct sim *s, int rank)
{
    for (int peer = 0; peer < s->scenario.n; peer++)
        if (peer != rank)
            refresh_read(s, rank, peer);
}

void sim_board_refresh_of(struct sim *s, int peer)
{
    for (int rank = 0; rank < s->scenario.n; rank++)
        if (rank != peer)
            refresh_read(s, rank, peer);
}

/* The result in the reader's numbering. */
static struct ftc_result published(const struct sim *s, const struct sim_process *reader, int peer,
                                   struct ftc_failure_info *failed)
{
    const struct sim_outcome *o = sim_outcome_of(s, reader->seq, peer);

    failed->count = 0;
    failed->overflow = failed->subtree_failed = false;
    for (int rank = 0; rank < s->scenario.n; rank++)
        if (o->failed & sim_bit(rank))
            failed->id[failed->count++] = sim_process_index(reader, rank);
    return (struct ftc_result){.verdict = o->verdict,
                               .attempt = o->attempt,
                               .failed = failed,
                               .value = o->has_value ? o->value : NULL};
}

struct ftc_event sim_board_read(struct sim *s, int rank, int peer, struct ftc_result *result)
{
    const struct sim_process *p = &s->process[rank];
    struct ftc_event event = {.peer = sim_process_index(p, peer)};

    if (shows_result(s, p, peer)) {
        *result = published(s, p, peer, &s->info);
        event.kind = FTC_EVENT_PUBLISHED;
        event.published = result;
    } else {
        event.kind = FTC_EVENT_JOINED;
        event.attempt = s->process[peer].attempt;
    }
    return event;
}

/* ---- between hosts ---- */

/* A question and its answer wait for both ways. */
static void refresh_answer(struct sim *s, int rank, int peer)
{
    int here = s->host[rank], there = s->host[peer];

    if (s->process[rank].alive && s->answer[rank * s->scenario.n + peer].is_under_way &&
        !sim_lease_is_cut(s, here, there) && !sim_lease_is_cut(s, there, here))
        sim_event_allow(s, SIM_EVENT_ANSWER, rank, peer);
    else
        sim_event_forbid(s, SIM_EVENT_ANSWER, rank, peer);
}

void sim_board_ask(struct sim *s, int rank, int peer)
{
    const struct sim_process *p = &s->process[rank];

    s->answer[rank * s->scenario.n + peer] = (struct sim_answer){
        .seq = p->seq,
        .attempt = p->op.attempt,
        .is_result = shows_result(s, p, peer),
        .joined = s->process[peer].attempt,
        .is_under_way = true,
    };
    refresh_answer(s, rank, peer);
}

void sim_board_refresh_answers(struct sim *s, int rank)
{
    for (int peer = 0; peer < s->scenario.n; peer++)
        refresh_answer(s, rank, peer);
}

/* An answer is of the attempt in which it was asked for: in a later one the other may be dead, and
 * somebody may count on that already. What was published does not change. */
bool sim_board_hear(struct sim *s, int rank, int peer, struct ftc_event *event,
                    struct ftc_result *result)
{
    const struct sim_process *p = &s->process[rank];
    struct sim_answer *a = &s->answer[rank * s->scenario.n + peer];

    a->is_under_way = false;
    *event = (struct ftc_event){.peer = sim_process_index(p, peer)};
    if (p->stage != SIM_STAGE_RUNNING || a->seq != p->seq || a->attempt != p->op.attempt ||
        event->peer < 0 || p->known_dead & sim_bit(peer))
        return false;
    if (a->is_result) {
        *result = published(s, p, peer, &s->info);
        event->kind = FTC_EVENT_PUBLISHED;
        event->published = result;
        return ftc_op_awaits(&p->op, event->peer);
    }
    event->kind = FTC_EVENT_JOINED;
    event->attempt = a->joined;
    return ftc_op_confirms(&p->op, event->peer);
}
