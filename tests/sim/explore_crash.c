/* Exhaustive over crashes: in each small cluster each process dies before and after each of its
 * sends, and so do all pairs of processes, in each of the orders. */
#include "workers.h"

#include <string.h>

struct part {
    enum ftc_op_kind kind;
    enum ftc_algorithm algorithm;
    int n, f;
    bool blocks, is_direct;
    int crashes; /* at most at once */
    bool is_large, has_layouts, hosts_fail;
    int job, jobs;
    struct explore_total *total;
    uint64_t index; /* of the base case, to share them out */
    struct sim sim;
};

static const struct ftc_tree_shape shapes[] = {
    {.kind = FTC_TREE_BINOMIAL},
    {.kind = FTC_TREE_KARY, .k = 1},
    {.kind = FTC_TREE_KARY, .k = 2},
    {.kind = FTC_TREE_KARY, .k = 3},
    {.kind = FTC_TREE_LAME, .k = 2},
    {.kind = FTC_TREE_LAME, .k = 3},
    {.kind = FTC_TREE_OPTIMAL, .logp = {2, 1, 1}},
    {.kind = FTC_TREE_OPTIMAL, .logp = {0, 1, 3}},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], MOST_NODES = 8 }; /* with the root */

/* Small trees of two shapes are often the same tree: then the engine sees no difference. */
static bool is_new_tree(int n, int f, int shape)
{
    int32_t storage[2][5 * MOST_NODES];
    struct ftc_topology a, b;

    ftc_topology_init(&a, n, f, &shapes[shape], storage[0]);
    for (int i = 0; i < shape; i++) {
        ftc_topology_init(&b, n, f, &shapes[i], storage[1]);
        if (memcmp(a.parent, b.parent, (size_t)(a.nodes + 1) * sizeof a.parent[0]) == 0)
            return false;
    }
    return true;
}

static bool stopped(const struct part *p)
{
    return p->total->failed > 0;
}

static void explore_crashes(struct part *p, struct scenario *c, const struct explore_sends *before);

static void crash_at(struct part *p, struct scenario *c, struct scenario_crash crash,
                     const struct explore_sends *sends)
{
    c->crash[c->crash_count++] = crash;
    explore_crashes(p, c, sends);
    c->crash_count--;
}

/* @ranks, @rank among them, die in addition, after its send number @first or a later one. */
static void crash_ranks(struct part *p, struct scenario *c, uint64_t ranks, int rank, int first,
                        const struct explore_sends *sends)
{
    struct scenario_crash crash = {.ranks = ranks, .first = rank};

    for (crash.sends = first; crash.sends <= sends->count[rank]; crash.sends++) {
        crash.before = false;
        crash_at(p, c, crash, sends);
        crash.before = true;
        if (explore_is_first_of_step(sends, rank, crash.sends))
            crash_at(p, c, crash, sends);
    }
}

/* All supersets of the crashes of @c, in its order of events. Of two crashes the order does not
 * matter: the lower rank is first, but at sends that it carries out only because of the other's
 * death. */
static void explore_crashes(struct part *p, struct scenario *c, const struct explore_sends *before)
{
    int last = c->crash_count > 0 ? c->crash[c->crash_count - 1].first : 0;
    struct explore_sends sends;
    uint64_t dead = 0;

    explore_run(&p->sim, c, p->total, &sends);
    for (int i = 0; i < c->crash_count; i++)
        dead |= c->crash[i].ranks;
    for (int rank = 0; rank < c->n && c->crash_count < p->crashes && !stopped(p); rank++) {
        uint64_t own = 1ull << rank, host = scenario_ranks_on(c, c->host[rank]) & ~dead;
        int first = before && rank < last ? before->count[rank] + 1 : 0;

        if (dead & own)
            continue;
        if (scenario_is_tolerable(c, ~0ull, dead | own))
            crash_ranks(p, c, own, rank, first, &sends);
        if (c->hosts_fail && host != own && scenario_is_tolerable(c, ~0ull, dead | host))
            crash_ranks(p, c, host, rank, first, &sends);
    }
}

