#include "exchange_plan.h"

#include <assert.h>
#include <stddef.h>

/* Messages among leaders have the numbers of their steps; those that are collected come after
 * them, by the place of the sender among the children of the receiver. */
enum { COLLECTED = FTC_EXCHANGE_LEADERS_STEPS };

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

/* ---- inside a host: ranks by their index in it, the leader being 0 ---- */

/* The parent of an index has its lowest digit that is not 0, to the base @radix, as 0. So whatever
 * stands below an index follows it at once. */
struct link {
    int parent, place; /* among the children of the parent, in the order of their indices */
};

static struct link link_of(int index, int radix)
{
    int unit = 1, level = 0, digit;

    while (index / unit % radix == 0) {
        unit *= radix;
        level++;
    }
    digit = index / unit % radix;
    return (struct link){.parent = index - digit * unit, .place = level * (radix - 1) + digit - 1};
}

/* Each level is one more turn of ranks that share cores, and each child one more message that its
 * parent takes in. */
static int radix_of(const struct ftc_hosts *hosts)
{
    return hosts->count == 1 ? FTC_EXCHANGE_RADIX : FTC_EXCHANGE_RADIX_OF_HOSTS;
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
    int index = own_index;

    for (int r = rank + 1; r < n; r++) {
        if (ftc_hosts_of(hosts, r) != ftc_hosts_of(hosts, rank))
            continue;
        if (link_of(++index, radix_of(hosts)).parent == own_index)
            add(p, FTC_EXCHANGE_COLLECT, r, COLLECTED + p->collected++);
    }
    if (p->collected > 0)
        add(p, FTC_EXCHANGE_COMBINE, -1, 0);
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
    struct link link = link_of(own_index, radix_of(hosts));

    add(p, FTC_EXCHANGE_GIVE, rank_of(hosts, host, link.parent), COLLECTED + link.place);
    add(p, FTC_EXCHANGE_READ, rank_of(hosts, host, 0), 0);
}

/* ---- among leaders: by the numbers of their hosts ---- */

/* NULL: each rank leads itself. */
static int leader_of(const struct ftc_hosts *hosts, int host)
{
    return hosts ? rank_of(hosts, host, 0) : host;
}

static void fold(struct ftc_exchange_plan *p, struct ftc_nesting s, const struct ftc_hosts *hosts,
                 int self, int number, enum ftc_exchange_act of_even, enum ftc_exchange_act of_odd)
{
    if (s.pairs == 0)
        return;
    if (self >= 2 * s.pairs)
        add(p, FTC_EXCHANGE_NOTHING, -1, 0);
    else
        add(p, self % 2 == 0 ? of_even : of_odd, leader_of(hosts, self ^ 1), number);
}

/* @self is one of @count leaders. */
static void exchange(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts, int count,
                     int self)
{
    struct ftc_nesting s = ftc_nesting_of(count);
    bool is_folded_away = self < 2 * s.pairs && self % 2 == 0;
    int leaf = self < 2 * s.pairs ? self / 2 : self - s.pairs;
    int number = s.pairs > 0;

    fold(p, s, hosts, self, 0, FTC_EXCHANGE_GIVE, FTC_EXCHANGE_TAKE);
    for (int i = 0; i < s.doublings; i++, number++) {
        int other = leaf ^ (1 << i);

        if (is_folded_away)
            add(p, FTC_EXCHANGE_NOTHING, -1, 0);
        else
            add(p, FTC_EXCHANGE_SWAP,
                leader_of(hosts, ftc_nesting_first(s, other) + (other < s.pairs)), number);
    }
    fold(p, s, hosts, self, number, FTC_EXCHANGE_GET, FTC_EXCHANGE_GIVE);
}

void ftc_exchange_plan_make(struct ftc_exchange_plan *p, const struct ftc_hosts *hosts,
                            bool collects, int n, int rank)
{
    int index;

    p->collected = p->leaders = p->count = 0;
    if ((hosts->count == 1 && !collects) || hosts->count == n) {
        exchange(p, NULL, n, rank);
        return;
    }
    index = index_of(hosts, rank);
    collect(p, hosts, n, rank, index);
    p->leaders = p->count;
    if (index > 0)
        follow(p, hosts, ftc_hosts_of(hosts, rank), index);
    else
        exchange(p, hosts, hosts->count, ftc_hosts_of(hosts, rank));
}

int ftc_exchange_receiving_step(const struct ftc_exchange_plan *p, unsigned number)
{
    unsigned index = number < COLLECTED ? (unsigned)p->leaders + number : number - COLLECTED;

    if (index >= (unsigned)p->count || p->step[index].number != number)
        return -1;
    switch (p->step[index].act) {
    case FTC_EXCHANGE_COLLECT:
    case FTC_EXCHANGE_TAKE:
    case FTC_EXCHANGE_SWAP:
    case FTC_EXCHANGE_GET:
        return (int)index;
    default:
        return -1;
    }
}
