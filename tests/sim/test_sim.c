/* Regressions of the protocol, each a scenario that breaks a rule when the mistake is put back, and
 * the simulator's own promises: seeds replay, and messages are counted. */
#include "../unit/unit.h"
#include "check.h"
#include "explore.h"
#include "generate.h"
#include "order.h"

#include <stdlib.h>
#include <string.h>

/* Fewer of them where each run takes long (SEEDS in the environment). */
static uint64_t seeds(void)
{
    const char *text = getenv("SEEDS");

    return text ? strtoull(text, NULL, 10) : 20;
}

/* Runs @line in each order, and in some of them with several seeds. */
static void keeps_every_rule(const char *line)
{
    uint64_t most = seeds();
    struct sim s = {0};
    struct scenario c;

    ck_assert_int_eq(scenario_parse(&c, line), 0);
    for (int order = 0; order < SIM_ORDER_COUNT; order++)
        for (c.seed = 0; c.seed < most; c.seed++) {
            c.order = (enum scenario_order)order;
            ck_assert_msg(sim_run_scenario(&s, &c), "%s\nsimulate '%s order=%d seed=%llu'",
                          s.violation, line, order, (unsigned long long)c.seed);
        }
    sim_close(&s);
}

/* One run; @s is at its end. */
static void run(struct sim *s, const char *line)
{
    struct scenario c;

    ck_assert_int_eq(scenario_parse(&c, line), 0);
    ck_assert_msg(sim_run_scenario(s, &c), "%s\nsimulate '%s'", s->violation, line);
}

/* The ranks whose contribution is in @rank's result of operation 0. */
static uint64_t included(const struct sim *s, int rank)
{
    const struct sim_outcome *o = sim_outcome_of(s, 0, rank);
    const struct sim_value *v = (const struct sim_value *)o->value;
    uint64_t ranks = 0;

    for (int i = 0; o->has_value && i < s->scenario.n; i++)
        if (v->count[i] > 0)
            ranks |= sim_bit(i);
    return ranks;
}

/* One run of @line: @ranks and no others have contributed to @rank's result of operation 0. */
static void includes(const char *line, int rank, uint64_t ranks)
{
    struct sim s = {0};

    run(&s, line);
    ck_assert_uint_eq(included(&s, rank), ranks);
    sim_close(&s);
}

/* ---- wrong readings of the paper (doc/design.md, section 3, one test a row) ---- */

/* Broken: the root of an n <= f + 1 gives up when all others are dead. */
START_TEST(the_last_process_has_its_own_value)
{
    includes("n=2 f=1 ops=R0 crash=1@a0", 0, 1u << 0);
    keeps_every_rule("n=2 f=1 ops=R0,A,R0 crash=1@a0");
    keeps_every_rule("n=3 f=2 ops=R1,A crash=0+2@a0");
}
END_TEST

/* Broken: subtrees of consecutive vranks; {1,2} and {3}. */
START_TEST(each_group_has_one_member_in_each_subtree)
{
    keeps_every_rule("n=4 f=1 ops=R0");
    keeps_every_rule("n=4 f=1 ops=R0 crash=2@a0");
    keeps_every_rule("n=7 f=2 ops=R3,A crash=1@a0,5@a1");
}
END_TEST

/* Broken: a list that is not empty rejects. */
START_TEST(a_list_rejects_only_the_subtree_that_it_names)
{
    struct sim s = {0};

    run(&s, "n=3 f=1 ops=R0 scheme=list crash=1@a0");
    ck_assert_int_eq(sim_outcome_of(&s, 0, 0)->verdict, FTC_VERDICT_VALUE);
    ck_assert_uint_eq(included(&s, 0), 1u << 0 | 1u << 2);
    sim_close(&s);
    keeps_every_rule("n=3 f=1 ops=R0 scheme=list crash=2@a0");
}
END_TEST

/* Broken: a failed receive in up-correction sets the bit. */
START_TEST(up_correction_does_not_set_the_bit)
{
    keeps_every_rule("n=3 f=1 ops=R0 scheme=bit crash=1@a0");
    keeps_every_rule("n=3 f=1 ops=R0 scheme=count crash=1@a0");
    keeps_every_rule("n=3 f=1 ops=R0 scheme=bit crash=2@a0");
}
END_TEST

/* Broken: the root adds what it has to the value of any child. */
START_TEST(the_root_does_not_add_to_a_complete_value)
{
    includes("n=4 f=1 ops=R0 det=1", 0, 0xf); /* child 1: 0 and 3 would be there twice */
    keeps_every_rule("n=4 f=1 ops=R0 crash=2@a0");
}
END_TEST

/* Broken: the root adds its original value. */
START_TEST(the_root_adds_its_value_after_up_correction)
{
    /* child 2: 3 would be lost */
    includes("n=4 f=1 ops=R0 crash=1@a0", 0, 1u << 0 | 1u << 2 | 1u << 3);
    keeps_every_rule("n=4 f=1 ops=R0 crash=1@a1");
}
END_TEST

/* Broken: a root that has a group never adds its value. */
START_TEST(a_grouped_root_is_not_in_every_subtree)
{
    /* child 2: 0 and 3 would be lost */
    includes("n=4 f=1 ops=R0 crash=1@b1", 0, 1u << 0 | 1u << 2 | 1u << 3);
    keeps_every_rule("n=4 f=1 ops=R0 det=0");
}
END_TEST

