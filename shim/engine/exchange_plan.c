#include "exchange_plan.h"

#include <assert.h>
#include <stddef.h>

/* Numbers of messages. First comes that of folds in and out, of which a rank receives one. Then
 * come those of the rounds among leaders, in each round by the sender's place. Last come those of a
 * rank's children, by their places. */
enum {
    FOLD,
    ROUNDS,
    ROUND_RANKS = 1 << FTC_EXCHANGE_FUSED,
    CHILDREN = ROUNDS + FTC_EXCHANGE_DOUBLINGS * ROUND_RANKS,
};

struct ftc_nesting ftc_nesting_of(int n)
{
    struct ftc_nesting s = {0};

    while (2 << s.doublings <= n)
        s.doublings++;
    s.pairs = n - ftc_nesting_leaves(s);
    return s;
}

static void add(struct ftc_exchange_plan *p, enum ftc_exchange_act act, int peer, int number)
{
    assert(p->count < FTC_EXCHANGE_STEPS);
    p->step[p->count++] =
        (struct ftc_exchange_step){.peer = peer, .number = (uint16_t)number, .act = (uint8_t)act};
}

/* ---- inside a host: ranks by their index on it, the leader being 0 ---- */

/* Returns the radix of a level. Each level costs one more turn of ranks that share cores, and each
 * child one more message that its parent must receive. On several hosts the levels are narrow, and
 * have two radices in turns. */
static int radix_of(const struct ftc_hosts *hosts, int level)
{
    if (hosts->count == 1)
        return FTC_EXCHANGE_RADIX;
    return level % 2 == 0 ? FTC_EXCHANGE_RADIX_OF_HOSTS : FTC_EXCHANGE_RADIX_OF_HOSTS - 1;
}

/* Link from an index to its parent. The digits of an index have the radices of the levels. The
 * parent has 0 in the place of the lowest digit that is not 0. The descendants of an index in the
 * tree thus are the indices that directly follow it. */
struct link {
    int parent, place; /* among the parent's children, in the order of indices */
};

static struct link link_of(const struct ftc_hosts *hosts, int index)
{
    int unit = 1, level = 0, lower = 0, radix = radix_of(hosts, 0), digit;

    while (index / unit % radix == 0) {
        unit *= radix;
        lower += radix - 1;
        radix = radix_of(hosts, ++level);
    }
    digit = index / unit % radix;
    return (struct link){.parent = index - digit * unit, .place = lower + digit - 1};
}

static int index_of(const struct ftc_hosts *hosts, int rank)
{
    int index = 0;

    for (int r = 0; r < rank; r++)
        index += ftc_hosts_of(hosts, r) == ftc_hosts_of(hosts, rank);
    return index;
}

static void collect(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts, int n, int rank,
                    int own_index)
{
    int index = own_index, collected = 0;

    for (int r = rank + 1; r < n; r++) {
        if (ftc_hosts_of(hosts, r) != ftc_hosts_of(hosts, rank))
            continue;
        if (link_of(hosts, ++index).parent == own_index)
            add(p, FTC_EXCHANGE_KEEP, r, CHILDREN + collected++);
    }
    if (collected > 0)
        add(p, FTC_EXCHANGE_COMBINE, 0, collected);
}

static int rank_of(const struct ftc_hosts *hosts, int host, int index)
{
    int rank = 0;

    for (;; rank++)
        if (ftc_hosts_of(hosts, rank) == host && index-- == 0)
            return rank;
}

static void follow(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts, int host,
                   int own_index)
{
    struct link link = link_of(hosts, own_index);

    add(p, FTC_EXCHANGE_GIVE, rank_of(hosts, host, link.parent), CHILDREN + link.place);
    add(p, FTC_EXCHANGE_READ, rank_of(hosts, host, 0), 0);
}

/* ---- rounds ---- */

/* Ranks that send each other their values. */
struct round {
    int count, own; /* place of this rank among them */
    int rank[FTC_EXCHANGE_MULTICAST_MAX];
};

/* Adds the steps of a round. A rank sends to the rank after itself first, so that not all ranks
 * send to the same rank at once. */
static void multicast(struct ftc_exchange_plan *p, const struct round *r, int number)
{
    if (r->count == 2) {
        add(p, FTC_EXCHANGE_SWAP, r->rank[1 - r->own], number);
        return;
    }
    for (int i = 1; i < r->count; i++)
        add(p, FTC_EXCHANGE_GIVE, r->rank[(r->own + i) % r->count], number + r->own);
    for (int i = 0; i < r->count; i++)
        if (i != r->own)
            add(p, FTC_EXCHANGE_KEEP, r->rank[i], number + i);
    add(p, FTC_EXCHANGE_COMBINE, r->own, r->count - 1);
}

