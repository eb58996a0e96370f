/* How many messages an operation may take (paper, thm:reduce-number-messages and
 * thm:allreduce-number-messages). */
#include "check.h"

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

static int exchange_messages(int n)
{
    int doublings = 0, rest;

    while (2 << doublings <= n)
        doublings++;
    rest = n - (1 << doublings);
    return (doublings << doublings) + 2 * rest;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

struct sim_message_count sim_expected_messages(const struct scenario *c, int n,
                                               enum ftc_op_kind kind)
{
    int f = smaller(c->f, n - 1);
    bool is_everybody = n <= f + 1; /* only the root receives in up-correction; no tree phase */
    struct sim_message_count count = {
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
    if (c->algorithm == FTC_ALGORITHM_OPTIMISTIC)
        count.exchange = exchange_messages(n);
    return count;
}

/* Whoever has the result of an allreduce before it has sent to its parent need not send any more.
 */
static bool may_be_less(const struct sim *s, int seq, enum ftc_message_kind kind)
{
    return s->dead != 0 || (is_allreduce(s, seq) && kind == FTC_MESSAGE_TREE);
}

static void compare(struct sim *s, int seq, int attempt, enum ftc_message_kind kind, int expected)
{
    int sent = s->sent[seq][kind][attempt];

    if (sent < expected && !may_be_less(s, seq, kind))
        sim_violation(s, "as_many_messages_as_the_theorem_says",
                      "op %d: kind %d: %d messages, not %d", seq, (int)kind, sent, expected);
    if (sent > expected)
        sim_violation(s,
                      s->dead ? "failures_add_no_messages" : "as_many_messages_as_the_theorem_says",
                      "op %d attempt %d: kind %d: %d messages, at most %d expected", seq, attempt,
                      (int)kind, sent, expected);
}

/* Members of the operation; 0 if those who began it did not agree, which is so only after a death.
 */
static int common_member_count(const struct sim *s, int seq)
{
    uint64_t members = 0;

    for (int rank = 0; rank < s->scenario.n; rank++) {
        uint64_t of_rank = sim_outcome_of(s, seq, rank)->members;

        if (members && of_rank && of_rank != members)
            return 0;
        members |= of_rank;
    }
    return __builtin_popcountll(members);
}

/* thm:reduce-number-messages, thm:allreduce-number-messages: exactly so many without failures;
 * "when processes fail, less messages are being sent", in each attempt. */
void sim_check_message_count(struct sim *s, int seq)
{
    const struct scenario *c = &s->scenario;
    int n = common_member_count(s, seq);
    bool exchanges = is_allreduce(s, seq) && c->algorithm == FTC_ALGORITHM_OPTIMISTIC;
    struct sim_message_count e;

    if (n == 0)
        return;
    e = sim_expected_messages(c, n, c->op[seq].kind);
    compare(s, seq, 0, FTC_MESSAGE_EXCHANGE, e.exchange);
    for (int attempt = 0; attempt <= n; attempt++) {
        bool none = exchanges ? attempt == 0 || s->dead == 0 : attempt > 0 && s->dead == 0;

        compare(s, seq, attempt, FTC_MESSAGE_UP_CORRECTION, none ? 0 : e.up_correction);
        compare(s, seq, attempt, FTC_MESSAGE_TREE, none ? 0 : e.tree);
        compare(s, seq, attempt, FTC_MESSAGE_BROADCAST, none ? 0 : e.broadcast);
    }
}