/* Broken: the group of the root is (0 - 1) / (f + 1), which is 0 in C. */
START_TEST(the_root_is_not_in_group_0)
{
    keeps_every_rule("n=4 f=1 ops=R0");
    keeps_every_rule("n=7 f=1 ops=R0,A"); /* no incomplete group: the root is in none */
}
END_TEST

/* Broken: what has been combined so far is sent to the next member of the group. */
START_TEST(up_correction_sends_the_original_value)
{
    keeps_every_rule("n=4 f=2 ops=R0");
    keeps_every_rule("n=6 f=2 ops=R0,A");
}
END_TEST

/* Broken: a member of the group that is slow counts as failed, and no failure is shown. */
START_TEST(up_correction_waits_for_the_living)
{
    keeps_every_rule("n=3 f=1 ops=R0");
    keeps_every_rule("n=3 f=1 ops=R0 det=0 scheme=bit");
}
END_TEST

/* ---- everybody sends to the root (doc/design.md, section 3) ---- */

START_TEST(a_direct_reduce_lacks_nobody_who_lives)
{
    includes("n=5 f=1 ops=D0", 0, 0x1f);
    includes("n=5 f=1 ops=D0 crash=3@a0", 0, 0x1f & ~(1u << 3));
    keeps_every_rule("n=5 f=1 ops=D0,D3,A,D4 crash=3@a1");
    keeps_every_rule("n=16 f=2 ops=D5,A,D5 crash=0@a0,15@b1");
    keeps_every_rule("n=6 f=1 ops=D5,R5,D5 hosts=0.0.1.1.2.2 domain=host crash=3+2@a1");
}
END_TEST

/* Nobody but the root is waited for: no message goes another way. */
START_TEST(a_direct_reduce_has_a_message_of_each)
{
    struct sim s = {0};

    for (int n = 1; n <= FTC_DIRECT_MOST; n++) {
        char line[64];

        snprintf(line, sizeof line, "n=%d f=1 ops=D%d", n, n / 2);
        run(&s, line);
        ck_assert_uint_eq(s.deliveries, (unsigned)n - 1);
    }
    sim_close(&s);
}
END_TEST

/* What setting f means stays: more deaths that the root learns of are an error. */
START_TEST(a_direct_reduce_ends_with_an_error_beyond_f)
{
    struct sim s = {0};

    run(&s, "n=5 f=1 ops=D0 crash=3@a0,4@a0");
    ck_assert_int_eq(sim_outcome_of(&s, 0, 0)->verdict, FTC_VERDICT_EXCESS);
    run(&s, "n=5 f=2 ops=D0 crash=3@a0,4@a0");
    ck_assert_int_eq(sim_outcome_of(&s, 0, 0)->verdict, FTC_VERDICT_VALUE);
    sim_close(&s);
}
END_TEST

/* ---- subtrees in several parts (topology.h) ---- */

static const char *const schemes[] = {"list", "count", "bit"};

/* n = 6: {1,3},{5} and {2,4}. Broken: subtree 1 counts as usable by one of its parts, or only one
 * of them is combined. With 5, the root is in a group. */
START_TEST(a_subtree_needs_all_its_parts)
{
    char line[64];

    for (int dead = 1; dead <= 5; dead++)
        for (int i = 0; i < 3; i++) {
            snprintf(line, sizeof line, "n=6 f=1 ops=R0 scheme=%s crash=%d@a0", schemes[i], dead);
            includes(line, 0, 0x3f & ~(1u << dead));
            keeps_every_rule(line);
            snprintf(line, sizeof line, "n=6 f=1 ops=R4,A det=0 scheme=%s crash=%d@a1", schemes[i],
                     dead);
            keeps_every_rule(line);
        }
}
END_TEST

/* n = 4: {1},{3} and {2}. Broken: the place among the root's children is taken for the subtree, so
 * that a list that names 3 does not reject {3}. */
START_TEST(each_part_knows_its_subtree)
{
    keeps_every_rule("n=4 f=1 ops=R0 tree=lame:2");
    keeps_every_rule("n=8 f=1 ops=R0 scheme=list crash=7@a0");
    keeps_every_rule("n=16 f=1 ops=R0,A scheme=list crash=11@a0");
}
END_TEST

/* The last part of subtree 1 is all that subtree 2 lacks. */
START_TEST(a_broadcast_reaches_every_part)
{
    keeps_every_rule("n=6 f=1 ops=A crash=1@a2");
    keeps_every_rule("n=6 f=1 ops=A corr=ring:1 crash=2@b2");
    keeps_every_rule("n=14 f=2 ops=A crash=1+4@a0");
}
END_TEST

/* ---- allreduce (doc/design.md, section 5) ---- */

/* Broken: nobody looks at what others have published. The root dies while it broadcasts. */
START_TEST(a_root_may_die_between_its_broadcast_sends)
{
    keeps_every_rule("n=4 f=1 ops=A crash=0@a2");
    keeps_every_rule("n=4 f=1 ops=A crash=0@a3 publish=late");
    keeps_every_rule("n=4 f=1 ops=A alg=optimistic crash=0@a3");
    keeps_every_rule("n=5 f=2 ops=A,A crash=0@a4,1@a6");
}
END_TEST

/* Broken: a process that has joined the next attempt takes a result of the one before. */
START_TEST(joining_an_attempt_is_a_promise)
{
    keeps_every_rule("n=4 f=2 ops=A crash=0@a3,1@a4");
    keeps_every_rule("n=5 f=2 ops=A crash=0@a3,1@a4");
}
END_TEST