static void multicast_all(struct ftc_exchange_plan *p, int n, int rank)
{
    struct round all = {.count = n, .own = rank};

    for (int i = 0; i < n; i++)
        all.rank[i] = i;
    multicast(p, &all, ROUNDS);
    p->multicasts = n > 2; /* two ranks swap */
}

/* ---- among leaders: by the numbers of their hosts ---- */

/* Returns the leader of a host. If @hosts is NULL, each rank is a leader. */
static int leader_of(const struct ftc_hosts *hosts, int host)
{
    return hosts ? rank_of(hosts, host, 0) : host;
}

static void fold(struct ftc_exchange_plan *p, struct ftc_nesting s, const struct ftc_hosts *hosts,
                 int self, enum ftc_exchange_act of_even, enum ftc_exchange_act of_odd)
{
    if (self < 2 * s.pairs)
        add(p, self % 2 == 0 ? of_even : of_odd, leader_of(hosts, self ^ 1), FOLD);
}

/* Returns the round of @leaf that does @count of its doublings, from number @first on. */
static struct round round_of(const struct ftc_hosts *hosts, struct ftc_nesting s, int leaf,
                             int first, int count)
{
    struct round r = {.count = 1 << count, .own = (leaf >> first) % (1 << count)};

    for (int i = 0; i < r.count; i++) {
        int other = leaf + (i - r.own) * (1 << first);

        r.rank[i] = leader_of(hosts, ftc_nesting_first(s, other) + (other < s.pairs));
    }
    return r;
}

/* Adds the rounds. Doublings are fused between distant hosts only: where the cost of a message is
 * mostly its sender's work, single doublings are best. */
static void double_up(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts,
                      struct ftc_nesting s, int leaf)
{
    int fused = hosts && hosts->are_far ? FTC_EXCHANGE_FUSED : 1;

    for (int done = 0, count; done < s.doublings; done += count) {
        struct round r;

        count = s.doublings - done < fused ? s.doublings - done : fused;
        r = round_of(hosts, s, leaf, done, count);
        multicast(p, &r, ROUNDS + done * ROUND_RANKS);
    }
}

/* Adds the exchange among @count leaders, of which @self is one. */
static void exchange(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts, int count,
                     int self)
{
    struct ftc_nesting s = ftc_nesting_of(count);
    bool is_folded_away = self < 2 * s.pairs && self % 2 == 0;

    fold(p, s, hosts, self, FTC_EXCHANGE_GIVE, FTC_EXCHANGE_TAKE);
    if (!is_folded_away)
        double_up(p, hosts, s, self < 2 * s.pairs ? self / 2 : self - s.pairs);
    fold(p, s, hosts, self, FTC_EXCHANGE_GET, FTC_EXCHANGE_GIVE);
}

/* ---- the whole plan ---- */

static void go_by_hosts(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts, int n, int rank)
{
    int index = index_of(hosts, rank);

    collect(p, hosts, n, rank, index);
    if (index > 0)
        follow(p, hosts, ftc_hosts_of(hosts, rank), index);
    else
        exchange(p, hosts, hosts->count, ftc_hosts_of(hosts, rank));
}

void ftc_exchange_plan_make(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts,
                            enum ftc_exchange_manner manner, int n, int rank)
{
    bool is_one_host = hosts->count == 1;

    p->count = 0;
    p->multicasts = false;
    if (is_one_host && manner == FTC_EXCHANGE_BY_ALL)
        exchange(p, NULL, n, rank);
    else if (is_one_host && manner == FTC_EXCHANGE_MULTICAST && n > 1 &&
             n <= FTC_EXCHANGE_MULTICAST_MAX)
        multicast_all(p, n, rank);
    else
        go_by_hosts(p, hosts, n, rank);
}

static bool receives(const struct ftc_exchange_step *step)
{
    switch ((enum ftc_exchange_act)step->act) {
    case FTC_EXCHANGE_KEEP:
    case FTC_EXCHANGE_TAKE:
    case FTC_EXCHANGE_SWAP:
    case FTC_EXCHANGE_GET:
        return true;
    default:
        return false;
    }
}

int ftc_exchange_receiving_step(const struct ftc_exchange_plan *p, unsigned number)
{
    for (int i = 0; i < p->count; i++)
        if (p->step[i].number == number && receives(&p->step[i]))
            return i;
    return -1;
}
