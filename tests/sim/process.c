/* The life of a process: it goes through its operations, drives the engine as the library does
 * (shim/progress/loop.c), and dies when the scenario or the chooser says so. */
#include "check.h"
#include "internal.h"

#include <assert.h>
#include <string.h>

int sim_process_index(const struct sim_process *p, int rank)
{
    if (!(p->members & sim_bit(rank)))
        return -1;
    return __builtin_popcountll(p->members & (sim_bit(rank) - 1));
}

uint64_t sim_process_ranks(const struct sim_process *p, const struct ftc_failure_info *list)
{
    uint64_t ranks = 0;

    for (int i = 0; list && i < list->count; i++)
        ranks |= sim_bit(p->member[list->id[i]]);
    return ranks;
}

static struct ftc_hosts hosts_of(const struct sim *s, uint64_t ranks, int32_t *of)
{
    struct ftc_hosts hosts = {.count = 0, .are_far = s->scenario.are_far, .of = of};
    int32_t number[SIM_MAX_N];
    int index = 0;

    memset(number, -1, sizeof number);
    for (int rank = 0; rank < s->scenario.n; rank++) {
        int host = s->scenario.host[rank];

        if (!(ranks & sim_bit(rank)))
            continue;
        if (number[host] < 0)
            number[host] = hosts.count++;
        of[index++] = number[host];
    }
    return hosts;
}

void sim_process_init_topology(const struct sim *s, uint64_t ranks, struct ftc_topology *t,
                               int32_t *of, void *storage)
{
    const struct scenario *c = &s->scenario;
    struct ftc_hosts hosts = hosts_of(s, ranks, of);
    int n = __builtin_popcountll(ranks);

    if (c->hosts_fail) {
        ftc_topology_init_over_hosts(t, n, c->f, &c->tree, &hosts, storage);
        return;
    }
    ftc_topology_init(t, n, c->f, &c->tree, storage);
    t->hosts = hosts;
}

static bool is_allreduce(const struct sim *s, int seq)
{
    return s->scenario.op[seq].kind == FTC_OP_ALLREDUCE;
}

/* ---- operations ---- */

static const struct ftc_topology *topology_of(const struct sim *s, const struct sim_process *p)
{
    return p->members == sim_all(s) ? &s->topology : &p->own;
}

static void plan_exchange(const struct sim *s, struct sim_process *p, int rank)
{
    const struct ftc_topology *t = topology_of(s, p);

    ftc_exchange_plan_make(&p->exchange_plan, &t->hosts, s->scenario.manner, t->n,
                           sim_process_index(p, rank));
}

/* The next operation is without those whom an agreed list names (doc/design.md, section 5). */
static void renumber(struct sim *s, int rank, uint64_t failed)
{
    struct sim_process *p = &s->process[rank];
    int count = 0;

    p->members &= ~failed;
    for (int member = 0; member < s->scenario.n; member++)
        if (p->members & sim_bit(member))
            p->member[count++] = (uint8_t)member;
    if (failed)
        sim_process_init_topology(s, p->members, &p->own, p->host, p->topology_storage);
    plan_exchange(s, p, rank);
}

/* The vote: all have everything, or each tries again. */
static void hear_vote(struct sim *s, int rank)
{
    struct sim_process *p = &s->process[rank];
    const struct sim_outcome *o = sim_outcome_of(s, p->seq, rank);
    bool is_decided = o->verdict == FTC_VERDICT_VALUE && o->has_value;

    p->data->is_incomplete = is_decided && ((const struct sim_value *)o->value)->incomplete != 0;
    if (is_decided && !p->data->is_incomplete)
        sim_data_check(s, rank);
    if (p->data->is_incomplete)
        sim_check_try(s, rank);
}

static bool is_in_rounds(const struct sim *s, const struct sim_process *p)
{
    return p->stage == SIM_STAGE_TAKING || s->scenario.op[p->seq].is_in_rounds;
}

static void come_out(struct sim *s, int rank)
{
    struct sim_process *p = &s->process[rank];

    p->stage = p->seq < s->scenario.op_count ? SIM_STAGE_OUTSIDE : SIM_STAGE_FINISHED;
    if (p->stage == SIM_STAGE_OUTSIDE) {
        sim_event_allow(s, SIM_EVENT_START, rank, rank);
        return;
    }
    for (int peer = 0; peer < s->scenario.n; peer++)
        sim_event_forbid(s, SIM_EVENT_NEWS, rank, peer);
}

