#include "bars.h"
#include "yardstick.h"

#include <stddef.h>
#include <string.h>

static const struct ftc_logp PAPER = {.L = 2, .o = 1, .g = 1};

/* ---- known points ---- */

static int64_t lame4(int n)
{
    return yardstick_lame(n, PAPER, 4);
}

static int64_t optimal(int n)
{
    return yardstick_optimal(n, PAPER);
}

static int64_t binomial(int n)
{
    return yardstick_binomial(n, PAPER, YARDSTICK_DOWN);
}

static int64_t recursive_doubling(int n)
{
    return yardstick_recursive_doubling(n, PAPER);
}

int bars_check_known_points(void)
{
    static const struct {
        const char *name;
        int64_t (*latency)(int n);
        int n, expected;
    } point[] = {
        {"recursive doubling", recursive_doubling, 4096, 48},
        {"binomial broadcast", binomial, 4096, 48},
        {"optimal broadcast", optimal, 4096, 28},
        {"Lame(4) broadcast", lame4, 4096, 28},
        {"recursive doubling", recursive_doubling, 65536, 64},
        {"binomial broadcast", binomial, 65536, 64},
        {"Lame(4) broadcast", lame4, 65536, 37},
    };
    int count = sizeof point / sizeof point[0], wrong = 0;

    for (int i = 0; i < count; i++) {
        int64_t latency = point[i].latency(point[i].n);

        if (latency == point[i].expected)
            continue;
        printf("wrong: %s at n = %d takes %lld ticks, not %d\n", point[i].name, point[i].n,
               (long long)latency, point[i].expected);
        wrong++;
    }
    printf("known points (L = 2, o = g = 1): %d of %d reproduced\n", count - wrong, count);
    return wrong;
}

/* ---- bars ---- */

/* Ours against a yardstick of the same n. */
struct bar {
    const char *text;
    const char *operation, *algorithm, *correction;
    const char *yardstick;
    int smallest_n, smallest_f, largest_f;
    double ratio;
    bool below; /* not even equal */
};

struct verdict {
    int points, missed;
    double worst;
    const struct row *at; /* where it is worst */
    int64_t against;
};

static bool is_same(struct ftc_logp a, struct ftc_logp b)
{
    return a.L == b.L && a.o == b.o && a.g == b.g;
}

static bool concerns(const struct bar *b, struct ftc_logp cost, const struct row *r)
{
    return is_same(r->cost, cost) && r->dead == 0 && r->n >= b->smallest_n &&
           r->f >= b->smallest_f && r->f <= b->largest_f &&
           strcmp(r->operation, b->operation) == 0 && strcmp(r->algorithm, b->algorithm) == 0 &&
           strcmp(r->correction, b->correction) == 0;
}

static void weigh(const struct bar *b, const struct rows *rows, const struct row *r,
                  struct verdict *v)
{
    struct row key = *r;
    const struct row *yardstick;
    double ratio;

    key.f = 0;
    key.algorithm = b->yardstick;
    key.tree = key.correction = "";
    yardstick = rows_find(rows, &key);
    if (!yardstick || rows_best_tree(rows, r) != r)
        return;
    ratio = (double)r->latency / (double)yardstick->latency;
    v->points++;
    if (ratio > b->ratio || (b->below && ratio >= b->ratio)) {
        v->missed++;
        if (is_same(r->cost, PAPER))
            printf("  missed at n = %d, f = %d (%s): %lld / %lld = %.3f\n", r->n, r->f, r->tree,
                   (long long)r->latency, (long long)yardstick->latency, ratio);
    }
    if (ratio > v->worst)
        *v = (struct verdict){v->points, v->missed, ratio, r, yardstick->latency};
}

static bool judge(const struct bar *b, const struct rows *rows, struct ftc_logp cost)
{
    bool is_bar = is_same(cost, PAPER);
    const char *word = "";
    struct verdict v = {0};

    for (const struct row *r = rows->row; r < rows->row + rows->count; r++)
        if (concerns(b, cost, r))
            weigh(b, rows, r, &v);
    if (v.points == 0)
        return true;
    if (is_bar)
        word = v.missed ? "NOT MET" : "met";
    printf("%-7s %s: %d of %d points; worst %.3f = %lld / %lld at n = %d, f = %d\n", word, b->text,
           v.points - v.missed, v.points, v.worst, (long long)v.at->latency, (long long)v.against,
           v.at->n, v.at->f);
    return v.missed == 0 || !is_bar;
}

int bars_judge(const struct rows *rows, struct ftc_logp cost)
{
    static const struct bar bar[] = {
        {"optimistic allreduce at most 1.05 of recursive doubling, every n", "allreduce",
         "optimistic", "", "recursive doubling", 2, 0, 8, 1.05, false},
        {"corrected reduce, best tree, below binomial reduce, n >= 1024, f <= 3", "reduce",
         "corrected", "", "binomial", 1024, 0, 3, 1.0, true},
        {"corrected allreduce, best tree, at most 1.4 of recursive doubling, n >= 1024, f = 1",
         "allreduce", "corrected", "group", "recursive doubling", 1024, 1, 1, 1.4, false},
    };
    int missed = 0;

    printf("\n%s, L = %d, o = %d, g = %d\n",
           is_same(cost, PAPER) ? "Bars" : "The same ratios, which are no bars with this cost",
           cost.L, cost.o, cost.g);
    for (size_t i = 0; i < sizeof bar / sizeof bar[0]; i++)
        missed += !judge(&bar[i], rows, cost);
    return missed;
}