/* Broken: a LOCK survives into the next attempt. p0 dies while it broadcasts; only p2 returns. p3
 * takes its result as a LOCK, then p2 dies. p1 decides without it and reaches p4 alone before it
 * dies too. So p3, which is the next root, must have forgotten the LOCK, and ask p4. */
START_TEST(a_lock_is_of_one_attempt)
{
    struct sim s = {0};

    run(&s,
        "n=5 f=3 ops=A det=0 crash=0@a2,1@a6,2@any choices=0.0.0.0.0.1.1.1.1.2.-1.0.0.0.0.0.-1.1."
        "2.0.0.8.2.1.8.1.1.1.1.4.4.4.2.2.2.2.2.1.2.0.0.0");
    ck_assert_uint_eq(s.dead, 1u << 0 | 1u << 1 | 1u << 2);
    sim_close(&s);
}
END_TEST

/* Broken: the root gives up as soon as no subtree is usable. */
START_TEST(survivors_agree_beyond_f_failures_too)
{
    keeps_every_rule("n=4 f=1 ops=A crash=1@a2,2@a2");
    keeps_every_rule("n=5 f=1 ops=A,A crash=0@a3,1@a4,2@b1");
    keeps_every_rule("n=6 f=1 ops=A crash=1+2@a0");
}
END_TEST

static void tolerates_one_after_the_other(const char *line)
{
    struct sim s = {0};

    run(&s, line);
    for (int seq = 0; seq < 4; seq++)
        ck_assert_int_eq(sim_outcome_of(&s, seq, 4)->verdict, FTC_VERDICT_VALUE);
    ck_assert_uint_eq(sim_outcome_of(&s, 3, 4)->members & 1, 0);
    ck_assert_uint_eq(s.dead, 1u << 0 | 1u << 1);
    sim_close(&s);
}

/* More failures than f, but one after the other. Broken: the root does not list whom it knows dead.
 */
START_TEST(each_operation_tolerates_f_new_failures)
{
    tolerates_one_after_the_other("n=5 f=1 ops=A,A,A,A crash=0@a0,1@b9 scheme=list");
    tolerates_one_after_the_other("n=5 f=1 ops=A,A,A,A crash=0@a0,1@b9 scheme=bit");
}
END_TEST

/* ---- messages ---- */

static const struct {
    int n, f;
    int up_correction, tree, exchange;
} counts[] = {
    /* f(f+1) floor((n-1)/(f+1)) + a(a-1), a = ((n-1) mod (f+1)) + 1; n - 1 */
    {3, 0, 0, 2, 4},
    {3, 1, 2, 2, 4},
    {4, 1, 4, 3, 8},
    {7, 1, 6, 6, 14},
    {8, 1, 8, 7, 24},
    {5, 2, 8, 4, 10},
    {7, 2, 12, 6, 14},
    {9, 3, 24, 8, 26},
    {16, 4, 60, 15, 64},
    {64, 8, 504, 63, 384},
    /* n <= f + 1: to the root, and no tree phase */
    {1, 1, 0, 0, 0},
    {2, 1, 1, 0, 2},
    {4, 3, 3, 0, 8},
    {4, 5, 3, 0, 8},
};

static void count(const char *format, size_t i, enum ftc_algorithm algorithm)
{
    char line[256];
    struct sim s = {0};
    int n = counts[i].n, corrected = algorithm == FTC_ALGORITHM_CORRECTED;
    int broadcast;

    snprintf(line, sizeof line, format, n, counts[i].f);
    run(&s, line);
    broadcast = s.scenario.op[0].kind == FTC_OP_REDUCE ? 0
                : counts[i].tree                       ? n - 1 + counts[i].up_correction
                                                       : n - 1;
    ck_assert_int_eq(s.sent[0][FTC_MESSAGE_UP_CORRECTION][0], corrected * counts[i].up_correction);
    ck_assert_int_eq(s.sent[0][FTC_MESSAGE_TREE][0], corrected * counts[i].tree);
    ck_assert_int_eq(s.sent[0][FTC_MESSAGE_BROADCAST][0], corrected * broadcast);
    ck_assert_int_eq(s.sent[0][FTC_MESSAGE_EXCHANGE][0], !corrected * counts[i].exchange);
    sim_close(&s);
}

START_TEST(messages_are_as_many_as_the_theorem_says)
{
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        count("n=%d f=%d ops=R0 order=late_news", i, FTC_ALGORITHM_CORRECTED);
        count("n=%d f=%d ops=A alg=optimistic", i, FTC_ALGORITHM_OPTIMISTIC);
    }
}
END_TEST

/* One subtree only, so that nobody has the result before it has sent to its parent. */
START_TEST(broadcast_messages_are_dual_to_those_of_reduce)
{
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].n != 2 && (counts[i].f == 0 || counts[i].tree == 0))
            count("n=%d f=%d ops=A", i, FTC_ALGORITHM_CORRECTED);
}
END_TEST

/* Broken: the one that is left when the other dies waits for a root. */
START_TEST(two_ranks_exchange_whatever_the_algorithm)
{
    struct sim s = {0};

    run(&s, "n=2 f=1 ops=A alg=corrected");
    ck_assert_int_eq(s.sent[0][FTC_MESSAGE_EXCHANGE][0], 2);
    ck_assert_int_eq(s.sent[0][FTC_MESSAGE_UP_CORRECTION][0], 0);
    sim_close(&s);
    keeps_every_rule("n=2 f=1 ops=A,A alg=corrected crash=0@a1");
    keeps_every_rule("n=2 f=1 ops=A,A alg=corrected crash=1@b1");
    keeps_every_rule("n=3 f=1 ops=A,A,A alg=corrected crash=0@a1,2@any");
}
END_TEST

