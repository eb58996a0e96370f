/* Exhaustive over crashes: in each small cluster each process dies before and after each of its
 * sends, and so do all pairs of processes, in each of the orders. */
#include "order.h"
#include "workers.h"

#include <string.h>

struct part {
    enum ftc_op_kind kind;
    enum ftc_algorithm algorithm;
    int n, f;
    bool blocks;
    int crashes; /* at most at once */
    bool is_large;
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

/* Runs @c in each order. @sends: the most that each process has sent in any of them. */
static void run_orders(struct part *p, struct scenario *c, int sends[SIM_MAX_N])
{
    for (int order = 0; order < SIM_ORDER_COUNT && !stopped(p); order++) {
        c->order = (enum scenario_order)order;
        c->seed = p->index * SIM_ORDER_COUNT + (uint64_t)order;
        explore_run(&p->sim, c, p->total);
        for (int rank = 0; rank < c->n; rank++)
            if (p->sim.process[rank].sends > sends[rank])
                sends[rank] = p->sim.process[rank].sends;
    }
}

static void explore_crashes(struct part *p, struct scenario *c, const int sends_before[SIM_MAX_N]);

static void crash_at(struct part *p, struct scenario *c, struct scenario_crash crash,
                     const int sends[SIM_MAX_N])
{
    c->crash[c->crash_count++] = crash;
    explore_crashes(p, c, sends);
    c->crash_count--;
}

/* @rank dies in addition, after its send number @first or a later one. */
static void crash_rank(struct part *p, struct scenario *c, int rank, int first,
                       const int sends[SIM_MAX_N])
{
    struct scenario_crash crash = {.ranks = 1ull << rank};

    for (crash.sends = first; crash.sends <= sends[rank]; crash.sends++) {
        crash.before = false;
        crash_at(p, c, crash, sends);
        crash.before = true;
        if (crash.sends > 0)
            crash_at(p, c, crash, sends);
    }
}

/* All supersets of the crashes of @c. Of two crashes the order does not matter: the lower rank is
 * first, but at sends that it carries out only because of the other's death. */
static void explore_crashes(struct part *p, struct scenario *c, const int sends_before[SIM_MAX_N])
{
    int sends[SIM_MAX_N] = {0};
    uint64_t taken = c->crash_count > 0 ? c->crash[c->crash_count - 1].ranks : 0, all_taken = 0;

    run_orders(p, c, sends);
    for (int i = 0; i < c->crash_count; i++)
        all_taken |= c->crash[i].ranks;
    for (int rank = 0; rank < c->n && c->crash_count < p->crashes && !stopped(p); rank++)
        if (!(all_taken >> rank & 1))
            crash_rank(p, c, rank, (1ull << rank) < taken ? sends_before[rank] + 1 : 0, sends);
}

static void explore_base(struct part *p, struct scenario *c)
{
    if (p->index++ % (uint64_t)p->jobs != (uint64_t)p->job || stopped(p))
        return;
    explore_crashes(p, c, NULL);
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

/* ---- large operations: the data phase and the vote ---- */

/* As many tries as there may be deaths, and one. */
static void set_large(struct scenario *c, enum ftc_schedule_kind data, int root, int tries)
{
    c->op[0] = (struct scenario_op){
        .kind = FTC_OP_ALLREDUCE, .is_large = true, .data = data, .root = root};
    for (int i = 1; i < tries; i++) {
        c->op[i] = c->op[0];
        c->op[i].is_further = true;
    }
    c->op_count = tries;
}

static void work_large(int job, int jobs, struct explore_total *total, const void *context)
{
    static const enum ftc_schedule_kind kind[] = {FTC_SCHEDULE_ALLREDUCE, FTC_SCHEDULE_REDUCE,
                                                  FTC_SCHEDULE_BROADCAST};
    struct part p = *(const struct part *)context;
    struct scenario c;

    p.job = job;
    p.jobs = jobs;
    p.total = total;
    scenario_default(&c);
    c.n = p.n;
    c.f = p.f;
    c.algorithm = p.algorithm;
    for (int k = 0; k < 3; k++)
        for (int scheme = FTC_FAILURE_LIST; scheme <= FTC_FAILURE_BIT; scheme += 2) {
            c.scheme = (enum ftc_failure_scheme)scheme;
            set_large(&c, kind[k], kind[k] == FTC_SCHEDULE_ALLREDUCE ? 0 : c.n - 1, p.crashes + 1);
            explore_base(&p, &c);
        }
    sim_close(&p.sim);
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
    c.op[0].kind = p.kind;
    c.blocks = p.blocks;
    c.algorithm = p.algorithm;
    for (int shape = 0; shape < SHAPES; shape++) {
        c.tree = shapes[shape];
        if (is_new_tree(c.n, c.f, shape))
            explore_variants(&p, &c);
    }
    sim_close(&p.sim);
}

static int explore_part(struct part *p, int jobs, const char *name, struct explore_total *sum)
{
    struct explore_total total;
    int rv = workers_run(p->is_large ? work_large : work, jobs, 0, p, &total);

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

/* Values of blocks, which the engine sees no difference in but their lengths: of fewer processes.
 */
static int explore_blocks(enum ftc_op_kind what, int most_n, int jobs)
{
    struct part p = {.kind = what, .blocks = true};
    int rv;

    if (what == FTC_OP_REDUCE)
        return explore_sizes(p, most_n - 2, "reduce of blocks", jobs);
    rv = explore_sizes(p, most_n - 2, "corrected allreduce of blocks", jobs);
    p.algorithm = FTC_ALGORITHM_OPTIMISTIC;
    return rv | explore_sizes(p, most_n - 2, "optimistic allreduce of blocks", jobs);
}

int explore_crash_points(enum ftc_op_kind what, bool small, int jobs)
{
    int most_n = small ? 4 : 7;
    int rv;

    if (what == FTC_OP_REDUCE)
        return explore_sizes((struct part){.kind = what}, most_n, "reduce", jobs) |
               explore_blocks(what, most_n, jobs);
    rv = explore_sizes((struct part){.kind = what}, most_n, "corrected allreduce", jobs);
    rv |= explore_sizes((struct part){.kind = what, .algorithm = FTC_ALGORITHM_OPTIMISTIC}, most_n,
                        "optimistic allreduce", jobs);
    return rv | explore_blocks(what, most_n, jobs);
}
