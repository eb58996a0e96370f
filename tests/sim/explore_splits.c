/* Exhaustive over splits and ends of agents: in each small cluster each host is cut off, in some
 * way and for some time, at each send of each process; and while it hears of each death, its agent
 * ends. */
#include "workers.h"

struct part {
    enum ftc_op_kind kind;
    enum ftc_algorithm algorithm;
    int n, f;
    bool small;
    bool has_death; /* besides */
    int job, jobs;
    struct explore_total *total;
    uint64_t index; /* of the base case, to share them out */
    struct sim sim;
};

enum { OUT = 1 << SIM_WAY_OUT, IN = 1 << SIM_WAY_IN, UP = 1 << SIM_WAY_UP };
enum { DOWN = 1 << SIM_WAY_DOWN, AGENT = 1 << SIM_WAY_AGENT };

/* Wholly, outwards, inwards, from the authority alone; and for times on both sides of the end of
 * the lease, of the host, and of what the authority bears. */
static const unsigned ways[] = {OUT | IN | UP | DOWN, OUT | UP, IN | DOWN, UP | DOWN, AGENT};
static const int ticks[] = {1, 2, 3, 4, 5, 6, 8, 0};
enum {
    WAYS = sizeof ways / sizeof ways[0],
    LENGTHS = sizeof ticks / sizeof ticks[0],
};

static bool stopped(const struct part *p)
{
    return p->total->failed > 0;
}

static void run_orders(struct part *p, struct scenario *c, int sends[SIM_MAX_N])
{
    explore_orders(&p->sim, c, p->total, p->index, sends);
}

/* ---- splits ---- */

static void split_at_each_send(struct part *p, struct scenario *c, struct scenario_split split,
                               const int sends[SIM_MAX_N])
{
    int unused[SIM_MAX_N] = {0};

    c->split_count = 1;
    for (split.rank = 0; split.rank < c->n; split.rank++)
        for (split.sends = 0; split.sends <= sends[split.rank] && !stopped(p); split.sends++) {
            c->split[0] = split;
            run_orders(p, c, unused);
        }
    c->split_count = 0;
}

static void split_each_host(struct part *p, struct scenario *c, const int sends[SIM_MAX_N])
{
    struct scenario_split split = {.host = 0};

    for (; scenario_ranks_on(c, split.host) != 0; split.host++)
        for (int way = 0; way < WAYS; way++)
            for (int i = 0; i < LENGTHS; i++) {
                split.ways = ways[way];
                split.ticks = ticks[i];
                split_at_each_send(p, c, split, sends);
            }
}

/* ---- ends of agents ---- */

/* Of one that has come to the only news, or has heard them again. */
static void end_each_agent(struct part *p, struct scenario *c)
{
    int unused[SIM_MAX_N] = {0};

    for (int host = 0; scenario_ranks_on(c, host) != 0; host++)
        for (int end = 0; end < 2 * (SIM_AFTER + 1) && !stopped(p); end++) {
            c->agent[0] = (struct scenario_agent){
                .host = host, .news = 1 + end % 2, .when = (enum scenario_when)(end / 2)};
            c->agent_count = 1;
            if (host != c->host[c->crash[0].first])
                run_orders(p, c, unused);
        }
    c->agent_count = 0;
}

/* A rank, or all of its host. */
static void crash_at_each_send(struct part *p, struct scenario *c, const int sends[SIM_MAX_N])
{
    c->crash_count = 1;
    for (int rank = 0; rank < c->n; rank++)
        for (int at = 0; at <= sends[rank] && !stopped(p); at++) {
            uint64_t own = 1ull << rank, host = scenario_ranks_on(c, c->host[rank]);

            c->crash[0] = (struct scenario_crash){.ranks = own, .first = rank, .sends = at};
            if (p->has_death) {
                split_each_host(p, c, sends);
                continue;
            }
            end_each_agent(p, c);
            c->crash[0].ranks = host;
            if (host != own)
                end_each_agent(p, c);
        }
    c->crash_count = 0;
}

/* ---- what they happen to ---- */

static void explore_base(struct part *p, struct scenario *c)
{
    int sends[SIM_MAX_N] = {0};

    if (p->index++ % (uint64_t)p->jobs != (uint64_t)p->job || stopped(p))
        return;
    run_orders(p, c, sends);
    crash_at_each_send(p, c, sends);
    if (!p->has_death)
        split_each_host(p, c, sends);
}

/* Each layout and root has one of the settings, all of them in turn. */
static void explore_layout(struct part *p, struct scenario *c)
{
    uint64_t which = p->index * 7;

    c->scheme = (enum ftc_failure_scheme)(which % 3);
    c->deterministic = which / 3 % 2 == 0;
    c->late_publish = which / 6 % 2 == 0;
    c->tree.kind = (enum ftc_tree_kind)(which / 12 % 2); /* binomial, and a chain */
    explore_base(p, c);
}

static void work(int job, int jobs, struct explore_total *total, const void *context)
{
    struct part p = *(const struct part *)context;
    struct scenario c;

    p.job = job;
    p.jobs = jobs;
    p.total = total;
    scenario_default(&c);
    c.n = p.n;
    c.f = p.f;
    c.tree.k = 1;
    c.op[0].kind = p.kind;
    c.algorithm = p.algorithm;
    c.hosts_fail = c.has_agents = true;
    while (explore_next_layout(&c))
        for (int root = 0; root < (p.kind == FTC_OP_REDUCE ? c.n : 1); root++) {
            c.op[0].root = root;
            explore_layout(&p, &c);
        }
    sim_close(&p.sim);
}

static int explore_part(struct part p, int least_n, int most_n, const char *name, int jobs)
{
    struct explore_total sum = {0}, total;
    int rv = 0;

    for (p.n = least_n; p.n <= most_n; p.n++)
        for (p.f = 1; p.f <= (p.small ? 1 : 2); p.f++) {
            rv |= workers_run(work, jobs, 0, &p, &total);
            explore_total_add(&sum, &total);
        }
    printf(
        "all splits and ends of agents, %s n<=%d%s: %llu runs, %llu losses of hosts, %llu failed\n",
        name, most_n, p.has_death ? ", with a death" : "", (unsigned long long)sum.runs,
        (unsigned long long)sum.losses, (unsigned long long)sum.failed);
    fflush(stdout);
    return rv;
}

static int explore_kind(struct part p, const char *name, int jobs)
{
    int rv;

    p.has_death = false;
    rv = explore_part(p, 2, p.small ? 4 : 5, name, jobs);
    p.has_death = true;
    return p.small ? rv : rv | explore_part(p, 3, 3, name, jobs);
}

int explore_splits(bool small, int jobs)
{
    struct part p = {.kind = FTC_OP_REDUCE, .small = small};
    int rv = explore_kind(p, "reduce", jobs);

    p.kind = FTC_OP_ALLREDUCE;
    rv |= explore_kind(p, "corrected allreduce", jobs);
    p.algorithm = FTC_ALGORITHM_OPTIMISTIC;
    return rv | explore_kind(p, "optimistic allreduce", jobs);
}