/* ---- the exchange follows the hosts (doc/design.md, section 5) ---- */

/* Broken: whoever waits for its leader does not look at the board, or does not hear of a death. */
START_TEST(an_exchange_goes_through_leaders)
{
    keeps_every_rule("n=6 f=1 ops=A,A hosts=0.0.0.1.1.2 alg=optimistic");
    keeps_every_rule("n=6 f=1 ops=A,A exchange=collect alg=optimistic crash=0@a1");
    keeps_every_rule("n=6 f=1 ops=A,A exchange=collect alg=optimistic crash=3@a0");
    keeps_every_rule("n=7 f=2 ops=A,A,A hosts=0.1.2.0.1.2.0 alg=optimistic crash=1@a2,5@b1");
    keeps_every_rule("n=40 f=2 ops=A,A exchange=collect alg=optimistic crash=16@a1,32@b1");
}
END_TEST

/* Broken: a result of a later attempt is left alone: it is looked at again and again, until the
 * news come. */
START_TEST(a_leader_may_have_gone_on_to_a_later_attempt)
{
    keeps_every_rule("n=6 f=3 ops=A,A alg=optimistic hosts=0.1.2.3.0.1 crash=0@b9,4@b14,2@any");
    keeps_every_rule("n=5 f=1 ops=A alg=optimistic hosts=0.0.1.1.2 reads=eager crash=4@b2");
}
END_TEST

static uint64_t expression(const char *format, int n)
{
    struct sim s = {0};
    char line[256];
    uint64_t x;

    snprintf(line, sizeof line, format, n);
    run(&s, line);
    x = ((const struct sim_value *)sim_outcome_of(&s, 0, n - 1)->value)->expression;
    sim_close(&s);
    return x;
}

/* Broken: what is collected is combined one after the other. */
START_TEST(bits_do_not_depend_on_the_number_of_cores)
{
    for (int n = 1; n <= FTC_EXCHANGE_RADIX; n++)
        for (int how = 0; how < 2; how++)
            ck_assert_uint_eq(expression(how == 0 ? "n=%d ops=A alg=optimistic exchange=collect"
                                                  : "n=%d ops=A alg=optimistic exchange=tell",
                                         n),
                              expression("n=%d ops=A alg=optimistic", n));
}
END_TEST

/* ---- the simulator ---- */

/* The run of @c with the death of @rank at its send number @send: its events and results. */
static uint64_t digest_with_death(struct sim *s, struct scenario *c, int rank, int send,
                                  bool before)
{
    struct explore_total total = {0};

    c->crash_count = 1;
    c->crash[0] = (struct scenario_crash){
        .ranks = sim_bit(rank), .first = rank, .sends = send, .before = before};
    ck_assert(explore_run(s, c, &total, NULL));
    c->crash_count = 0;
    return total.digest;
}

/* All places of a death are walked without those before a send that is not the first of its step
 * (explore_crash.c). */
START_TEST(before_a_send_is_after_the_one_before_it_in_one_step)
{
    static const char *const lines[] = {"n=6 f=2 ops=A", "n=6 f=2 ops=A alg=optimistic",
                                        "n=5 f=1 ops=R2", "n=5 f=2 ops=A hosts=0.0.1.1.2"};
    int same = 0, others = 0;
    struct sim s = {0};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct explore_total total = {0};
        struct explore_sends sends;
        struct scenario c;

        ck_assert_int_eq(scenario_parse(&c, lines[i]), 0);
        c.deterministic = false; /* one run */
        ck_assert(explore_run(&s, &c, &total, &sends));
        for (int rank = 0; rank < c.n; rank++)
            for (int send = 2; send <= sends.count[rank]; send++) {
                uint64_t before = digest_with_death(&s, &c, rank, send, true);
                uint64_t after = digest_with_death(&s, &c, rank, send - 1, false);

                if (explore_is_first_of_step(&sends, rank, send)) {
                    others += before != after;
                    continue;
                }
                ck_assert_uint_eq(before, after);
                same++;
            }
    }
    ck_assert_int_gt(same, 0);
    ck_assert_int_gt(others, 0); /* of which one cannot do without */
    sim_close(&s);
}
END_TEST

static uint64_t digest_of(uint64_t seed, int runs)
{
    struct explore_total total = {0};
    struct sim s = {0};
    struct scenario c;

    for (int i = 0; i < runs; i++) {
        scenario_generate(&c, seed, (uint64_t)i);
        ck_assert(explore_run(&s, &c, &total, NULL));
    }
    sim_close(&s);
    return total.digest;
}

START_TEST(a_seed_gives_the_same_runs)
{
    ck_assert_uint_eq(digest_of(42, 500), digest_of(42, 500));
    ck_assert_uint_ne(digest_of(42, 500), digest_of(43, 500));
}
END_TEST

START_TEST(a_line_gives_the_same_run)
{
    struct sim a = {0}, b = {0};
    char line[SIM_LINE_CHARS], again[SIM_LINE_CHARS];
    struct scenario c, read;

    for (uint64_t i = 0; i < 300; i++) {
        scenario_generate(&c, 5, i);
        scenario_print(&c, line);
        ck_assert_int_eq(scenario_parse(&read, line), 0);
        scenario_print(&read, again);
        ck_assert_str_eq(line, again);
        sim_run_scenario(&a, &c);
        sim_run_scenario(&b, &read);
        ck_assert_uint_eq(a.digest, b.digest);
    }
    sim_close(&a);
    sim_close(&b);
}
END_TEST