static void explore_base(struct part *p, struct scenario *c)
{
    if (p->index++ % (uint64_t)p->jobs != (uint64_t)p->job || stopped(p))
        return;
    for (int order = 0; order < SIM_ORDER_COUNT && !stopped(p); order++) {
        explore_set_order(c, (enum scenario_order)order, p->index);
        explore_crashes(p, c, NULL);
    }
}

static void explore_settings(struct part *p, struct scenario *c)
{
    for (int scheme = 0; scheme < 3; scheme++)
        for (int deterministic = 0; deterministic < 2; deterministic++) {
            c->scheme = (enum ftc_failure_scheme)scheme;
            c->deterministic = deterministic;
            explore_base(p, c);
        }
}

/* A reduce has its roots, an allreduce its corrections. */
static void explore_variants(struct part *p, struct scenario *c)
{
    for (int root = 0; p->kind == FTC_OP_REDUCE && root < p->n; root++) {
        c->op[0].root = root;
        explore_settings(p, c);
    }
    for (int correction = 0; p->kind == FTC_OP_ALLREDUCE && correction < 2; correction++) {
        c->correction = (enum ftc_correction)correction;
        explore_settings(p, c);
    }
}

/* A worker's share of the part @context, and what all of its scenarios have in common. */
static struct part begin(int job, int jobs, struct explore_total *total, const void *context,
                         struct scenario *c)
{
    struct part p = *(const struct part *)context;

    p.job = job;
    p.jobs = jobs;
    p.total = total;
    scenario_default(c);
    c->n = p.n;
    c->f = p.f;
    c->op[0].kind = p.kind;
    c->op[0].is_direct = p.is_direct;
    c->algorithm = p.algorithm;
    return p;
}

/* ---- large operations: the data phase and the vote ---- */

static void set_call(struct scenario *c, struct scenario_op op, int operations)
{
    for (c->op_count = 0; c->op_count < operations; c->op_count++) {
        c->op[c->op_count] = op;
        op.is_further = true;
    }
}

/* As many tries as there may be deaths, and one. */
static void explore_tries(struct part *p, struct scenario *c, enum ftc_schedule_kind data)
{
    const struct scenario_op op = {
        .kind = FTC_OP_ALLREDUCE,
        .is_large = true,
        .data = data,
        .root = data == FTC_SCHEDULE_ALLREDUCE ? 0 : c->n - 1,
    };

    set_call(c, op, p->crashes + 1);
    explore_base(p, c);
}

/* A call of four rounds, in all of which one rank has something left and others have not, and one
 * more, which waits for the place of the first. */
static void explore_rounds(struct part *p, struct scenario *c)
{
    const struct scenario_op round = {
        .kind = FTC_OP_ALLREDUCE, .is_large = true, .is_in_rounds = true};

    for (c->op_count = 0; c->op_count < 5; c->op_count++) {
        c->op[c->op_count] = round;
        c->op[c->op_count].is_further = c->op_count % 4 > 0;
    }
    explore_base(p, c);
}

/* As many slices as so many deaths may take. */
static void explore_slices(struct part *p, struct scenario *c)
{
    const struct scenario_op slice = {.kind = FTC_OP_ALLREDUCE, .is_segmented = true};

    set_call(c, slice, SIM_SLICES + p->crashes * (SIM_SLICES - 1));
    explore_base(p, c);
}

static void work_large(int job, int jobs, struct explore_total *total, const void *context)
{
    static const enum ftc_schedule_kind kind[] = {FTC_SCHEDULE_ALLREDUCE, FTC_SCHEDULE_REDUCE,
                                                  FTC_SCHEDULE_BROADCAST};
    struct scenario c;
    struct part p = begin(job, jobs, total, context, &c);

    for (int k = 0; k < 3; k++)
        for (int scheme = FTC_FAILURE_LIST; scheme <= FTC_FAILURE_BIT; scheme += 2) {
            c.scheme = (enum ftc_failure_scheme)scheme;
            explore_tries(&p, &c, kind[k]);
        }
    for (int scheme = FTC_FAILURE_LIST; scheme <= FTC_FAILURE_BIT; scheme += 2) {
        c.scheme = (enum ftc_failure_scheme)scheme;
        explore_rounds(&p, &c);
        explore_slices(&p, &c);
    }
    sim_close(&p.sim);
}

