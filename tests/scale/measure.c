#include "measure.h"
#include "engine.h"
#include "yardstick.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEAD = 8, DRAWS = 5 };

const char *const measure_tree[MEASURE_TREES] = {"optimal", "lame:4", "binomial", "kary:2",
                                                 "kary:4"};

static struct ftc_tree_shape shape(const char *tree, struct ftc_logp cost)
{
    static const struct ftc_tree_shape shapes[MEASURE_TREES] = {
        {.kind = FTC_TREE_OPTIMAL},      {.kind = FTC_TREE_LAME, .k = 4},
        {.kind = FTC_TREE_BINOMIAL},     {.kind = FTC_TREE_KARY, .k = 2},
        {.kind = FTC_TREE_KARY, .k = 4},
    };
    struct ftc_tree_shape s = shapes[0];

    for (int i = 0; i < MEASURE_TREES; i++)
        if (strcmp(tree, measure_tree[i]) == 0)
            s = shapes[i];
    s.logp = cost;
    return s;
}

static struct row row(const struct measure *m, int n, int f, const char *operation,
                      const char *algorithm)
{
    return (struct row){.cost = m->cost,
                        .n = n,
                        .f = f,
                        .operation = operation,
                        .algorithm = algorithm,
                        .tree = "",
                        .correction = "",
                        .which = "",
                        .news = ""};
}

static void append_yardstick(struct measure *m, int n, const char *operation, const char *algorithm,
                             int64_t latency)
{
    struct row r = row(m, n, 0, operation, algorithm);

    r.latency = latency;
    rows_append(&m->rows, &r);
}

void measure_plain_trees(struct measure *m, int n)
{
    append_yardstick(m, n, "reduce", "binomial", yardstick_binomial(n, m->cost, YARDSTICK_UP));
    append_yardstick(m, n, "broadcast", "binomial", yardstick_binomial(n, m->cost, YARDSTICK_DOWN));
    append_yardstick(m, n, "allreduce", "binomial reduce and broadcast",
                     yardstick_binomial(n, m->cost, YARDSTICK_UP | YARDSTICK_DOWN));
    append_yardstick(m, n, "broadcast", "optimal", yardstick_optimal(n, m->cost));
}

static void run(struct measure *m, struct row r, const struct engine_deaths *deaths)
{
    struct engine_setup setup = {
        .kind = strcmp(r.operation, "reduce") == 0 ? FTC_OP_REDUCE : FTC_OP_ALLREDUCE,
        .algorithm = strcmp(r.algorithm, "optimistic") == 0 ? FTC_ALGORITHM_OPTIMISTIC
                                                            : FTC_ALGORITHM_CORRECTED,
        .correction =
            strcmp(r.correction, "ring") == 0 ? FTC_CORRECTION_RING : FTC_CORRECTION_GROUP,
        .tree = shape(r.tree, m->cost),
        .n = r.n,
        .f = r.f,
        .cost = m->cost,
    };
    struct engine_figures figures = engine_run(&setup, deaths);

    r.latency = figures.latency;
    r.per_process = (double)figures.messages / r.n;
    rows_append(&m->rows, &r);
}

static const struct engine_deaths nobody;

void measure_reduce(struct measure *m, int n, int f, const char *tree)
{
    struct row r = row(m, n, f, "reduce", "corrected");

    r.tree = tree;
    run(m, r, &nobody);
}

void measure_allreduce(struct measure *m, int n, int f, const char *tree, const char *correction)
{
    struct row r = row(m, n, f, "allreduce", "corrected");

    r.tree = tree;
    r.correction = correction;
    run(m, r, &nobody);
}

void measure_doubling(struct measure *m, int n)
{
    append_yardstick(m, n, "allreduce", "recursive doubling",
                     yardstick_recursive_doubling(n, m->cost));
    run(m, row(m, n, 1, "allreduce", "optimistic"), &nobody);
}

/* ---- deaths ---- */

static void measure_dead_ranks(struct measure *m, struct row r, const int *rank)
{
    struct engine_deaths deaths = {
        .rank = rank, .count = r.dead, .known = true, .news_delay = m->news_delay};

    r.tree = "optimal";
    r.news = "before";
    run(m, r, &deaths);
    deaths.known = false;
    r.news = "late";
    run(m, r, &deaths);
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* @count different ranks of first .. n - 1, in ascending order: so the library looks for deaths. */
static void draw(uint64_t *seed, int *rank, int count, int first, int n)
{
    for (int i = 0; i < count; i++) {
        bool again = false;

        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        rank[i] = first + (int)((*seed >> 33) % (uint64_t)(n - first));
        for (int j = 0; j < i; j++)
            again = again || rank[j] == rank[i];
        i -= again;
    }
    qsort(rank, (size_t)count, sizeof *rank, by_number);
}

/* Without its root a reduce is nothing. */
static int first_mortal(const struct row *r)
{
    return strcmp(r->operation, "reduce") == 0 ? 1 : 0;
}

static void measure_deaths_of(struct measure *m, struct row r)
{
    static const char *const drawn[DRAWS] = {"drawn 1", "drawn 2", "drawn 3", "drawn 4", "drawn 5"};
    uint64_t seed = 1;
    int rank[MOST_DEAD];

    assert(r.dead <= MOST_DEAD);
    for (int first = first_mortal(&r); first <= 1; first++) {
        for (int i = 0; i < r.dead; i++)
            rank[i] = first + i;
        r.which = first == 0 ? "roots" : "children of the root";
        measure_dead_ranks(m, r, rank);
    }
    for (int i = 0; i < DRAWS; i++) {
        draw(&seed, rank, r.dead, first_mortal(&r), r.n);
        r.which = drawn[i];
        measure_dead_ranks(m, r, rank);
    }
}

void measure_deaths(struct measure *m, int n, int f, int dead)
{
    struct row reduce = row(m, n, f, "reduce", "corrected");
    struct row corrected = row(m, n, f, "allreduce", "corrected");
    struct row optimistic = row(m, n, f, "allreduce", "optimistic");

    reduce.dead = corrected.dead = optimistic.dead = dead;
    corrected.correction = optimistic.correction = "group";
    measure_deaths_of(m, reduce);
    measure_deaths_of(m, corrected);
    measure_deaths_of(m, optimistic);
}