/* ---- large operations (doc/design.md, section 12) ---- */

/* Broken: a member that has left is waited for. */
START_TEST(a_data_phase_is_done_again_without_the_dead)
{
    struct sim s = {0};

    run(&s, "n=3 f=1 ops=L,T crash=1@a5 order=oldest");
    ck_assert_uint_eq(sim_outcome_of(&s, 1, 0)->members, 1u << 0 | 1u << 2);
    ck_assert(!sim_outcome_of(&s, 1, 0)->is_skipped);
    sim_close(&s);
    keeps_every_rule("n=4 f=1 ops=L,T crash=2@a0");
    keeps_every_rule("n=4 f=2 ops=L,T,T,A crash=2@b7,0@a30");
    keeps_every_rule("n=5 f=2 ops=A,L,T,T,A scheme=bit crash=1@a12,3@b20");
}
END_TEST

/* Broken: who dies after its last step counts as lost, or its memory is not read. */
START_TEST(what_a_dead_member_had_ended_counts)
{
    struct sim s = {0};

    run(&s, "n=3 f=1 ops=L,T crash=1@a18 order=oldest"); /* after the last of its turns */
    ck_assert(sim_outcome_of(&s, 1, 0)->is_skipped);
    ck_assert_uint_eq(s.process[0].data->buffer[0].ranks, 7);
    run(&s, "n=2 f=1 ops=L,T crash=0@a15 order=oldest"); /* before rank 1 has seen that */
    ck_assert(sim_outcome_of(&s, 1, 1)->is_skipped);
    ck_assert_uint_eq(s.process[1].data->buffer[0].ranks, 3);
    sim_close(&s);
}
END_TEST

/* Broken: a member of a vote takes what has come without a look for the death that it is about. */
START_TEST(who_decides_in_a_vote_knows_of_the_death_that_ended_the_try)
{
    struct sim s = {0};

    run(&s, "n=3 f=1 ops=LB1,T scheme=count tree=optimal:0:2:1 alg=corrected publish=late "
            "value=blocks crash=2@b12 order=late_news seed=3616138867");
    run(&s,
        "n=5 f=1 ops=A,LB3,T,T,T scheme=bit tree=optimal:4:2:2 alg=corrected det=0 channels=any "
        "hosts=2 crash=4@b14 order=race seed=931711099");
    sim_close(&s);
}
END_TEST

/* Broken: whoever dies while it looks for deaths goes on, and hears of its own. */
START_TEST(a_job_may_end_while_somebody_looks_for_deaths)
{
    struct sim s = {0};

    run(&s, "n=17 f=7 ops=LR13,T scheme=count tree=optimal:4:1:3 alg=optimistic det=0 publish=late "
            "value=blocks domain=host crash=8@a18,16@b26,10@b17,15@a29,2@b72,12@a0,16@a0,0@a17,"
            "16@a0,5@b20,13@b15,1@b36,15@b51,6+0+1+2+3+4+5+7+8+9+10+11+12+13+14+15+16@a31,15@b65,"
            "4@a69 order=race seed=3643882815");
    sim_close(&s);
}
END_TEST

START_TEST(without_its_root_a_large_operation_is_nothing_to_do)
{
    keeps_every_rule("n=4 f=1 ops=LR2,T,A crash=2@a7");
    keeps_every_rule("n=4 f=1 ops=LB1,T,A crash=1@a3");
    keeps_every_rule("n=4 f=1 ops=LB1,T,A crash=0@a3");
}
END_TEST

/* ---- rounds of blocks (doc/design.md, section 12) ---- */

/* The ranks whose blocks @rank has of the call that operation 0 began. */
static uint64_t whole(const struct sim *s, int rank)
{
    return s->process[rank].rounds->whole[0];
}

/* Broken: round 2 is written where round 0 still is, or a place is taken that others still read. */
START_TEST(halves_and_places_take_turns)
{
    struct sim s = {0};

    run(&s, "n=3 f=1 ops=P,T,T,T,P,T,T order=slow seed=1");
    ck_assert(!sim_outcome_of(&s, 3, 0)->is_skipped);
    ck_assert_uint_eq(whole(&s, 0), 7);
    sim_close(&s);
    keeps_every_rule("n=2 f=1 ops=P,T,T,T,P,P");
    keeps_every_rule("n=6 f=1 ops=P,P,P,P,A,P,P");
    keeps_every_rule("n=5 f=1 ops=P,T,T,T,P,T,T,P places=2 alg=optimistic");
}
END_TEST

/* Broken: a block of which there is a part counts as whole, or one that is whole is looked for. */
START_TEST(a_block_is_there_if_the_round_with_its_end_is)
{
    struct sim s = {0};

    run(&s, "n=3 f=1 ops=P,T,T,T crash=1@a4 order=oldest"); /* its first vote was cast */
    ck_assert_uint_eq(whole(&s, 0), 1u << 0 | 1u << 2);
    run(&s, "n=3 f=1 ops=P,T,T,T crash=2@a7 order=oldest"); /* all of its block was in the first */
    ck_assert_uint_eq(whole(&s, 0), 7);
    ck_assert_uint_eq(whole(&s, 1), 7);
    sim_close(&s);
}
END_TEST