static void go_on(struct sim *s, int rank)
{
    s->process[rank].seq++;
    come_out(s, rank);
}

/* What was written is still to be taken. */
static void go_on_taking(struct sim *s, int rank)
{
    s->process[rank].seq++;
    s->process[rank].stage = SIM_STAGE_TAKING;
}

/* Publishes, and returns to the program, or goes on with what was written. */
static void leave(struct sim *s, int rank)
{
    struct sim_process *p = &s->process[rank];
    const struct ftc_result *r = &p->op.result;
    struct sim_outcome *o = sim_outcome_of(s, p->seq, rank);

    o->delivered++;
    o->verdict = r->verdict;
    o->attempt = r->attempt;
    o->failed = sim_process_ranks(p, r->failed);
    o->has_value = r->value != NULL;
    if (r->value)
        memcpy(o->value, r->value, sim_used_bytes(s, r->value));
    sim_trace_outcome(s, rank);
    sim_check_delivery(s, p->seq, rank);
    if (is_in_rounds(s, p))
        sim_rounds_hear(s, rank);
    else if (s->scenario.op[p->seq].is_segmented)
        sim_segmented_hear(s, rank);
    else if (s->scenario.op[p->seq].is_large)
        hear_vote(s, rank);
    if (is_allreduce(s, p->seq)) {
        p->published = p->seq;
        if (o->failed)
            renumber(s, rank, o->failed);
    }
    if (is_in_rounds(s, p))
        go_on_taking(s, rank);
    else
        go_on(s, rank);
    sim_board_refresh_of(s, rank);
    sim_board_refresh_by(s, rank);
}

/* Whoever has no lease stays, with its result. */
static void finish(struct sim *s, int rank)
{
    struct sim_process *p = &s->process[rank];
    bool is_over = sim_lease_is_over(s, rank);

    p->knew_dead = p->known_dead;
    if (!is_over && (!s->scenario.late_publish || !is_allreduce(s, p->seq))) {
        leave(s, rank);
        return;
    }
    p->stage = SIM_STAGE_LEAVING;
    sim_board_refresh_by(s, rank);
    if (!is_over)
        sim_event_allow(s, SIM_EVENT_PUBLISH, rank, rank);
}

/* After a step of the engine. */
static void act(struct sim *s, int rank, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];
    bool joined;

    sim_send_all(s, rank, chooser);
    if (!p->alive)
        return;
    joined = p->attempt != p->op.attempt;
    p->attempt = p->op.attempt;
    if (ftc_op_is_done(&p->op)) {
        finish(s, rank);
        return;
    }
    if (p->known_dead || s->scenario.eager_reads || p->op.phase == FTC_PHASE_CONFIRMATION ||
        ftc_op_leader(&p->op) >= 0)
        sim_board_refresh_by(s, rank);
    if (joined)
        sim_board_refresh_of(s, rank);
}

static enum ftc_step_outcome step(struct sim *s, int rank, const struct ftc_event *event,
                                  const struct sim_chooser *chooser)
{
    enum ftc_step_outcome outcome = ftc_op_step(&s->process[rank].op, event, &s->actions);

    act(s, rank, chooser);
    return outcome;
}

/* ---- messages ---- */

enum fate { TAKEN, EARLY };

static bool is_in_vote(const struct sim *s, const struct sim_process *p)
{
    return p->stage == SIM_STAGE_RUNNING && s->scenario.op[p->seq].is_large;
}

/* Whoever is to decide looks before it takes what the living say in a vote, which may be that they
 * have left because of a death (shim/progress/messages.c). It may die of what it then sends. */
static void look_for_deaths(struct sim *s, int rank, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];
    struct ftc_event event = {.kind = FTC_EVENT_PEER_FAILED};

    for (int peer = 0; peer < s->scenario.n && p->alive && is_in_vote(s, p); peer++) {
        if (!(s->dead & ~p->known_dead & sim_bit(peer)))
            continue;
        p->known_dead |= sim_bit(peer);
        sim_event_forbid(s, SIM_EVENT_NEWS, rank, peer);
        event.peer = sim_process_index(p, peer);
        if (event.peer >= 0)
            step(s, rank, &event, chooser);
    }
}

