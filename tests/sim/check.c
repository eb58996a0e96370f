#include "check.h"

#include "board/rank_state.h"
#include "internal.h"

#include <stdarg.h>
#include <string.h>

void sim_violation(struct sim *s, const char *rule, const char *format, ...)
{
    va_list args;
    int used;

    if (s->violation[0] != '\0')
        return;
    used = snprintf(s->violation, sizeof s->violation, "%s: ", rule);
    va_start(args, format);
    vsnprintf(s->violation + used, sizeof s->violation - (size_t)used, format, args);
    va_end(args);
    sim_trace_note(s, "VIOLATION %s", s->violation);
}

static bool is_allreduce(const struct sim *s, int seq)
{
    return s->scenario.op[seq].kind == FTC_OP_ALLREDUCE;
}

static bool is_live(const struct sim *s, int rank)
{
    return s->process[rank].alive && !(s->lost & sim_bit(rank));
}

/* A rank of a lost host has failed, whether it knows it or not. */
static uint64_t failed(const struct sim *s)
{
    return s->dead | s->lost;
}

static int failures_among(const struct sim *s, uint64_t members)
{
    return __builtin_popcountll(failed(s) & members);
}

/* ---- when a process returns ---- */

/* Reduce 1, Allreduce 1: "If the root [any process] calls deliver(m), all non-failed processes have
 * called init(m)." */
static void delivers_after_all_have_begun(struct sim *s, int seq, int rank)
{
    const struct sim_outcome *o = sim_outcome_of(s, seq, rank);

    if (!is_allreduce(s, seq) && !o->has_value)
        return; /* not the root, or more than f failures */
    for (int i = 0; i < s->scenario.n; i++)
        if (is_live(s, i) && sim_outcome_of(s, seq, i)->members == 0)
            sim_violation(s, "delivers_after_all_have_begun", "op %d: p%d has not begun, p%d ends",
                          seq, i, rank);
}

/* Reduce 2, Allreduce 2: "Each process calls deliver(m) at most once for a given m." */
static void delivers_at_most_once(struct sim *s, int seq, int rank)
{
    int times = sim_outcome_of(s, seq, rank)->delivered;

    if (times > 1)
        sim_violation(s, "delivers_at_most_once", "op %d: p%d %d times", seq, rank, times);
}

/* "Up to f arbitrary processes may fail": thm:reduce-number-failures, and doc/design.md, section 3:
 * if no subtree qualifies there are more than f failures. */
static void up_to_f_failures_are_tolerated(struct sim *s, int seq, int rank)
{
    const struct sim_outcome *o = sim_outcome_of(s, seq, rank);

    if (o->verdict == FTC_VERDICT_EXCESS &&
        scenario_is_tolerable(&s->scenario, o->members, failed(s)))
        sim_violation(s, "up_to_f_failures_are_tolerated", "op %d: p%d gives up with %d failures",
                      seq, rank, failures_among(s, o->members));
}

/* doc/design.md, section 3: more than f failures are an error "on every process that can still be
 * told", and so on who knows of them before its reduce ends; a reduce to a failed process is a
 * no-op. */
static void a_known_excess_is_an_error(struct sim *s, int seq, int rank)
{
    const struct sim_outcome *o = sim_outcome_of(s, seq, rank);
    uint64_t known = s->process[rank].knew_dead & o->members;

    if (!is_allreduce(s, seq) && !scenario_is_tolerable(&s->scenario, o->members, known) &&
        !(known & sim_bit(s->scenario.op[seq].root)) && o->verdict != FTC_VERDICT_EXCESS)
        sim_violation(s, "a_known_excess_is_an_error", "op %d: p%d knows of %d failures", seq, rank,
                      __builtin_popcountll(known));
}

/* doc/design.md, section 5: an agreed list takes processes out for good, so it must not name a live
 * one. */