/* Broken: a call goes on as if somebody who is dead still had something left, or ends too soon. */
START_TEST(a_call_has_as_many_rounds_as_the_living_need)
{
    struct sim s = {0};

    run(&s, "n=2 f=1 ops=P,T,T,T order=oldest");
    ck_assert(!sim_outcome_of(&s, 3, 0)->is_skipped);
    run(&s, "n=2 f=1 ops=P,T,T,T crash=1@a4 order=oldest"); /* who needed the fourth */
    ck_assert(!sim_outcome_of(&s, 2, 0)->is_skipped);
    ck_assert(sim_outcome_of(&s, 3, 0)->is_skipped);
    sim_close(&s);
}
END_TEST

/* Broken: a place waits for a dead rank to have read, or a block that is half written is taken. */
START_TEST(who_dies_posts_and_reads_no_more)
{
    struct sim s = {0};

    run(&s, "n=3 f=1 ops=P,P crash=1@b2 order=oldest"); /* in the middle of posting */
    ck_assert_uint_eq(whole(&s, 0), 1u << 0 | 1u << 2);
    run(&s, "n=3 f=1 ops=P,P crash=1@a5 order=late_news"); /* before it has read */
    ck_assert_uint_eq(whole(&s, 0), 7);
    sim_close(&s);
    keeps_every_rule("n=5 f=2 ops=A,P,T,T,T,P,P crash=1@b12,3@b20");
    keeps_every_rule("n=3 f=1 ops=P,T,T,T,P crash=0@b14,1@a20");
}
END_TEST

/* Rounds beyond what the call needs, blocks of two hosts, and deaths beyond f. */
START_TEST(calls_in_rounds_end_with_an_error_on_all_or_none)
{
    keeps_every_rule("n=4 f=0 ops=P,T,T,T,P crash=2@b9");
    keeps_every_rule("n=4 f=1 ops=P,T,T,T,P crash=2@b9,3@a9,0@a12 publish=late");
}
END_TEST

/* ---- slices of large reductions (doc/design.md, section 12) ---- */

/* Broken: slices from before and after a death make one result, or a slice is left out. */
START_TEST(all_slices_of_a_result_have_the_same_contributors)
{
    struct sim s = {0};

    run(&s, "n=3 f=1 ops=S,T,T,T,T order=oldest");
    ck_assert_uint_eq(s.process[0].segmented.ended[0], 7);
    ck_assert(sim_outcome_of(&s, 3, 0)->is_skipped);
    run(&s, "n=3 f=1 ops=S,T,T,T,T crash=1@a6 order=oldest"); /* after the second slice */
    ck_assert_uint_eq(s.process[0].segmented.ended[0], 5);
    ck_assert(!sim_outcome_of(&s, 4, 0)->is_skipped);
    sim_close(&s);
    keeps_every_rule("n=5 f=2 ops=S,T,T,T,T,T,T,A crash=1@b7,3@a12");
    keeps_every_rule("n=6 f=1 ops=A,S,T,T,T,T,S,T hosts=2 crash=5@b9");
    keeps_every_rule("n=4 f=0 ops=S,T,T,A crash=2@b4");
}
END_TEST

/* ---- hosts that fail (doc/design.md, section 11) ---- */

START_TEST(a_lost_host_is_one_failure)
{
    includes("n=6 f=1 ops=R1 hosts=0.0.1.1.2.2 domain=host crash=2+3@a0", 1,
             1u << 0 | 1u << 1 | 1u << 4 | 1u << 5);
    keeps_every_rule("n=6 f=1 ops=A,R0,A hosts=0.0.1.1.2.2 domain=host crash=3+2@a1");
    keeps_every_rule("n=6 f=1 ops=A,A hosts=0.1.2.0.1.2 domain=host crash=3@a1,0@a2");
    keeps_every_rule("n=8 f=1 ops=A,A,A hosts=0.0.1.1.2.2.3.3 domain=host crash=3+2@a1,4+5@a9");
}
END_TEST

/* Broken: satellites hear as well, or are not heard. */
START_TEST(classes_may_differ_in_size)
{
    keeps_every_rule("n=7 f=1 ops=R0,R4,R6,A hosts=0.0.0.0.0.1.1 domain=host");
    keeps_every_rule("n=7 f=1 ops=R2,A hosts=0.0.0.0.0.1.1 domain=host crash=6+5@a1");
    keeps_every_rule("n=7 f=1 ops=R5,A hosts=0.0.0.0.0.1.1 domain=host crash=0+1+2+3+4@a2");
}
END_TEST

START_TEST(a_root_alone_in_its_class_hears_from_all)
{
    includes("n=4 f=1 ops=R3 hosts=0.0.0.1 domain=host crash=1+0+2@a0", 3, 1u << 3);
    keeps_every_rule("n=4 f=1 ops=R3,A,R0 hosts=0.0.0.1 domain=host crash=1+0+2@a1");
    keeps_every_rule("n=4 f=1 ops=A,R3 hosts=0.1.1.1 domain=host crash=0@a2");
}
END_TEST

/* No subtree is untouched: all survivors say so. */
START_TEST(a_host_of_each_class_is_too_many)
{
    struct sim s = {0};

    run(&s, "n=6 f=1 ops=A hosts=0.0.1.1.2.2 domain=host crash=2+3@a0,4+5@a0");
    ck_assert_int_eq(sim_outcome_of(&s, 0, 0)->verdict, FTC_VERDICT_EXCESS);
    ck_assert_int_eq(sim_outcome_of(&s, 0, 1)->verdict, FTC_VERDICT_EXCESS);
    sim_close(&s);
    keeps_every_rule("n=6 f=1 ops=A,R0,A hosts=0.0.1.1.2.2 domain=host crash=3+2@a1,4+5@a1");
    keeps_every_rule("n=4 f=1 ops=R0,R2,A hosts=0.0.1.1 domain=host crash=1@a1,3@a1");
}
END_TEST

