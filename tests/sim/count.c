/* How many messages an operation may take (paper, thm:reduce-number-messages and
 * thm:allreduce-number-messages). */
#include "check.h"
#include "internal.h"

static bool is_allreduce(const struct sim *s, int seq)
{
    return s->scenario.op[seq].kind == FTC_OP_ALLREDUCE;
}

/* Sends of one process to its group, added up: "f(f+1) floor((n-1)/(f+1)) + a(a-1) with a = ((n-1)
 * mod (f+1)) + 1". */
static int group_messages(int n, int f)
{
    int a = (n - 1) % (f + 1) + 1;

    return f * (f + 1) * ((n - 1) / (f + 1)) + a * (a - 1);
}

/* Of recursive doubling, or with @is_fused of rounds of two doublings, in which four tell each
 * other.
 */
static int doubling_messages(int n, bool is_fused)
{
    int doublings = 0, rest, of_each;

    while (2 << doublings <= n)
        doublings++;
    rest = n - (1 << doublings);
    of_each = is_fused ? doublings / 2 * 3 + doublings % 2 : doublings;
    return (of_each << doublings) + 2 * rest;
}

/* Messages of one failure-free operation. */
struct message_count {
    int exchange, up_correction, tree, broadcast;
    int exchanged_apart; /* of the exchange, between hosts */
};

/* doc/design.md, section 5: messages between hosts are those of as many ranks. */
static void count_exchange(const struct scenario *c, uint64_t members, struct message_count *count)
{
    int n = __builtin_popcountll(members), hosts = scenario_hosts_among(c, members);

    if (hosts == 1 && c->manner == FTC_EXCHANGE_BY_ALL) {
        count->exchange = doubling_messages(n, false);
        return;
    }
    if (hosts == 1 && c->manner == FTC_EXCHANGE_MULTICAST && n <= FTC_EXCHANGE_MULTICAST_MAX) {
        count->exchange = n * (n - 1);
        return;
    }
    count->exchanged_apart = doubling_messages(hosts, c->are_far);
    count->exchange = n - hosts + count->exchanged_apart;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Where hosts fail, each member of a group sends to the f carriers of other classes, and each gets
 * a broadcast from them; a root that is alone in its class hears from all, and tells all. */
static void count_over_hosts(struct message_count *count, const struct scenario *c,
                             const struct ftc_topology *t, enum ftc_op_kind kind, int root)
{
    int reach = c->correction == FTC_CORRECTION_GROUP ? t->f : smaller(c->ring_distance, t->f);
    bool is_everybody = ftc_topology_group_is_everybody(t, root);

    count->up_correction = (t->n - 1) * (is_everybody ? 1 : t->f);
    count->tree = is_everybody ? 0 : t->n - 1;
    if (kind == FTC_OP_ALLREDUCE)
        count->broadcast = (t->n - 1) * (is_everybody ? 1 : 1 + reach);
}

/* All to the root. */
static struct message_count direct_messages(uint64_t members)
{
    return (struct message_count){.up_correction = __builtin_popcountll(members) - 1};
}

static struct message_count expected_messages(const struct scenario *c, uint64_t members,
                                              enum ftc_op_kind kind)
{
    int n = __builtin_popcountll(members), f = smaller(c->f, n - 1);
    bool is_everybody = n <= f + 1; /* only the root receives in up-correction; no tree phase */
    struct message_count count = {
        .up_correction = is_everybody ? n - 1 : group_messages(n, f),
        .tree = is_everybody ? 0 : n - 1,
    };

    if (kind == FTC_OP_REDUCE)
        return count;
    count.broadcast = n - 1;
    if (!is_everybody)
        count.broadcast += c->correction == FTC_CORRECTION_GROUP
                               ? group_messages(n, f)
                               : n * smaller(c->ring_distance, n - 1);
    if (sim_exchanges(c, members))
        count_exchange(c, members, &count);
    return count;
}

/* Whoever has the result of an allreduce before it has sent to its parent need not send any more.
 */
static bool may_be_less(const struct sim *s, int seq, enum ftc_message_kind kind)
{
    return s->dead != 0 || (is_allreduce(s, seq) && kind == FTC_MESSAGE_TREE);
}

static void compare_number(struct sim *s, int seq, int attempt, enum ftc_message_kind kind,
                           int sent, int expected)
{
    if (sent < expected && !may_be_less(s, seq, kind))
        sim_violation(s, "as_many_messages_as_the_theorem_says",
                      "op %d: kind %d: %d messages, not %d", seq, (int)kind, sent, expected);
    if (sent > expected)
        sim_violation(s,
                      s->dead ? "failures_add_no_messages" : "as_many_messages_as_the_theorem_says",
                      "op %d attempt %d: kind %d: %d messages, at most %d expected", seq, attempt,
                      (int)kind, sent, expected);
}

static void compare(struct sim *s, int seq, int attempt, enum ftc_message_kind kind, int expected)
{
    compare_number(s, seq, attempt, kind, s->sent[seq][kind][attempt], expected);
}

/* Members of the operation; 0 if those who began it did not agree, which is so only after a death.
 */
static uint64_t common_members(const struct sim *s, int seq)
{
    uint64_t members = 0;

    for (int rank = 0; rank < s->scenario.n; rank++) {
        uint64_t of_rank = sim_outcome_of(s, seq, rank)->members;

        if (members && of_rank && of_rank != members)
            return 0;
        members |= of_rank;
    }
    return members;
}

/* thm:reduce-number-messages, thm:allreduce-number-messages: exactly so many without failures;
 * "when processes fail, less messages are being sent", in each attempt. */
void sim_check_message_count(struct sim *s, int seq)
{
    const struct scenario *c = &s->scenario;
    uint64_t members = common_members(s, seq);
    int n = __builtin_popcountll(members), root = c->op[seq].root;
    bool exchanges = is_allreduce(s, seq) && sim_exchanges(c, members);
    int32_t host[SIM_MAX_N], storage[SIM_TOPOLOGY_NUMBERS];
    struct message_count e;
    struct ftc_topology t;

    if (n == 0)
        return;
    if (c->hosts_fail)
        sim_process_init_topology(s, members, &t, host, storage);
    root = __builtin_popcountll(members & (sim_bit(root) - 1));
    e = expected_messages(c, members, c->op[seq].kind);
    compare(s, seq, 0, FTC_MESSAGE_EXCHANGE, e.exchange);
    compare_number(s, seq, 0, FTC_MESSAGE_EXCHANGE, s->exchanged_apart[seq], e.exchanged_apart);
    for (int attempt = 0; attempt <= n; attempt++) {
        bool none = exchanges ? attempt == 0 || s->dead == 0 : attempt > 0 && s->dead == 0;
        int number = attempt - exchanges;

        if (is_allreduce(s, seq) && c->hosts_fail && number >= 0 && number < n)
            root = ftc_topology_candidate(&t, number);
        if (c->hosts_fail)
            count_over_hosts(&e, c, &t, c->op[seq].kind, root);
        if (c->op[seq].is_direct)
            e = direct_messages(members);
        compare(s, seq, attempt, FTC_MESSAGE_UP_CORRECTION, none ? 0 : e.up_correction);
        compare(s, seq, attempt, FTC_MESSAGE_TREE, none ? 0 : e.tree);
        compare(s, seq, attempt, FTC_MESSAGE_BROADCAST, none ? 0 : e.broadcast);
    }
}