/* ---- an optimistic allreduce of ranks on several hosts, or on one with too few cores ---- */

static bool is_one_host(const struct scenario *c)
{
    return scenario_hosts_among(c, ~0ull) == 1;
}

static void work_layouts(int job, int jobs, struct explore_total *total, const void *context)
{
    struct scenario c;
    struct part p = begin(job, jobs, total, context, &c);

    do {
        c.manner = is_one_host(&c) ? FTC_EXCHANGE_COLLECT : FTC_EXCHANGE_BY_ALL; /* else: work() */
        c.are_far = false;
        explore_base(&p, &c);
        if (is_one_host(&c))
            c.manner = FTC_EXCHANGE_MULTICAST;
        else if (scenario_hosts_among(&c, ~0ull) < 4)
            continue; /* no two doublings */
        c.are_far = true;
        explore_base(&p, &c);
    } while (explore_next_layout(&c));
    sim_close(&p.sim);
}

static void work(int job, int jobs, struct explore_total *total, const void *context)
{
    struct scenario c;
    struct part p = begin(job, jobs, total, context, &c);

    c.blocks = p.blocks;
    for (int shape = 0; shape < (p.is_direct ? 1 : SHAPES);
         shape++) { /* directly: without a tree */
        c.tree = shapes[shape];
        if (is_new_tree(c.n, c.f, shape))
            explore_variants(&p, &c);
    }
    sim_close(&p.sim);
}

/* ---- hosts that fail ---- */

/* With more ranks each layout and root has one of the settings, all of them in turn. */
static void explore_layout(struct part *p, struct scenario *c, uint64_t number)
{
    enum { SETTINGS = 3 * 2 * SHAPES, ALL_UP_TO = 3 };
    uint64_t most = c->n <= ALL_UP_TO ? SETTINGS : 1;

    for (uint64_t i = 0; i < most; i++) {
        uint64_t which = (number + i) * 7 % SETTINGS;

        c->scheme = (enum ftc_failure_scheme)(which % 3);
        c->deterministic = which / 3 % 2 == 0;
        c->tree = shapes[which / 6];
        explore_base(p, c);
    }
}

static void work_hosts(int job, int jobs, struct explore_total *total, const void *context)
{
    struct scenario c;
    struct part p = begin(job, jobs, total, context, &c);
    uint64_t number = 0;

    c.hosts_fail = true;
    do {
        for (int i = 0; i < (p.kind == FTC_OP_REDUCE ? c.n : 2); i++) {
            c.op[0].root = p.kind == FTC_OP_REDUCE ? i : 0;
            c.correction = p.kind == FTC_OP_REDUCE ? FTC_CORRECTION_GROUP : (enum ftc_correction)i;
            explore_layout(&p, &c, number++);
        }
    } while (explore_next_layout(&c));
    sim_close(&p.sim);
}

static int explore_part(struct part *p, int jobs, const char *name, struct explore_total *sum)
{
    struct explore_total total;
    int rv = workers_run(p->hosts_fail    ? work_hosts
                         : p->is_large    ? work_large
                         : p->has_layouts ? work_layouts
                                          : work,
                         jobs, 0, p, &total);

    printf("%s n=%d f=%d, up to %d crashes: %llu runs, %llu failed\n", name, p->n, p->f, p->crashes,
           (unsigned long long)total.runs, (unsigned long long)total.failed);
    fflush(stdout);
    explore_total_add(sum, &total);
    return rv;
}

static int explore_sizes(struct part p, int most_n, const char *name, int jobs)
{
    struct explore_total sum = {0};
    int rv = 0;

    for (p.n = 1; p.n <= most_n; p.n++)
        for (p.f = 0; p.f <= 2; p.f++) {
            p.crashes = p.f < p.n ? p.f : p.n - 1;
            rv |= explore_part(&p, jobs, name, &sum);
        }
    printf("all crash points, %s: %llu runs, %llu failed\n", name, (unsigned long long)sum.runs,
           (unsigned long long)sum.failed);
    return rv;
}

int explore_large_crash_points(bool small, int jobs)
{
    struct part p = {.algorithm = FTC_ALGORITHM_OPTIMISTIC, .is_large = true};
    int rv = explore_sizes(p, small ? 3 : 4, "large", jobs);

    p.n = 5;
    p.f = p.crashes = small ? 1 : 2;
    return rv | explore_part(&p, jobs, "large", &(struct explore_total){0});
}