static void only_dead_are_listed(struct sim *s, int seq, int rank)
{
    const struct sim_outcome *o = sim_outcome_of(s, seq, rank);

    if (o->failed & ~failed(s))
        sim_violation(s, "only_dead_are_listed", "op %d: p%d lists %#llx, dead are %#llx", seq,
                      rank, (unsigned long long)o->failed, (unsigned long long)failed(s));
}

/* The first candidates are of different hosts, where hosts fail: all ranks of one are one failure,
 * until each host has one. */
static int failed_roots(const struct sim *s, uint64_t members)
{
    int lost = scenario_hosts_among(&s->scenario, failed(s) & members);

    return s->scenario.hosts_fail && lost < scenario_hosts_among(&s->scenario, members)
               ? lost
               : failures_among(s, members);
}

bool sim_exchanges(const struct scenario *c, uint64_t members)
{
    return c->algorithm == FTC_ALGORITHM_OPTIMISTIC || __builtin_popcountll(members) == 2;
}

/* thm:allreduce-number-messages: f failures lead to at most f + 1 attempts. An exchange comes
 * before the first of them. */
static void attempts_are_bounded(struct sim *s, int seq, int rank)
{
    const struct sim_outcome *o = sim_outcome_of(s, seq, rank);
    int more = sim_exchanges(&s->scenario, o->members);

    if (is_allreduce(s, seq) && (int)o->attempt > failed_roots(s, o->members) + more)
        sim_violation(s, "attempts_are_bounded", "op %d: p%d ends in attempt %u after %d failures",
                      seq, rank, o->attempt, failures_among(s, o->members));
}

static bool have_same_bits(const struct sim *s, const void *a, const void *b)
{
    size_t bytes = sim_used_bytes(s, a);

    return bytes == sim_used_bytes(s, b) && memcmp(a, b, bytes) == 0;
}

/* The same bits, verdict and list. */
static void agree(struct sim *s, const char *rule, int seq, int a, int b)
{
    const struct sim_outcome *x = sim_outcome_of(s, seq, a), *y = sim_outcome_of(s, seq, b);

    if (x->verdict != y->verdict || x->has_value != y->has_value)
        sim_violation(s, rule, "op %d: verdict %d at p%d, %d at p%d", seq, (int)x->verdict, a,
                      (int)y->verdict, b);
    else if (x->has_value && !have_same_bits(s, x->value, y->value))
        sim_violation(s, rule, "op %d: values of p%d and p%d differ", seq, a, b);
    else if (x->failed != y->failed)
        sim_violation(s, rule, "op %d: p%d lists %#llx, p%d %#llx", seq, a,
                      (unsigned long long)x->failed, b, (unsigned long long)y->failed);
}

/* Of two that differ one had failed before the other returned: so never do both go on. With lost
 * hosts: of two sides one. */
static void whoever_goes_on_agrees(struct sim *s, int seq, int rank)
{
    for (int i = 0; i < s->scenario.n && is_allreduce(s, seq); i++)
        if (i != rank && is_live(s, i) && sim_outcome_of(s, seq, i)->delivered > 0)
            agree(s, "whoever_goes_on_agrees", seq, i, rank);
}

/* doc/design.md, section 11: a host that is given up has stopped before. */
static void no_rank_of_a_lost_host_returns(struct sim *s, int seq, int rank)
{
    if (s->lost & sim_bit(rank))
        sim_violation(s, "no_rank_of_a_lost_host_returns", "op %d: p%d", seq, rank);
}

void sim_check_delivery(struct sim *s, int seq, int rank)
{
    delivers_at_most_once(s, seq, rank);
    delivers_after_all_have_begun(s, seq, rank);
    up_to_f_failures_are_tolerated(s, seq, rank);
    a_known_excess_is_an_error(s, seq, rank);
    only_dead_are_listed(s, seq, rank);
    attempts_are_bounded(s, seq, rank);
    no_rank_of_a_lost_host_returns(s, seq, rank);
    whoever_goes_on_agrees(s, seq, rank);
}

