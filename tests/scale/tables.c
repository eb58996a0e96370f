#include "tables.h"

#include <string.h>

enum { MOST_F = 8 };

static struct row key(struct ftc_logp cost, int n, int f, const char *operation,
                      const char *algorithm, const char *tree, const char *correction)
{
    return (struct row){.cost = cost,
                        .n = n,
                        .f = f,
                        .operation = operation,
                        .algorithm = algorithm,
                        .tree = tree,
                        .correction = correction,
                        .which = "",
                        .news = ""};
}

static void print_latency(const struct row *row, int width)
{
    if (row)
        printf("%*lld", width, (long long)row->latency);
    else
        printf("%*s", width, "-");
}

static void print_title(const char *title, struct ftc_logp cost)
{
    printf("\n%s; L = %d, o = %d, g = %d\n", title, cost.L, cost.o, cost.g);
}

/* Calls @line for each n that has been measured with @algorithm. */
static void for_each_n(const struct rows *rows, struct ftc_logp cost, int f, const char *algorithm,
                       void (*line)(const struct rows *rows, struct ftc_logp cost, int n, int f))
{
    int last = 0;

    for (const struct row *r = rows->row; r < rows->row + rows->count; r++) {
        bool is_wanted = strcmp(r->algorithm, algorithm) == 0 && r->f == f && r->cost.L == cost.L &&
                         r->cost.o == cost.o && r->cost.g == cost.g && r->dead == 0;

        if (is_wanted && r->n > last)
            line(rows, cost, last = r->n, f);
    }
}

/* ---- yardsticks ---- */

static void yardsticks_line(const struct rows *rows, struct ftc_logp cost, int n, int f)
{
    const struct row keys[] = {
        key(cost, n, 1, "allreduce", "optimistic", "", ""),
        key(cost, n, 0, "allreduce", "recursive doubling", "", ""),
        key(cost, n, 0, "allreduce", "binomial reduce and broadcast", "", ""),
        key(cost, n, 0, "reduce", "binomial", "", ""),
        key(cost, n, 0, "broadcast", "binomial", "", ""),
        key(cost, n, 0, "broadcast", "optimal", "", ""),
    };

    (void)f;
    printf("%7d", n);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        print_latency(rows_find(rows, &keys[i]), 12);
    printf("\n");
}

void tables_yardsticks(const struct rows *rows, struct ftc_logp cost)
{
    print_title("Optimistic allreduce and the yardsticks, latency in ticks", cost);
    printf("%7s%12s%12s%12s%12s%12s%12s\n", "", "optimistic", "recursive", "binomial", "binomial",
           "binomial", "optimal");
    printf("%7s%12s%12s%12s%12s%12s%12s\n", "n", "allreduce", "doubling", "red.+bcast", "reduce",
           "broadcast", "broadcast");
    for_each_n(rows, cost, 0, "binomial reduce and broadcast", yardsticks_line);
}

/* ---- tree shapes ---- */

static void trees_line(const struct rows *rows, struct ftc_logp cost, int n, int f)
{
    struct row k = key(cost, n, f, "reduce", "corrected", "", "");

    printf("%7d", n);
    for (int i = 0; i < MEASURE_TREES; i++) {
        k.tree = measure_tree[i];
        print_latency(rows_find(rows, &k), 10);
    }
    printf("  |");
    k = key(cost, n, f, "allreduce", "corrected", "", "group");
    for (int i = 0; i < MEASURE_TREES; i++) {
        k.tree = measure_tree[i];
        print_latency(rows_find(rows, &k), 10);
    }
    k.tree = measure_tree[0];
    k.correction = "ring";
    print_latency(rows_find(rows, &k), 10);
    printf("\n");
}

void tables_trees(const struct rows *rows, struct ftc_logp cost, int f)
{
    print_title("Corrected reduce | corrected allreduce by tree, latency in ticks", cost);
    printf("f = %d\n%7s", f, "n");
    for (int i = 0; i < 2 * MEASURE_TREES; i++)
        printf("%s%10s", i == MEASURE_TREES ? "  |" : "", measure_tree[i % MEASURE_TREES]);
    printf("%10s\n", "opt.,ring");
    for_each_n(rows, cost, f, "corrected", trees_line);
}