static enum fate offer(struct sim *s, int rank, int32_t message, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];
    int from = s->message[message].from, seq;
    struct ftc_envelope envelope = {0};
    struct ftc_message m = {0};
    struct ftc_event event = {.kind = FTC_EVENT_MESSAGE, .message = &m};
    enum ftc_step_outcome outcome;

    if (s->process[from].alive)
        look_for_deaths(s, rank, chooser);
    if (!p->alive)
        return TAKEN;
    seq = p->seq;
    event.peer = sim_process_index(p, from);
    sim_network_decode(s, message, &envelope, &m);
    if ((int)envelope.seq < p->seq + (p->stage == SIM_STAGE_LEAVING))
        return TAKEN; /* late: the operation is over */
    if ((int)envelope.seq > p->seq || p->stage != SIM_STAGE_RUNNING) {
        sim_check_early(s, (int)envelope.seq, rank);
        return EARLY;
    }
    if (event.peer < 0)
        return TAKEN; /* left out: it is dead */
    outcome = step(s, rank, &event, chooser);
    if (outcome == FTC_STEP_BAD)
        sim_check_refusal(s, seq, from, rank, m.kind);
    return outcome == FTC_STEP_LATER ? EARLY : TAKEN;
}

static void keep(struct sim *s, int rank, int32_t message)
{
    struct sim_process *p = &s->process[rank];

    sim_queue_append(s, &p->early, message);
    if (++p->early_count > (int)s->early_most)
        s->early_most = (uint32_t)p->early_count;
}

static void deliver(struct sim *s, int rank, int32_t message, const struct sim_chooser *chooser)
{
    s->deliveries++;
    sim_network_take(s, message);
    if (offer(s, rank, message, chooser) == EARLY)
        keep(s, rank, message);
    else
        sim_network_free(s, message);
}

/* Offers the kept messages again: when an operation starts, and when its attempt has changed. */
static void offer_early(struct sim *s, int rank, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];
    struct sim_queue all = p->early;

    p->early = (struct sim_queue){-1, -1};
    p->early_count = 0;
    for (int32_t message = all.first, next; message >= 0; message = next) {
        next = s->message[message].next;
        if (p->alive && offer(s, rank, message, chooser) == EARLY)
            keep(s, rank, message);
        else
            sim_network_free(s, message);
    }
}

/* ---- events ---- */

static void init_op(struct sim *s, int rank, int root)
{
    const struct scenario *c = &s->scenario;
    struct sim_process *p = &s->process[rank];

    p->kind = sim_value_kind(c->n, c->blocks, p->seq);
    sim_value_original((struct sim_value *)p->original, &p->kind, rank, p->seq);
    if (is_in_rounds(s, p))
        sim_value_say((struct sim_value *)p->original, rank, ftc_rounds_left(&p->rounds->progress));
    else if (c->op[p->seq].is_segmented)
        sim_segmented_say(s, rank, (struct sim_value *)p->original);
    else if (c->op[p->seq].is_large)
        ((struct sim_value *)p->original)->incomplete = p->data->phase.outcome == FTC_DATA_LEFT;
    ftc_op_init(&p->op,
                &(struct ftc_op_config){
                    .kind = c->op[p->seq].kind,
                    .algorithm = c->algorithm,
                    .failure_scheme = c->scheme,
                    .correction = c->correction,
                    .ring_distance = c->ring_distance,
                    .deterministic = c->deterministic,
                    .direct = c->op[p->seq].is_direct,
                    .topology = topology_of(s, p),
                    .exchange_plan = &p->exchange_plan,
                    .rank = sim_process_index(p, rank),
                    .root = root,
                    .value_bytes = s->value_bytes,
                    .original = p->original,
                    .combine = sim_value_combine,
                    .context = &p->kind,
                    .used_bytes = c->blocks ? sim_value_used_bytes : NULL,
                },
                p->op_storage);
}

static void tell_known_deaths(struct sim *s, struct sim_process *p)
{
    struct ftc_event event = {.kind = FTC_EVENT_PEER_FAILED};

    for (int peer = 0; p->known_dead && peer < s->scenario.n; peer++) {
        event.peer = sim_process_index(p, peer);
        if (p->known_dead & sim_bit(peer) && event.peer >= 0)
            ftc_op_step(&p->op, &event, &s->actions);
    }
}

/* "Reduce sent to a failed process simply becomes a no-op": its root was left out before. */
static void skip(struct sim *s, int rank)
{
    struct sim_outcome *o = sim_outcome_of(s, s->process[rank].seq, rank);

    o->delivered++;
    o->is_skipped = true;
    o->verdict = FTC_VERDICT_VALUE;
    go_on(s, rank);
}