/* doc/design.md, section 12: else the next try would be no other. */
static void an_incomplete_try_leaves_somebody_out(struct sim *s, int rank)
{
    int seq = s->process[rank].seq;

    if (sim_outcome_of(s, seq, rank)->failed == 0)
        sim_violation(s, "an_incomplete_try_leaves_somebody_out", "op %d: p%d", seq, rank);
}

void sim_check_try(struct sim *s, int rank)
{
    an_incomplete_try_leaves_somebody_out(s, rank);
}

/* ---- messages ---- */

/* Always: a further try, or a large operation whose root is dead, is nothing to do. */
static bool all_take_part(const struct scenario_op *op)
{
    return op->kind == FTC_OP_ALLREDUCE && !op->is_further &&
           (!op->is_large || op->data == FTC_SCHEDULE_ALLREDUCE);
}

/* doc/design.md, section 5, rule 1: nobody can finish an allreduce while a live process has not
 * begun it. So the messages that @rank must keep are of operations up to the one after its next
 * allreduce, and their number is bounded by what those can send to it. Not so of a lost host, which
 * the others have gone on without: until it stops. */
static void early_messages_are_bounded(struct sim *s, int seq, int rank)
{
    const struct sim_process *p = &s->process[rank];
    bool is_outside = p->stage == SIM_STAGE_OUTSIDE || p->stage == SIM_STAGE_TAKING;
    int allreduces = 0;

    for (int i = p->seq + !is_outside; i < seq; i++)
        allreduces += all_take_part(&s->scenario.op[i]);
    if (allreduces > 0 && is_live(s, rank))
        sim_violation(s, "early_messages_are_bounded", "p%d in op %d gets a message of op %d", rank,
                      p->seq, seq);
}

/* doc/design.md, section 7: sends to a dead rank stay pending, so none goes to the known dead. */
static void nobody_sends_to_the_known_dead(struct sim *s, int from, int to)
{
    if (s->process[from].known_dead & sim_bit(to))
        sim_violation(s, "nobody_sends_to_the_known_dead", "op %d: p%d to p%d",
                      s->process[from].seq, from, to);
}

void sim_check_send(struct sim *s, int from, int to)
{
    nobody_sends_to_the_known_dead(s, from, to);
}

void sim_check_early(struct sim *s, int seq, int rank)
{
    early_messages_are_bounded(s, seq, rank);
}

/* Nobody alive and in the same numbering sends what the engine refuses. Whoever died after a result
 * that was not agreed on may have numbered differently. */
void sim_check_refusal(struct sim *s, int seq, int from, int to, enum ftc_message_kind kind)
{
    if (sim_outcome_of(s, seq, from)->members == sim_outcome_of(s, seq, to)->members)
        sim_violation(s, "no_message_is_refused", "op %d: p%d refuses one of kind %d from p%d", seq,
                      to, (int)kind, from);
}

/* ---- boards ---- */

/* doc/design.md, section 11: nobody but a host itself says anything of its ranks. */
static void only_dead_are_shown(struct sim *s, int host)
{
    for (int rank = 0; rank < s->scenario.n; rank++)
        if (ftc_board_is_dead(&s->hosts[host].board, (uint32_t)rank) &&
            !(failed(s) & sim_bit(rank)))
            sim_violation(s, "only_dead_are_shown", "host %d shows p%d", host, rank);
}

static int shown_deaths(const struct sim *s, int host)
{
    int deaths = 0;

    for (int rank = 0; rank < s->scenario.n; rank++)
        deaths += ftc_board_is_dead(&s->hosts[host].board, (uint32_t)rank);
    return deaths;
}

/* However often it is told. */
static void a_death_is_counted_once(struct sim *s, int host)
{
    int counted = (int)ftc_board_deaths(&s->hosts[host].board);

    if (counted > shown_deaths(s, host))
        sim_violation(s, "a_death_is_counted_once", "host %d counts %d, and shows %d", host,
                      counted, shown_deaths(s, host));
}