/* ---- f ---- */

static void print_by_f(const struct rows *rows, struct row k)
{
    for (k.f = 0; k.f <= MOST_F; k.f++)
        print_latency(rows_best_tree(rows, &k), 6);
}

static void f_line(const struct rows *rows, struct ftc_logp cost, int n, int f)
{
    (void)f;
    printf("%7d", n);
    print_by_f(rows, key(cost, n, 0, "reduce", "corrected", "", ""));
    printf("  |");
    print_by_f(rows, key(cost, n, 0, "allreduce", "corrected", "", "group"));
    printf("\n");
}

static void print_messages_by_f(const struct rows *rows, struct row k)
{
    for (k.f = 0; k.f <= MOST_F; k.f++) {
        const struct row *r = rows_best_tree(rows, &k);

        if (r)
            printf("%6.1f", r->per_process);
        else
            printf("%6s", "-");
    }
}

static void messages_line(const struct rows *rows, struct ftc_logp cost, int n, int f)
{
    (void)f;
    printf("%7d", n);
    print_messages_by_f(rows, key(cost, n, 0, "reduce", "corrected", "", ""));
    printf("  |");
    print_messages_by_f(rows, key(cost, n, 0, "allreduce", "corrected", "", "group"));
    printf("\n");
}

static void print_f_header(void)
{
    printf("%7s", "n");
    for (int i = 0; i < 2 * (MOST_F + 1); i++)
        printf("%sf = %d", i == MOST_F + 1 ? "  | " : " ", i % (MOST_F + 1));
    printf("\n");
}

void tables_failures_tolerated(const struct rows *rows, struct ftc_logp cost)
{
    print_title("Corrected reduce | corrected allreduce, best tree, latency in ticks", cost);
    print_f_header();
    for_each_n(rows, cost, 0, "corrected", f_line);
    print_title("The same, messages per process", cost);
    print_f_header();
    for_each_n(rows, cost, 0, "corrected", messages_line);
}

/* ---- deaths ---- */

static void print_with_deaths(const struct rows *rows, struct row k, int64_t news_delay)
{
    const struct row *before, *late;

    k.news = "before";
    before = rows_worst_deaths(rows, &k);
    k.news = "late";
    late = rows_worst_deaths(rows, &k);
    if (before && late)
        printf("%10lld%10lld", (long long)before->latency, (long long)(late->latency - news_delay));
    else
        printf("%10s%10s", "-", "-");
}

static void deaths_line(const struct rows *rows, struct ftc_logp cost, int n, int f, int dead,
                        int64_t news_delay)
{
    struct row keys[] = {
        key(cost, n, f, "reduce", "corrected", "optimal", ""),
        key(cost, n, f, "allreduce", "corrected", "optimal", "group"),
        key(cost, n, f, "allreduce", "optimistic", "optimal", "group"),
    };

    printf("%7d%4d%6d", n, f, dead);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        keys[i].dead = dead;
        print_with_deaths(rows, keys[i], news_delay);
    }
    printf("\n");
}

void tables_deaths(const struct rows *rows, struct ftc_logp cost, int64_t news_delay)
{
    const struct row *shown = NULL;

    print_title("With dead ranks, optimal tree, worst of all placements, latency in ticks", cost);
    printf("known before | found out %lld ticks after the beginning: ticks from then on\n",
           (long long)news_delay);
    printf("%17s%20s%20s%20s\n", "", "corrected reduce", "corrected allreduce", "optimistic");
    printf("%7s%4s%6s", "n", "f", "dead");
    for (int i = 0; i < 3; i++)
        printf("%10s%10s", "known", "late");
    printf("\n");
    for (const struct row *r = rows->row; r < rows->row + rows->count; r++) {
        bool is_new = !shown || r->n != shown->n || r->f != shown->f || r->dead != shown->dead;

        if (r->dead == 0 || r->cost.L != cost.L || r->cost.o != cost.o || r->cost.g != cost.g)
            continue;
        if (is_new)
            deaths_line(rows, cost, r->n, r->f, r->dead, news_delay);
        shown = r;
    }
}