/* Losses of hosts and deaths of ranks; of few ranks, if @more, one more at once than f. */
static int explore_failing_hosts_with(struct part p, int most_n, bool more, int jobs)
{
    const char *name = p.kind == FTC_OP_REDUCE ? "reduce over hosts"
                       : p.algorithm           ? "optimistic allreduce over hosts"
                                               : "corrected allreduce over hosts";
    struct explore_total sum = {0};
    int rv = 0;

    p.hosts_fail = true;
    for (p.n = 2; p.n <= most_n; p.n++)
        for (p.f = 1; p.f <= 2; p.f++) {
            p.crashes = p.f + (more && p.n <= 4);
            rv |= explore_part(&p, jobs, name, &sum);
        }
    printf("all crash points, %s: %llu runs, %llu failed\n", name, (unsigned long long)sum.runs,
           (unsigned long long)sum.failed);
    return rv;
}

int explore_failing_hosts(bool small, int jobs)
{
    int most_n = small ? 4 : 7;
    bool more = !small;

    return explore_failing_hosts_with((struct part){.kind = FTC_OP_REDUCE}, most_n, more, jobs) |
           explore_failing_hosts_with((struct part){.kind = FTC_OP_ALLREDUCE}, most_n, more, jobs) |
           explore_failing_hosts_with(
               (struct part){.kind = FTC_OP_ALLREDUCE, .algorithm = FTC_ALGORITHM_OPTIMISTIC},
               most_n, more, jobs);
}

/* Values of blocks, which the engine sees no difference in but their lengths: of fewer processes.
 */
static int explore_blocks(enum ftc_op_kind what, int most_n, int jobs)
{
    struct part p = {.kind = what, .blocks = true};
    int rv;

    if (what == FTC_OP_REDUCE)
        return explore_sizes(p, most_n - 2, "reduce of blocks", jobs) |
               explore_sizes((struct part){.kind = what, .blocks = true, .is_direct = true},
                             most_n - 2, "direct reduce of blocks", jobs);
    rv = explore_sizes(p, most_n - 2, "corrected allreduce of blocks", jobs);
    p.algorithm = FTC_ALGORITHM_OPTIMISTIC;
    return rv | explore_sizes(p, most_n - 2, "optimistic allreduce of blocks", jobs);
}

/* One death of up to 7 processes, two of up to 5. */
static int explore_hosts(bool small, int jobs)
{
    struct explore_total sum = {0};
    int rv = 0, most_n = small ? 5 : 7;
    struct part p = {
        .kind = FTC_OP_ALLREDUCE, .algorithm = FTC_ALGORITHM_OPTIMISTIC, .has_layouts = true};

    for (p.f = p.crashes = 1; p.crashes <= 2; p.f = ++p.crashes)
        for (p.n = 2; p.n <= most_n - 2 * (p.crashes - 1); p.n++)
            rv |= explore_part(&p, jobs, "optimistic allreduce, all layouts on hosts,", &sum);
    printf("all crash points, all layouts on up to %d hosts: %llu runs, %llu failed\n",
           EXPLORE_MOST_HOSTS, (unsigned long long)sum.runs, (unsigned long long)sum.failed);
    return rv;
}

int explore_crash_points(enum ftc_op_kind what, bool small, int jobs)
{
    int most_n = small ? 4 : 7;
    int rv;

    if (what == FTC_OP_REDUCE)
        return explore_sizes((struct part){.kind = what}, most_n, "reduce", jobs) |
               explore_sizes((struct part){.kind = what, .is_direct = true}, most_n,
                             "direct reduce", jobs) |
               explore_blocks(what, most_n, jobs);
    rv = explore_sizes((struct part){.kind = what}, most_n, "corrected allreduce", jobs);
    rv |= explore_sizes((struct part){.kind = what, .algorithm = FTC_ALGORITHM_OPTIMISTIC}, most_n,
                        "optimistic allreduce", jobs);
    rv |= explore_hosts(small, jobs);
    return rv | explore_blocks(what, most_n, jobs);
}
