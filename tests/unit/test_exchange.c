/* shim/engine/exchange_plan: who gives what to whom, for all layouts of ranks on hosts that are
 * dealt here. */
#include "engine/exchange_plan.h"

#include "unit.h"

#include <string.h>

enum { MOST = 72 };

static int some = 40;

struct job {
    int n;
    enum ftc_exchange_manner manner;
    int32_t host[MOST];
    struct ftc_hosts hosts;
    struct ftc_exchange_plan plan[MOST];
    int at[MOST];                             /* step that a rank is at */
    int has[MOST][MOST];                      /* how often it has whose value */
    int gave[MOST][FTC_EXCHANGE_STEPS][MOST]; /* what it had when it came to a step */
    int sent, apart;                          /* messages, and those between hosts */
};

static void make_plans(struct job *j)
{
    for (int rank = 0; rank < j->n; rank++)
        ftc_exchange_plan_make(&j->plan[rank], &j->hosts, j->manner, j->n, rank);
}

/* In blocks, or one after the other. */
static void deal_far(struct job *j, int n, int hosts, bool in_blocks,
                     enum ftc_exchange_manner manner, bool are_far)
{
    memset(j, 0, sizeof *j);
    j->n = n;
    j->manner = manner;
    j->hosts = (struct ftc_hosts){.count = hosts, .are_far = are_far, .of = j->host};
    for (int rank = 0; rank < n; rank++) {
        j->host[rank] = in_blocks ? rank * hosts / n : rank % hosts;
        j->has[rank][rank] = 1;
    }
    make_plans(j);
}

static void deal(struct job *j, int n, int hosts, bool in_blocks, enum ftc_exchange_manner manner)
{
    deal_far(j, n, hosts, in_blocks, manner, false);
}

static bool sends(const struct ftc_exchange_step *s)
{
    return s->act == FTC_EXCHANGE_GIVE || s->act == FTC_EXCHANGE_SWAP;
}

static int count_messages(struct job *j)
{
    j->sent = j->apart = 0;
    for (int rank = 0; rank < j->n; rank++)
        for (int i = 0; i < j->plan[rank].count; i++)
            if (sends(&j->plan[rank].step[i])) {
                j->sent++;
                j->apart += j->host[rank] != j->host[j->plan[rank].step[i].peer];
            }
    return j->sent;
}

/* ---- a run: a step is done once the peer is where it gives ---- */

static void check_sent(const struct job *j, int rank, const struct ftc_exchange_step *s)
{
    const struct ftc_exchange_plan *to = &j->plan[s->peer];
    int step = ftc_exchange_receiving_step(to, s->number);

    ck_assert_int_ge(step, 0);
    ck_assert_int_eq(to->step[step].peer, rank);
}

/* What @peer has sent to @rank as @number; NULL: it has not. */
static const int *sent_by(const struct job *j, int peer, int rank, unsigned number)
{
    for (int i = 0; i < j->at[peer]; i++) {
        const struct ftc_exchange_step *s = &j->plan[peer].step[i];

        if (sends(s) && s->peer == rank && s->number == number)
            return j->gave[peer][i];
    }
    return NULL;
}

static bool add(struct job *j, int rank, const int *value)
{
    for (int i = 0; value && i < j->n; i++)
        j->has[rank][i] += value[i];
    return value != NULL;
}

static bool copy(struct job *j, int rank, const int *value)
{
    if (value)
        memcpy(j->has[rank], value, sizeof j->has[rank]);
    return value != NULL;
}

/* Both sides of a swap go on at once. */
static bool swap(struct job *j, int rank, int peer)
{
    struct ftc_exchange_plan *p = &j->plan[peer];
    int before[MOST];

    if (j->at[peer] >= p->count || p->step[j->at[peer]].act != FTC_EXCHANGE_SWAP ||
        p->step[j->at[peer]].peer != rank)
        return false;
    memcpy(before, j->has[rank], sizeof before);
    add(j, rank, j->has[peer]);
    for (int i = 0; i < j->n; i++)
        j->has[peer][i] += before[i];
    j->at[peer]++;
    return true;
}

static bool can_end(struct job *j, int rank)
{
    const struct ftc_exchange_step *s = &j->plan[rank].step[j->at[rank]];

    if (sends(s))
        check_sent(j, rank, s);
    switch ((enum ftc_exchange_act)s->act) {
    case FTC_EXCHANGE_COMBINE:
        return true;
    case FTC_EXCHANGE_GIVE:
        memcpy(j->gave[rank][j->at[rank]], j->has[rank], sizeof j->has[rank]);
        return true;
    case FTC_EXCHANGE_SWAP:
        return swap(j, rank, s->peer);
    case FTC_EXCHANGE_KEEP:
    case FTC_EXCHANGE_TAKE:
        return add(j, rank, sent_by(j, s->peer, rank, s->number));
    case FTC_EXCHANGE_GET:
        return copy(j, rank, sent_by(j, s->peer, rank, s->number));
    case FTC_EXCHANGE_READ:
        ck_assert_int_eq(j->host[s->peer], j->host[rank]);
        return j->at[s->peer] == j->plan[s->peer].count && copy(j, rank, j->has[s->peer]);
    }
    return false;
}

