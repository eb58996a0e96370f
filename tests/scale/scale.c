/* scale: what operations of up to 65536 processes take under LogP.
 *
 *     scale [--quick] [--strict] [--logp L:o:g] [--news N] [--csv FILE]
 *
 * For L = 2, o = g = 1, and for a second cost if one is given. News of a death takes N times o.
 * Also on several hosts, between which a message costs more than inside.
 *
 * The engine is the library's own; only the processors and the network are simulated. */
#include "bars.h"
#include "hosts.h"
#include "measure.h"
#include "tables.h"

#include <err.h>
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

struct options {
    bool quick;
    bool strict;             /* a bar that is not met is an error */
    struct ftc_logp cost[2]; /* the paper's, and that of a machine */
    int costs;
    int64_t news_delay; /* in o */
    const char *csv;
};

/* ---- what is measured ---- */

enum { MOST_F = 8, ALL_N = 512, WHOLE_N = 8192, QUICK_N = 4096, ANY_TREE_N = 32768 };

static const int sizes[] = {2,    3,    4,    5,    7,     8,     12,    16,    24,    32,   48,
                            64,   100,  128,  256,  512,   1000,  1023,  1024,  1025,  1500, 2048,
                            3000, 4096, 5000, 8192, 10000, 16384, 20000, 32768, 40000, 65536};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static bool is_power_of_two(int n)
{
    return (n & (n - 1)) == 0;
}

/* Up to WHOLE_N everything; above, what the bars need, and all trees with f = 1: an operation of
 * 65536 processes takes seconds, mostly to lay out n flags for each. */
static bool is_measured(const struct options *o, int n, int f, const char *tree)
{
    bool is_best = tree == measure_tree[0];

    if (o->quick)
        return f <= 3;
    if (n > ANY_TREE_N)
        return is_best && f <= 3;
    return n <= WHOLE_N || (is_best && (f <= 3 || f == MOST_F)) || (f == 1 && is_power_of_two(n));
}

static bool is_ring_measured(int n, int f, const char *tree)
{
    return f > 0 && (n <= WHOLE_N || (f == 1 && tree == measure_tree[0]));
}

static void measure_corrected(struct measure *m, const struct options *o, int n, int f)
{
    for (int i = 0; i < MEASURE_TREES; i++) {
        const char *tree = measure_tree[i];

        if (!is_measured(o, n, f, tree))
            continue;
        measure_reduce(m, n, f, tree);
        measure_allreduce(m, n, f, tree, "group");
        if (is_ring_measured(n, f, tree))
            measure_allreduce(m, n, f, tree, "ring");
    }
}

static void measure_size(struct measure *m, const struct options *o, int n)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "n = %d%s", n, n < sizes[SIZES - 1] ? "   \r" : "\n");
    measure_plain_trees(m, n);
    for (int f = 0; f <= MOST_F; f++)
        measure_corrected(m, o, n, f);
}

static void measure_failure_free(struct measure *m, const struct options *o)
{
    for (int i = 0; i < SIZES; i++)
        if (!o->quick || sizes[i] <= QUICK_N)
            measure_size(m, o, sizes[i]);
}

/* The bar of the optimistic allreduce holds for every n, so every small n is tried. */
static void measure_optimistic(struct measure *m, const struct options *o)
{
    for (int n = 2; n <= ALL_N; n++)
        measure_doubling(m, n);
    for (int i = 0; i < SIZES; i++)
        if (sizes[i] > ALL_N && (!o->quick || sizes[i] <= QUICK_N))
            measure_doubling(m, sizes[i]);
}

static void measure_with_deaths(struct measure *m, const struct options *o)
{
    static const int n[] = {64, 1024, 4096}, f[] = {1, 2, 3, MOST_F};

    for (int i = 0; i < (o->quick ? 1 : 3); i++)
        for (int j = 0; j < (o->quick ? 2 : 4); j++)
            for (int dead = 1; dead <= f[j]; dead++)
                measure_deaths(m, n[i], f[j], dead);
}

static void measure_all(struct measure *m, const struct options *o)
{
    measure_optimistic(m, o);
    measure_failure_free(m, o);
    measure_with_deaths(m, o);
}

/* Returns how many bars are not met. */
static int show_all(const struct measure *m)
{
    tables_yardsticks(&m->rows, m->cost);
    for (int f = 1; f <= 3; f++)
        tables_trees(&m->rows, m->cost, f);
    tables_failures_tolerated(&m->rows, m->cost);
    tables_deaths(&m->rows, m->cost, m->news_delay);
    return bars_judge(&m->rows, m->cost);
}

/* ---- the command line ---- */

static struct ftc_logp parse_logp(const char *text)
{
    struct ftc_logp cost;
    char rest;

    if (sscanf(text, "%d:%d:%d%c", &cost.L, &cost.o, &cost.g, &rest) != 3 || cost.L < 0 ||
        cost.o < 0 || cost.g < 0 || (cost.o == 0 && cost.g == 0))
        errx(2, "--logp %s: not L:o:g in ticks", text);
    return cost;
}

static int64_t parse_multiple(const char *text)
{
    char *end;
    long long ticks = strtoll(text, &end, 10);

    if (*text == '\0' || *end != '\0' || ticks < 0 || ticks > 1000000)
        errx(2, "--news %s: not 0 to 1000000 times o", text);
    return ticks;
}

static struct options parse(int argc, char **argv)
{
    static const struct option longs[] = {
        {"quick", no_argument, NULL, 'q'},      {"strict", no_argument, NULL, 's'},
        {"logp", required_argument, NULL, 'l'}, {"news", required_argument, NULL, 'n'},
        {"csv", required_argument, NULL, 'c'},  {0}};
    struct options o = {.cost = {{.L = 2, .o = 1, .g = 1}}, .costs = 1, .news_delay = 100};

    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        switch (c) {
        case 'q':
            o.quick = true;
            break;
        case 's':
            o.strict = true;
            break;
        case 'l':
            o.cost[1] = parse_logp(optarg);
            o.costs = 2;
            break;
        case 'n':
            o.news_delay = parse_multiple(optarg);
            break;
        case 'c':
            o.csv = optarg;
            break;
        default:
            exit(2);
        }
    }
    if (optind < argc)
        errx(2, "%s: what is it?", argv[optind]);
    return o;
}

static void write_csv(const struct rows *rows, const char *path)
{
    FILE *file = fopen(path, "w");

    if (!file)
        err(2, "%s", path);
    rows_write_csv(rows, file);
    if (fclose(file) != 0)
        err(2, "%s", path);
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    struct measure m = {0};
    int missed = 0;

    if (bars_check_known_points() > 0)
        return 1;
    for (int i = 0; i < o.costs; i++) {
        m.cost = o.cost[i];
        m.news_delay = o.news_delay * (o.cost[i].o > 0 ? o.cost[i].o : 1);
        measure_all(&m, &o);
        missed += show_all(&m);
    }
    missed += hosts_measure(o.quick);
    if (o.csv)
        write_csv(&m.rows, o.csv);
    rows_free(&m.rows);
    return o.strict && missed > 0;
}