static void start_engine(struct sim *s, int rank, int root, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];

    init_op(s, rank, root);
    p->stage = SIM_STAGE_RUNNING;
    p->attempt = 0;
    tell_known_deaths(s, p);
    step(s, rank, &(struct ftc_event){.kind = FTC_EVENT_START}, chooser);
    if (p->alive)
        sim_board_refresh_of(s, rank);
    offer_early(s, rank, chooser);
}

/* All deaths are on the board, which is looked at before the vote (shim/progress/loop.c). */
static void vote(struct sim *s, int rank, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];

    p->known_dead |= s->dead;
    for (int peer = 0; peer < s->scenario.n; peer++)
        sim_event_forbid(s, SIM_EVENT_NEWS, rank, peer);
    start_engine(s, rank, 0, chooser);
}

static bool can_turn(const struct sim *s, int rank)
{
    const struct sim_process *p = &s->process[rank];

    if (!p->alive || (p->stage != SIM_STAGE_DATA && p->stage != SIM_STAGE_TAKING))
        return false;
    return is_in_rounds(s, p) ? sim_rounds_can_turn(s, rank) : sim_data_can_turn(s, rank);
}

static void refresh_data(struct sim *s)
{
    for (int rank = 0; rank < s->scenario.n; rank++)
        if (can_turn(s, rank))
            sim_event_allow(s, SIM_EVENT_DATA, rank, rank);
}

/* A turn counts as a send: as the place of a death. */
static void take_turn(struct sim *s, int rank, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];
    bool is_over;

    sim_event_forbid(s, SIM_EVENT_DATA, rank, rank);
    if (sim_death_is_due(p, true)) {
        sim_death_crash(s, p->dies_with);
        return;
    }
    is_over = is_in_rounds(s, p) ? sim_rounds_turn(s, rank) : sim_data_turn(s, rank);
    sim_death_count_send(p, true);
    if (sim_death_is_due(p, false))
        sim_death_crash(s, p->dies_with);
    else if (is_over && p->stage == SIM_STAGE_DATA)
        vote(s, rank, chooser);
    else if (is_over)
        come_out(s, rank);
}

static bool is_again(const struct sim_process *p, const struct scenario_op *op)
{
    if (op->is_segmented)
        return p->segmented.is_again;
    return op->is_in_rounds ? sim_rounds_is_again(p->rounds) : p->data->is_incomplete;
}

static void start(struct sim *s, int rank, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];
    const struct scenario_op *op = &s->scenario.op[p->seq];
    bool has_root = op->kind == FTC_OP_REDUCE || op->data != FTC_SCHEDULE_ALLREDUCE;
    int root = has_root ? sim_process_index(p, op->root) : 0;

    sim_event_forbid(s, SIM_EVENT_START, rank, rank);
    sim_outcome_of(s, p->seq, rank)->members = p->members;
    if (root < 0 || (op->is_further && !is_again(p, op))) {
        p->data->is_incomplete = false;
        if (op->is_further)
            sim_outcome_of(s, p->seq, rank)->members = 0; /* nobody begins it */
        skip(s, rank);
    } else if (op->is_large) {
        p->stage = SIM_STAGE_DATA;
        if (op->is_in_rounds)
            sim_rounds_begin(s, rank);
        else
            sim_data_begin(s, rank);
    } else {
        if (op->is_segmented && !op->is_further)
            sim_segmented_begin(s, rank);
        start_engine(s, rank, root, chooser);
    }
}

static void hear_of_death(struct sim *s, int rank, int peer, const struct sim_chooser *chooser)
{
    struct sim_process *p = &s->process[rank];
    struct ftc_event event = {.kind = FTC_EVENT_PEER_FAILED, .peer = sim_process_index(p, peer)};
    uint32_t attempt = p->op.attempt;

    sim_event_forbid(s, SIM_EVENT_NEWS, rank, peer);
    p->known_dead |= sim_bit(peer);
    if (s->process[peer].alive)
        sim_death_close_link(s, peer, rank);
    if (p->stage != SIM_STAGE_RUNNING || event.peer < 0)
        return;
    step(s, rank, &event, chooser);
    if (p->alive && p->op.attempt != attempt)
        offer_early(s, rank, chooser);
}