static void run(struct job *j)
{
    bool goes_on;

    do {
        goes_on = false;
        for (int rank = 0; rank < j->n; rank++)
            while (j->at[rank] < j->plan[rank].count && can_end(j, rank)) {
                j->at[rank]++;
                goes_on = true;
            }
    } while (goes_on);
}

static void check_everybody_has_everything_once(struct job *j)
{
    run(j);
    for (int rank = 0; rank < j->n; rank++)
        for (int i = 0; i < j->n; i++)
            ck_assert_msg(j->has[rank][i] == 1, "n=%d, %d hosts: rank %d has that of %d %d times",
                          j->n, j->hosts.count, rank, i, j->has[rank][i]);
}

/* Of recursive doubling among @n. */
static int doubling_messages(int n)
{
    struct ftc_nesting s = ftc_nesting_of(n);

    return s.doublings * ftc_nesting_leaves(s) + 2 * s.pairs;
}

/* Of rounds in which four tell each other, two doublings each. */
static int messages_of_rounds(int n)
{
    struct ftc_nesting s = ftc_nesting_of(n);

    return (s.doublings / 2 * 3 + s.doublings % 2) * ftc_nesting_leaves(s) + 2 * s.pairs;
}

static int count_acts(const struct ftc_exchange_plan *p, enum ftc_exchange_act act)
{
    int count = 0;

    for (int i = 0; i < p->count; i++)
        count += p->step[i].act == act;
    return count;
}

/* ---- */

START_TEST(everybody_has_everything_once)
{
    static struct job j;

    for (int n = 1; n <= some; n++)
        for (int hosts = 1; hosts <= n; hosts += 1 + hosts / 5)
            for (int how = 0; how < 4 * FTC_EXCHANGE_MANNERS; how++) {
                deal_far(&j, n, hosts, how % 2, (enum ftc_exchange_manner)(how / 4), how / 2 % 2);
                check_everybody_has_everything_once(&j);
            }
}
END_TEST

START_TEST(messages_between_hosts_are_those_of_as_many_ranks)
{
    static struct job j;

    for (int n = 2; n <= some; n++)
        for (int hosts = 2; hosts <= n; hosts++)
            for (int how = 0; how < 4; how++) {
                int apart = how / 2 ? messages_of_rounds(hosts) : doubling_messages(hosts);

                deal_far(&j, n, hosts, how % 2, FTC_EXCHANGE_BY_ALL, how / 2);
                ck_assert_int_eq(count_messages(&j), n - hosts + apart);
                ck_assert_int_eq(j.apart, apart);
            }
}
END_TEST

START_TEST(on_one_host_cores_decide)
{
    static struct job j;

    for (int n = 1; n <= some; n++) {
        deal(&j, n, 1, false, FTC_EXCHANGE_BY_ALL);
        ck_assert_int_eq(count_messages(&j), doubling_messages(n));
        deal(&j, n, 1, false, FTC_EXCHANGE_COLLECT);
        ck_assert_int_eq(count_messages(&j), n - 1);
    }
}
END_TEST

START_TEST(a_few_ranks_tell_each_other)
{
    static struct job j;

    for (int n = 1; n <= some; n++) {
        deal(&j, n, 1, false, FTC_EXCHANGE_MULTICAST);
        ck_assert_int_eq(count_messages(&j), n <= FTC_EXCHANGE_MULTICAST_MAX ? n * (n - 1) : n - 1);
    }
    deal(&j, FTC_EXCHANGE_MULTICAST_MAX, 1, false, FTC_EXCHANGE_MULTICAST);
    for (int rank = 0; rank < j.n; rank++)
        ck_assert_int_eq(j.plan[rank].step[0].peer, (rank + 1) % j.n);
}
END_TEST

/* One message may stand for all that a rank gives, and it receives no other. */
START_TEST(what_is_told_is_alike_and_comes_first)
{
    static struct job j;

    for (int n = 1; n <= some; n++)
        for (int manner = 0; manner < FTC_EXCHANGE_MANNERS; manner++) {
            deal(&j, n, 1, false, (enum ftc_exchange_manner)manner);
            for (int rank = 0; rank < n; rank++) {
                const struct ftc_exchange_plan *p = &j.plan[rank];

                ck_assert_int_eq(p->multicasts, manner == FTC_EXCHANGE_MULTICAST && n > 2 &&
                                                    n <= FTC_EXCHANGE_MULTICAST_MAX);
                for (int i = 0; p->multicasts && i < p->count - 1; i++) {
                    ck_assert_int_eq(p->step[i].act,
                                     i < n - 1 ? FTC_EXCHANGE_GIVE : FTC_EXCHANGE_KEEP);
                    if (i < n - 1)
                        ck_assert_int_eq(p->step[i].number, p->step[0].number);
                }
            }
        }
}
END_TEST