void sim_check_board(struct sim *s, int host)
{
    only_dead_are_shown(s, host);
    a_death_is_counted_once(s, host);
}

/* ---- hosts ---- */

/* doc/design.md, section 11: nothing shorter than unreachable_ms is a loss. */
static void a_short_split_is_a_delay(struct sim *s, int host, const char *what)
{
    const struct sim_host *h = &s->hosts[host];

    if (!h->is_gone && !ftc_lease_has_ended(&h->board) && h->lease.troubled < SIM_LEASE_TICKS)
        sim_violation(s, "a_short_split_is_a_delay", "host %d %s after %d ticks", host, what,
                      h->lease.troubled);
}

/* With an agent that runs it does not even compute any more. */
static void a_lost_host_has_stopped(struct sim *s, int host)
{
    const struct sim_host *h = &s->hosts[host];

    if (!h->is_gone && (!ftc_lease_is_over(&h->board) || h->lease.awake == SIM_LEASE_TICKS))
        sim_violation(s, "a_lost_host_has_stopped", "host %d", host);
}

void sim_check_stop(struct sim *s, int host)
{
    a_short_split_is_a_delay(s, host, "stops");
}

void sim_check_loss(struct sim *s, int host)
{
    a_short_split_is_a_delay(s, host, "is lost");
    a_lost_host_has_stopped(s, host);
}

/* ---- at the end ---- */

/* Nothing can happen any more: all that agents had to hear they have heard. */
static void every_host_counts_all_deaths(struct sim *s)
{
    int deaths = __builtin_popcountll(s->dead);

    for (int i = 0; i < s->host_count; i++)
        if ((s->hosts[i].ranks & ~s->dead) != 0 &&
            (int)ftc_board_deaths(&s->hosts[i].board) != deaths)
            sim_violation(s, "every_host_counts_all_deaths", "host %d: %d of %d", i,
                          (int)ftc_board_deaths(&s->hosts[i].board), deaths);
}

/* Reduce 5, Allreduce 3: "Each non-failed process executes deliver(m) eventually". Nothing can
 * happen any more, so whoever has not ended waits forever. */
static void every_live_process_ends(struct sim *s)
{
    for (int rank = 0; rank < s->scenario.n; rank++) {
        const struct sim_process *p = &s->process[rank];

        if (p->alive && p->stage != SIM_STAGE_FINISHED)
            sim_violation(s, "every_live_process_ends", "p%d waits in op %d, attempt %u, phase %d",
                          rank, p->seq, p->attempt, (int)p->op.phase);
    }
}

/* Reduce 3 "includes the input values of all non-failed processes", Allreduce 4, each once; Reduce
 * 4 "Values of failed processes are either included normally, or disregarded": at most once, and
 * not at all if it failed before the operation. */
static void each_contribution_is_right(struct sim *s, int seq, int rank)
{
    const struct sim_value *v = (const struct sim_value *)sim_outcome_of(s, seq, rank)->value;

    if (v->operations != 1u << seq)
        sim_violation(s, "values_of_operations_do_not_mix", "op %d at p%d: %#x", seq, rank,
                      v->operations);
    for (int i = 0; i < s->scenario.n; i++) {
        bool has_begun = sim_outcome_of(s, seq, i)->members != 0;

        if (is_live(s, i) && v->count[i] != 1)
            sim_violation(s, "each_live_contribution_once", "op %d: p%d has that of p%d %d times",
                          seq, rank, i, v->count[i]);
        else if (v->count[i] > has_begun)
            sim_violation(s, "each_dead_contribution_at_most_once",
                          "op %d: p%d has that of p%d %d times", seq, rank, i, v->count[i]);
    }
}

static bool is_right_block(const struct ftc_block *block, int rank, int seq)
{
    size_t bytes = sim_value_block_bytes(rank);

    for (size_t i = 0; i < bytes && block->bytes == bytes; i++)
        if (block->data[i] != sim_value_block_content(rank, seq))
            return false;
    return block->bytes == bytes;
}