static void look_at_board(struct sim *s, int rank, int peer, const struct sim_chooser *chooser)
{
    struct ftc_result result;
    struct ftc_event event = sim_board_read(s, rank, peer, &result);

    sim_event_forbid(s, SIM_EVENT_READ, rank, peer);
    step(s, rank, &event, chooser);
}

static void ask(struct sim *s, int rank, int peer)
{
    sim_event_forbid(s, SIM_EVENT_READ, rank, peer);
    sim_board_ask(s, rank, peer);
}

static void hear_answer(struct sim *s, int rank, int peer, const struct sim_chooser *chooser)
{
    struct ftc_result result;
    struct ftc_event event;

    sim_event_forbid(s, SIM_EVENT_ANSWER, rank, peer);
    if (sim_board_hear(s, rank, peer, &event, &result))
        step(s, rank, &event, chooser);
    if (s->process[rank].alive)
        sim_board_refresh_by(s, rank);
}

void sim_process_step(struct sim *s, struct sim_event event, const struct sim_chooser *chooser)
{
    switch ((enum sim_event_kind)event.kind) {
    case SIM_EVENT_START:
        start(s, event.process, chooser);
        break;
    case SIM_EVENT_DELIVER:
        deliver(s, event.process, event.message, chooser);
        break;
    case SIM_EVENT_NEWS:
        hear_of_death(s, event.process, event.peer, chooser);
        break;
    case SIM_EVENT_READ:
        if (sim_are_apart(s, event.process, event.peer))
            ask(s, event.process, event.peer);
        else
            look_at_board(s, event.process, event.peer, chooser);
        break;
    case SIM_EVENT_ANSWER:
        hear_answer(s, event.process, event.peer, chooser);
        break;
    case SIM_EVENT_LOSE:
        sim_event_forbid(s, SIM_EVENT_LOSE, event.process, event.peer);
        sim_network_drop(s, event.peer, event.process);
        break;
    case SIM_EVENT_PUBLISH:
        sim_event_forbid(s, SIM_EVENT_PUBLISH, event.process, event.process);
        leave(s, event.process);
        break;
    case SIM_EVENT_CRASH:
        sim_death_crash_freely(s, event.process);
        break;
    case SIM_EVENT_DATA:
        take_turn(s, event.process, chooser);
        break;
    case SIM_EVENT_TELL:
        sim_host_hear(s, event.process, event.peer);
        break;
    case SIM_EVENT_LOSS:
        sim_host_hear_loss(s, event.process, event.peer);
        break;
    case SIM_EVENT_END:
        sim_lease_see_end(s, event.process);
        break;
    case SIM_EVENT_TICK:
        sim_lease_tick(s);
        break;
    case SIM_EVENT_KINDS:
        assert(false);
    }
    refresh_data(s);
}

/* ---- the beginning ---- */

static void begin(struct sim *s, int rank)
{
    struct sim_process *p = &s->process[rank];

    p->alive = true;
    p->stage = SIM_STAGE_OUTSIDE;
    p->seq = p->sends = 0;
    p->first_sends = 0;
    p->attempt = 0;
    p->known_dead = 0;
    p->members = sim_all(s);
    p->published = -1;
    p->dies_at = -1;
    p->dies_with = 0;
    p->early = (struct sim_queue){-1, -1};
    p->early_count = 0;
    sim_data_reset(s, rank);
    sim_rounds_reset(s, rank);
    p->segmented = (struct sim_segmented){.first_op = -1};
    renumber(s, rank, 0);
    sim_event_allow(s, SIM_EVENT_START, rank, rank);
    if (s->free_crashes > 0 && s->scenario.free_ranks & sim_bit(rank))
        sim_event_allow(s, SIM_EVENT_CRASH, rank, rank);
}

/* The first of the ranks pulls the others with it. */
static void plan_crash(struct sim *s, const struct scenario_crash *c)
{
    struct sim_process *p = &s->process[c->first];

    p->dies_at = c->sends;
    p->dies_before = c->before;
    p->dies_with = c->ranks;
    if (c->sends == 0)
        sim_death_crash(s, c->ranks);
}

void sim_process_begin(struct sim *s)
{
    for (int rank = 0; rank < s->scenario.n; rank++)
        begin(s, rank);
    for (int rank = 0; rank < s->scenario.n; rank++)
        sim_lease_split(s, rank, false);
    for (int i = 0; i < s->scenario.crash_count; i++)
        plan_crash(s, &s->scenario.crash[i]);
}