/* Broken: f is cut to one host less than there are, whatever the number of ranks. */
START_TEST(with_few_hosts_ranks_count_as_well)
{
    struct sim s = {0};

    run(&s, "n=6 f=3 ops=A hosts=0.0.0.1.1.1 domain=host crash=0@a0,3@a0,5@a0");
    ck_assert_int_eq(sim_outcome_of(&s, 0, 1)->verdict, FTC_VERDICT_VALUE);
    sim_close(&s);
    keeps_every_rule("n=7 f=2 ops=A,R6 hosts=0.0.0.0.1.1.1 domain=host crash=1+0+2+3@a1");
    keeps_every_rule("n=5 f=2 ops=A,R1 hosts=0.0.0.0.0 domain=host crash=0@a1,4@a2");
}
END_TEST

START_TEST(the_next_root_is_of_another_host)
{
    struct sim s = {0};

    run(&s, "n=6 f=1 ops=A hosts=0.0.0.1.1.1 domain=host crash=0+1+2@b1");
    ck_assert_uint_eq(sim_outcome_of(&s, 0, 3)->attempt, 1);
    sim_close(&s);
    keeps_every_rule("n=6 f=1 ops=A,A hosts=0.0.0.1.1.1 domain=host crash=0+1+2@a1");
}
END_TEST

/* ---- agents (doc/design.md, section 11) ---- */

/* Broken: whoever takes over does not ask for all, or what is told twice counts twice; or, of one
 * that ended in the middle, what it has entered is never counted. */
START_TEST(an_agent_may_end_while_it_enters_news)
{
    static const char when[] = "bma";
    char line[128];

    for (int news = 1; news <= 2; news++)
        for (int i = 0; i < 3; i++) {
            snprintf(line, sizeof line,
                     "n=6 f=2 ops=A,R0,A hosts=0.0.1.1.2.2 agent=0@%c%d,1@%c1 crash=2@a1,4@a2",
                     when[i], news, when[i]);
            keeps_every_rule(line);
            snprintf(line, sizeof line,
                     "n=5 f=1 ops=R3,A hosts=0.0.0.1.2 domain=host agent=2@%c%d crash=1+0+2@b1",
                     when[i], news);
            keeps_every_rule(line);
        }
}
END_TEST

/* Each host has its own agent: one may know of a death long before another. */
START_TEST(news_come_to_one_host_long_before_another)
{
    keeps_every_rule("n=6 f=1 ops=A,A hosts=0.1.2.0.1.2 agents=1 crash=3@a1");
    keeps_every_rule("n=7 f=2 ops=A,A alg=optimistic hosts=0.0.0.1.1.2.2 agents=1 "
                     "crash=0@a3,3@b2");
}
END_TEST

/* ---- leases and splits (doc/design.md, section 11) ---- */

/* All live to the end, in each order. */
static void is_only_a_delay(const char *line)
{
    struct sim s = {0};
    struct scenario c;

    ck_assert_int_eq(scenario_parse(&c, line), 0);
    for (int order = 0; order < SIM_ORDER_COUNT; order++) {
        c.order = (enum scenario_order)order;
        ck_assert_msg(sim_run_scenario(&s, &c), "%s\nsimulate '%s order=%d'", s.violation, line,
                      order);
        ck_assert_uint_eq(s.dead, 0);
    }
    sim_close(&s);
}

/* Broken: a host is declared lost, or stops, before unreachable_ms, which is two ticks. */
START_TEST(a_short_split_loses_nothing)
{
    static const char *const ways[] = {"oiud", "ou", "id", "ud", "oi", "p", "oiudp"};
    char line[128];

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        for (int sends = 0; sends <= 4; sends++)
            for (int ticks = 1; ticks <= 2; ticks++) {
                snprintf(line, sizeof line,
                         "n=5 f=1 ops=A,R0,A hosts=0.0.1.1.2 domain=host split=1%s@3a%d+%d",
                         ways[i], sends, ticks);
                is_only_a_delay(line);
            }
}
END_TEST

/* What is cut is not the way to the authority: until the agents lose patience. */
START_TEST(a_host_that_the_authority_hears_is_not_lost)
{
    is_only_a_delay("n=4 f=1 ops=A,A hosts=0.0.1.1 domain=host split=1oi@2a1+10");
    is_only_a_delay("n=4 f=1 ops=A,A hosts=0.0.1.1 domain=host split=1o@2b1+10");
}
END_TEST

static void loses_host_1(const char *way)
{
    struct sim s = {0};
    char line[128];

    snprintf(line, sizeof line, "n=6 f=1 ops=A,A hosts=0.0.1.1.2.2 domain=host split=1%s@2a1", way);
    run(&s, line);
    ck_assert_uint_eq(s.lost, 1u << 2 | 1u << 3);
    ck_assert_uint_eq(s.dead, s.lost);
    sim_close(&s);
    keeps_every_rule(line);
}

/* Broken: two sides go on, or none; with an agent that is paused ranks are left that compute. */
START_TEST(a_host_that_is_cut_off_for_good_is_lost)
{
    struct sim s = {0};

    run(&s, "n=6 f=1 ops=A,A hosts=0.0.1.1.2.2 domain=host split=1oiud@2a1");
    ck_assert_uint_eq(sim_outcome_of(&s, 1, 0)->members, 1u << 0 | 1u << 1 | 1u << 4 | 1u << 5);
    sim_close(&s);
    loses_host_1("oiud");
    loses_host_1("ou");
    loses_host_1("id");
    loses_host_1("ud");
    loses_host_1("p");
}
END_TEST