/* Of 8 leaders each is in a round of four and in one of two. */
START_TEST(leaders_that_are_far_go_in_rounds_of_four)
{
    static struct job j;

    deal_far(&j, 8, 8, true, FTC_EXCHANGE_BY_ALL, true);
    for (int rank = 0; rank < j.n; rank++) {
        ck_assert_int_eq(count_acts(&j.plan[rank], FTC_EXCHANGE_KEEP), 3);
        ck_assert_int_eq(count_acts(&j.plan[rank], FTC_EXCHANGE_COMBINE), 1);
        ck_assert_int_eq(count_acts(&j.plan[rank], FTC_EXCHANGE_SWAP), 1);
    }
}
END_TEST

/* What one rank awaits is told apart by its numbers. */
START_TEST(messages_to_a_rank_have_numbers_of_their_own)
{
    static struct job j;

    for (int n = 1; n <= some; n++)
        for (int hosts = 1; hosts <= n; hosts++) {
            deal_far(&j, n, hosts, true, FTC_EXCHANGE_COLLECT, hosts % 2);
            for (int rank = 0; rank < n; rank++)
                for (int i = 0; i < j.plan[rank].count; i++) {
                    const struct ftc_exchange_step *s = &j.plan[rank].step[i];

                    if (s->act == FTC_EXCHANGE_KEEP || s->act == FTC_EXCHANGE_TAKE ||
                        s->act == FTC_EXCHANGE_SWAP || s->act == FTC_EXCHANGE_GET)
                        ck_assert_int_eq(ftc_exchange_receiving_step(&j.plan[rank], s->number), i);
                }
        }
}
END_TEST

/* Up to RADIX ranks give theirs to the leader at once. */
START_TEST(many_ranks_are_collected_by_a_tree)
{
    static struct job j;

    deal(&j, FTC_EXCHANGE_RADIX, 1, false, FTC_EXCHANGE_COLLECT);
    ck_assert_int_eq(count_acts(&j.plan[0], FTC_EXCHANGE_KEEP), FTC_EXCHANGE_RADIX - 1);
    deal(&j, FTC_EXCHANGE_RADIX + 2, 1, false, FTC_EXCHANGE_COLLECT);
    ck_assert_int_eq(count_acts(&j.plan[0], FTC_EXCHANGE_KEEP), FTC_EXCHANGE_RADIX);
    ck_assert_int_eq(count_acts(&j.plan[FTC_EXCHANGE_RADIX], FTC_EXCHANGE_KEEP), 1);
    ck_assert_int_eq(j.plan[FTC_EXCHANGE_RADIX + 1].step[0].peer, FTC_EXCHANGE_RADIX);
}
END_TEST

/* A message costs less there than one between hosts, but a leader that takes in many of them is
 * late. */
START_TEST(on_several_hosts_the_tree_is_narrower)
{
    static struct job j;

    for (int manner = 0; manner < FTC_EXCHANGE_MANNERS; manner++) {
        deal(&j, 2 * 36, 2, true, (enum ftc_exchange_manner)manner); /* 3 * 2 * 3 * 2 each */
        ck_assert_int_eq(count_acts(&j.plan[0], FTC_EXCHANGE_KEEP), 2 + 1 + 2 + 1);
    }
}
END_TEST

START_TEST(whoever_sends_nothing_is_not_awaited)
{
    static struct job j;

    deal(&j, 5, 2, true, FTC_EXCHANGE_BY_ALL); /* hosts {0 1 2} and {3 4} */
    ck_assert_int_eq(ftc_exchange_receiving_step(&j.plan[1], 0), -1);
    for (unsigned number = 0; number < UINT16_MAX; number++) {
        int step = ftc_exchange_receiving_step(&j.plan[0], number);

        ck_assert(step < 0 || j.plan[0].step[step].number == number);
    }
}
END_TEST

int main(void)
{
    some = unit_most(some, 17);
    UNIT_BEGIN("exchange");
    UNIT_TEST(everybody_has_everything_once);
    UNIT_TEST(messages_between_hosts_are_those_of_as_many_ranks);
    UNIT_TEST(on_one_host_cores_decide);
    UNIT_TEST(a_few_ranks_tell_each_other);
    UNIT_TEST(what_is_told_is_alike_and_comes_first);
    UNIT_TEST(leaders_that_are_far_go_in_rounds_of_four);
    UNIT_TEST(messages_to_a_rank_have_numbers_of_their_own);
    UNIT_TEST(many_ranks_are_collected_by_a_tree);
    UNIT_TEST(on_several_hosts_the_tree_is_narrower);
    UNIT_TEST(whoever_sends_nothing_is_not_awaited);
    UNIT_END();
}