/* Of whoever is in a result that is not too large there is one block, as its owner made it. */
static void each_block_is_there_once(struct sim *s, int seq, int rank)
{
    const struct sim_value *v = (const struct sim_value *)sim_outcome_of(s, seq, rank)->value;
    const void *blocks = sim_value_blocks(v);
    struct ftc_block block;
    int times[SIM_MAX_N] = {0};
    size_t at = 0;

    while (ftc_blocks_next(blocks, &at, &block))
        if (block.rank >= s->scenario.n || !is_right_block(&block, block.rank, seq))
            sim_violation(s, "each_block_is_there_once", "op %d at p%d: a wrong one of p%d", seq,
                          rank, block.rank);
        else
            times[block.rank]++;
    for (int i = 0; i < s->scenario.n; i++)
        if (times[i] != v->count[i])
            sim_violation(s, "each_block_is_there_once", "op %d at p%d: that of p%d %d times", seq,
                          rank, i, times[i]);
}

/* Too large are the blocks of who is in a result, all together: neither more nor fewer. */
static void only_what_is_too_large_is_left_out(struct sim *s, int seq, int rank, bool is_left_out)
{
    const struct sim_value *v = (const struct sim_value *)sim_outcome_of(s, seq, rank)->value;
    struct sim_value_kind kind = sim_value_kind(s->scenario.n, true, seq);
    size_t bytes = 0;

    for (int i = 0; i < s->scenario.n; i++)
        bytes += v->count[i] * sim_value_block_bytes(i);
    if ((bytes > kind.limit.data_bytes) != is_left_out)
        sim_violation(s, "only_what_is_too_large_is_left_out", "op %d at p%d: %zu bytes", seq, rank,
                      bytes);
}

static void check_blocks(struct sim *s, int seq, int rank)
{
    const struct sim_value *v = (const struct sim_value *)sim_outcome_of(s, seq, rank)->value;
    bool is_left_out = ftc_blocks_are_too_large(sim_value_blocks(v));

    only_what_is_too_large_is_left_out(s, seq, rank, is_left_out);
    if (!is_left_out)
        each_block_is_there_once(s, seq, rank);
}

static void check_value(struct sim *s, int seq, int rank)
{
    const struct sim_outcome *o = sim_outcome_of(s, seq, rank);
    bool needs_value = is_allreduce(s, seq) || s->scenario.op[seq].root == rank;

    if (o->verdict == FTC_VERDICT_NONE)
        sim_violation(s, "every_live_process_ends", "op %d: p%d has no verdict", seq, rank);
    if (o->verdict == FTC_VERDICT_VALUE && needs_value && !o->has_value && !o->is_skipped)
        sim_violation(s, "each_live_contribution_once", "op %d: p%d has no value", seq, rank);
    if (o->has_value)
        each_contribution_is_right(s, seq, rank);
    if (o->has_value && s->scenario.blocks)
        check_blocks(s, seq, rank);
}

/* Allreduce 5: "The value of a failed process is either included at every non-failed process, or at
 * none." With more than f failures too. */
static void check_op(struct sim *s, int seq)
{
    int first = -1;

    for (int rank = 0; rank < s->scenario.n; rank++) {
        if (!is_live(s, rank))
            continue;
        check_value(s, seq, rank);
        if (first < 0)
            first = rank;
        if (is_allreduce(s, seq))
            agree(s, "all_survivors_agree", seq, first, rank);
    }
    sim_check_message_count(s, seq);
}

void sim_check_end(struct sim *s)
{
    every_live_process_ends(s);
    if (s->scenario.has_agents)
        every_host_counts_all_deaths(s);
    for (int seq = 0; seq < s->scenario.op_count && s->violation[0] == '\0'; seq++)
        check_op(s, seq);
    sim_rounds_check_end(s);
    sim_segmented_check_end(s);
}