/* The lease is over, and its ranks wait with what they have; then it is renewed, or too late. */
START_TEST(a_host_may_come_back_until_it_is_lost)
{
    char line[128];

    for (int ticks = 3; ticks <= 8; ticks++)
        for (int sends = 1; sends <= 4; sends++) {
            snprintf(line, sizeof line,
                     "n=4 f=1 ops=A,A,R1 hosts=0.0.1.1 domain=host "
                     "split=1oiudp@2a%d+%d publish=late",
                     sends, ticks);
            keeps_every_rule(line);
            snprintf(line, sizeof line,
                     "n=4 f=1 ops=A,A,R1 hosts=0.0.1.1 domain=host alg=optimistic "
                     "split=1p@2a%d+%d,0o@1a1+3 agent=0@m1",
                     sends, ticks);
            keeps_every_rule(line);
        }
}
END_TEST

START_TEST(hosts_that_hear_the_authority_alone_end_the_job)
{
    struct sim s = {0};

    run(&s, "n=4 f=1 ops=A hosts=0.0.1.1 domain=host split=1oi@2a1");
    ck_assert_uint_eq(s.dead, 0xf);
    ck_assert_uint_eq(s.lost, 0);
    sim_close(&s);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("sim");
    UNIT_TEST(a_short_split_loses_nothing);
    UNIT_TEST(a_host_that_the_authority_hears_is_not_lost);
    UNIT_TEST(a_host_that_is_cut_off_for_good_is_lost);
    UNIT_TEST(a_host_may_come_back_until_it_is_lost);
    UNIT_TEST(hosts_that_hear_the_authority_alone_end_the_job);
    UNIT_TEST(an_agent_may_end_while_it_enters_news);
    UNIT_TEST(news_come_to_one_host_long_before_another);
    UNIT_TEST(a_lost_host_is_one_failure);
    UNIT_TEST(classes_may_differ_in_size);
    UNIT_TEST(a_root_alone_in_its_class_hears_from_all);
    UNIT_TEST(a_host_of_each_class_is_too_many);
    UNIT_TEST(with_few_hosts_ranks_count_as_well);
    UNIT_TEST(the_next_root_is_of_another_host);
    UNIT_TEST(the_last_process_has_its_own_value);
    UNIT_TEST(each_group_has_one_member_in_each_subtree);
    UNIT_TEST(a_list_rejects_only_the_subtree_that_it_names);
    UNIT_TEST(up_correction_does_not_set_the_bit);
    UNIT_TEST(the_root_does_not_add_to_a_complete_value);
    UNIT_TEST(the_root_adds_its_value_after_up_correction);
    UNIT_TEST(a_grouped_root_is_not_in_every_subtree);
    UNIT_TEST(the_root_is_not_in_group_0);
    UNIT_TEST(up_correction_sends_the_original_value);
    UNIT_TEST(up_correction_waits_for_the_living);
    UNIT_TEST(a_direct_reduce_lacks_nobody_who_lives);
    UNIT_TEST(a_direct_reduce_has_a_message_of_each);
    UNIT_TEST(a_direct_reduce_ends_with_an_error_beyond_f);
    UNIT_TEST(a_subtree_needs_all_its_parts);
    UNIT_TEST(each_part_knows_its_subtree);
    UNIT_TEST(a_broadcast_reaches_every_part);
    UNIT_TEST(a_root_may_die_between_its_broadcast_sends);
    UNIT_TEST(joining_an_attempt_is_a_promise);
    UNIT_TEST(a_lock_is_of_one_attempt);
    UNIT_TEST(survivors_agree_beyond_f_failures_too);
    UNIT_TEST(each_operation_tolerates_f_new_failures);
    UNIT_TEST(messages_are_as_many_as_the_theorem_says);
    UNIT_TEST(broadcast_messages_are_dual_to_those_of_reduce);
    UNIT_TEST(two_ranks_exchange_whatever_the_algorithm);
    UNIT_TEST(an_exchange_goes_through_leaders);
    UNIT_TEST(a_leader_may_have_gone_on_to_a_later_attempt);
    UNIT_TEST(bits_do_not_depend_on_the_number_of_cores);
    UNIT_TEST(a_data_phase_is_done_again_without_the_dead);
    UNIT_TEST(what_a_dead_member_had_ended_counts);
    UNIT_TEST(who_decides_in_a_vote_knows_of_the_death_that_ended_the_try);
    UNIT_TEST(a_job_may_end_while_somebody_looks_for_deaths);
    UNIT_TEST(without_its_root_a_large_operation_is_nothing_to_do);
    UNIT_TEST(halves_and_places_take_turns);
    UNIT_TEST(a_block_is_there_if_the_round_with_its_end_is);
    UNIT_TEST(a_call_has_as_many_rounds_as_the_living_need);
    UNIT_TEST(who_dies_posts_and_reads_no_more);
    UNIT_TEST(calls_in_rounds_end_with_an_error_on_all_or_none);
    UNIT_TEST(all_slices_of_a_result_have_the_same_contributors);
    UNIT_TEST(before_a_send_is_after_the_one_before_it_in_one_step);
    UNIT_TEST(a_seed_gives_the_same_runs);
    UNIT_TEST(a_line_gives_the_same_run);
    UNIT_END();
}
