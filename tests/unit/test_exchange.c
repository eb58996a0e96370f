/* shim/engine/exchange_plan: who gives what to whom, for all layouts of ranks on hosts that are
 * dealt here. */
#include "engine/exchange_plan.h"

#include "unit.h"

#include <string.h>

enum { MOST = 40 };

struct job {
    int n;
    bool collects;
    int32_t host[MOST];
    struct ftc_hosts hosts;
    struct ftc_exchange_plan plan[MOST];
    int at[MOST];        /* step that a rank is at */
    int has[MOST][MOST]; /* how often it has whose value */
    int sent, apart;     /* messages, and those between hosts */
};

static void make_plans(struct job *j)
{
    for (int rank = 0; rank < j->n; rank++)
        ftc_exchange_plan_make(&j->plan[rank], &j->hosts, j->collects, j->n, rank);
}

/* In blocks, or one after the other. */
static void deal(struct job *j, int n, int hosts, bool in_blocks, bool collects)
{
    memset(j, 0, sizeof *j);
    j->n = n;
    j->collects = collects;
    j->hosts = (struct ftc_hosts){.count = hosts, .of = j->host};
    for (int rank = 0; rank < n; rank++) {
        j->host[rank] = in_blocks ? rank * hosts / n : rank % hosts;
        j->has[rank][rank] = 1;
    }
    make_plans(j);
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

/* Whether @peer has come past the step that sends @number to @rank, or is at it. */
static bool has_sent(const struct job *j, int peer, int rank, unsigned number)
{
    for (int i = 0; i <= j->at[peer] && i < j->plan[peer].count; i++) {
        const struct ftc_exchange_step *s = &j->plan[peer].step[i];

        if (sends(s) && s->peer == rank && s->number == number)
            return true;
    }
    return false;
}

static void add(struct job *j, int rank, int peer)
{
    for (int i = 0; i < j->n; i++)
        j->has[rank][i] += j->has[peer][i];
}

static void copy(struct job *j, int rank, int peer)
{
    memcpy(j->has[rank], j->has[peer], sizeof j->has[rank]);
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
    add(j, rank, peer);
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
    case FTC_EXCHANGE_NOTHING:
    case FTC_EXCHANGE_COMBINE:
    case FTC_EXCHANGE_GIVE:
        return true;
    case FTC_EXCHANGE_SWAP:
        return swap(j, rank, s->peer);
    case FTC_EXCHANGE_COLLECT:
    case FTC_EXCHANGE_TAKE:
        if (!has_sent(j, s->peer, rank, s->number))
            return false;
        add(j, rank, s->peer);
        return true;
    case FTC_EXCHANGE_GET:
        if (!has_sent(j, s->peer, rank, s->number))
            return false;
        copy(j, rank, s->peer);
        return true;
    case FTC_EXCHANGE_READ:
        ck_assert_int_eq(j->host[s->peer], j->host[rank]);
        if (j->at[s->peer] < j->plan[s->peer].count)
            return false;
        copy(j, rank, s->peer);
        return true;
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

/* ---- */

START_TEST(everybody_has_everything_once)
{
    static struct job j;

    for (int n = 1; n <= MOST; n++)
        for (int hosts = 1; hosts <= n; hosts += 1 + hosts / 5)
            for (int how = 0; how < 4; how++) {
                deal(&j, n, hosts, how % 2, how / 2);
                check_everybody_has_everything_once(&j);
            }
}
END_TEST

START_TEST(messages_between_hosts_are_those_of_as_many_ranks)
{
    static struct job j;

    for (int n = 2; n <= MOST; n++)
        for (int hosts = 2; hosts <= n; hosts++)
            for (int in_blocks = 0; in_blocks < 2; in_blocks++) {
                deal(&j, n, hosts, in_blocks, false);
                ck_assert_int_eq(count_messages(&j), n - hosts + doubling_messages(hosts));
                ck_assert_int_eq(j.apart, doubling_messages(hosts));
            }
}
END_TEST

START_TEST(on_one_host_cores_decide)
{
    static struct job j;

    for (int n = 1; n <= MOST; n++) {
        deal(&j, n, 1, false, false);
        ck_assert_int_eq(count_messages(&j), doubling_messages(n));
        deal(&j, n, 1, false, true);
        ck_assert_int_eq(count_messages(&j), n - 1);
    }
}
END_TEST

/* Up to RADIX ranks give theirs to the leader at once. */
START_TEST(many_ranks_are_collected_by_a_tree)
{
    static struct job j;

    deal(&j, FTC_EXCHANGE_RADIX, 1, false, true);
    ck_assert_int_eq(j.plan[0].collected, FTC_EXCHANGE_RADIX - 1);
    deal(&j, FTC_EXCHANGE_RADIX + 2, 1, false, true);
    ck_assert_int_eq(j.plan[0].collected, FTC_EXCHANGE_RADIX);
    ck_assert_int_eq(j.plan[FTC_EXCHANGE_RADIX].collected, 1);
    ck_assert_int_eq(j.plan[FTC_EXCHANGE_RADIX + 1].step[0].peer, FTC_EXCHANGE_RADIX);
}
END_TEST

/* A message costs less there than one between hosts, but a leader that takes in many of them is
 * late. */
START_TEST(on_several_hosts_the_tree_is_narrower)
{
    static struct job j;

    deal(&j, 2 * FTC_EXCHANGE_RADIX_OF_HOSTS * FTC_EXCHANGE_RADIX_OF_HOSTS, 2, true, true);
    ck_assert_int_eq(j.plan[0].collected, 2 * (FTC_EXCHANGE_RADIX_OF_HOSTS - 1));
    deal(&j, 2 * FTC_EXCHANGE_RADIX_OF_HOSTS * FTC_EXCHANGE_RADIX_OF_HOSTS, 2, true, false);
    ck_assert_int_eq(j.plan[0].collected, 2 * (FTC_EXCHANGE_RADIX_OF_HOSTS - 1));
}
END_TEST

START_TEST(whoever_sends_nothing_is_not_awaited)
{
    static struct job j;

    deal(&j, 5, 2, true, false); /* hosts {0 1 2} and {3 4} */
    ck_assert_int_eq(ftc_exchange_receiving_step(&j.plan[1], 0), -1);
    for (unsigned number = 0; number < UINT16_MAX; number++) {
        int step = ftc_exchange_receiving_step(&j.plan[0], number);

        ck_assert(step < 0 || j.plan[0].step[step].number == number);
    }
}
END_TEST

int main(void)
{
    UNIT_BEGIN("exchange");
    UNIT_TEST(everybody_has_everything_once);
    UNIT_TEST(messages_between_hosts_are_those_of_as_many_ranks);
    UNIT_TEST(on_one_host_cores_decide);
    UNIT_TEST(many_ranks_are_collected_by_a_tree);
    UNIT_TEST(on_several_hosts_the_tree_is_narrower);
    UNIT_TEST(whoever_sends_nothing_is_not_awaited);
    UNIT_END();
}
