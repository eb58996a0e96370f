#include "hosts.h"
#include "engine.h"
#include "yardstick.h"

#include <stdio.h>

enum { MOST_PROCESSES = 65536, QUICK_PROCESSES = 16384 };
static const double BAR = 1.05;

/* A message inside of a host, and between two, which are containers of one machine or far from each
 * other. */
struct costs {
    const char *what;
    struct ftc_logp inside, between;
    bool are_far;
};
static const struct costs cost[] = {
    {"L = 2, o = g = 1; between hosts L = 20", {2, 1, 1}, {20, 1, 1}, true},
    {"ns, shared memory and TCP as measured here", {1, 243, 371}, {1000, 1200, 1200}, false},
    {"ns, the same shared memory, and a network of 1 us", {1, 243, 371}, {1000, 243, 371}, true},
};
enum { COSTS = sizeof cost / sizeof cost[0] };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- the yardstick: each host into its leader, the leaders, each host from its leader; the
 * leaders by recursive doubling or, where that is faster, in groups of any one size ---- */

/* The fastest reduce is the fastest broadcast, backwards. */
static int64_t into_leader(int per_host, const struct costs *c)
{
    return least(yardstick_binomial(per_host, c->inside, YARDSTICK_UP),
                 yardstick_optimal(per_host, c->inside));
}

/* Read from shared memory, or by a tree. */
static int64_t from_leader(int per_host, const struct costs *c)
{
    return least(c->inside.L + 2 * c->inside.o, yardstick_optimal(per_host, c->inside));
}

static int64_t among_leaders(int hosts, const struct costs *c)
{
    int64_t best = yardstick_recursive_doubling(hosts, c->between);

    for (int base = 3; base <= hosts; base++) {
        int64_t ticks = yardstick_recursive_multiplying(hosts, c->between, base);

        best = ticks < 0 ? best : least(best, ticks);
    }
    return best;
}

/* ---- ours ---- */

static int64_t optimistic(int hosts, int per_host, const struct costs *c)
{
    static const struct engine_deaths nobody;
    struct engine_setup setup = {
        .kind = FTC_OP_ALLREDUCE,
        .algorithm = FTC_ALGORITHM_OPTIMISTIC,
        .tree = {.kind = FTC_TREE_OPTIMAL, .logp = c->inside},
        .n = hosts * per_host,
        .f = 1,
        .cost = c->inside,
        .per_host = per_host,
        .between = c->between,
        .hosts_are_far = c->are_far,
    };

    return engine_run(&setup, &nobody).latency;
}

/* Returns whether the bar is met. */
static bool compare(int hosts, int per_host, const struct costs *c, int64_t leaders)
{
    int64_t ours = optimistic(hosts, per_host, c);
    int64_t best = into_leader(per_host, c) + leaders + from_leader(per_host, c);
    double ratio = (double)ours / (double)best;

    printf("%6d x %2d%12lld%14lld%8.3f\n", hosts, per_host, (long long)ours, (long long)best,
           ratio);
    return ratio <= BAR;
}

static bool measure(const struct costs *c, bool quick)
{
    static const int hosts[] = {4, 16, 64, 256, 1024}, per_host[] = {2, 4, 8, 16, 32, 64};
    bool is_met = true; /* by the last, which has most */

    printf("\nOptimistic allreduce beside the best hierarchical one; %s\n", c->what);
    printf("%11s%12s%14s%8s\n", "hosts", "optimistic", "best known", "ratio");
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        int64_t leaders = among_leaders(hosts[i], c);

        for (size_t j = 0; j < sizeof per_host / sizeof per_host[0]; j++)
            if (hosts[i] * per_host[j] <= (quick ? QUICK_PROCESSES : MOST_PROCESSES))
                is_met = compare(hosts[i], per_host[j], c, leaders);
    }
    printf("%-7s at most %.2f with most hosts and ranks\n", is_met ? "met" : "NOT MET", BAR);
    return is_met;
}

int hosts_measure(bool quick)
{
    int missed = 0;

    for (int i = 0; i < COSTS; i++)
        missed += !measure(&cost[i], quick);
    return missed;
}
