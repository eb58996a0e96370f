/* Plan of the deaths. It contains each call site of an undisturbed run and each rank, as far as the
 * number of deaths allows. */
#include "rehearsal.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

enum { SITE_MAX = 200 /* bytes of a site for which setting crash has room */ };

/* ---- call sites ---- */

static struct rehearse_site *find(struct rehearse_plan *plan, const char *site)
{
    for (int i = 0; i < plan->sites; i++)
        if (strcmp(plan->site[i].site, site) == 0)
            return &plan->site[i];
    return NULL;
}

/* Adds a row of the report to the call sites. Rows of one site with different fates become one,
 * with the fate of the first row. The report is sorted by fate, with the worst first. */
static void add_site(struct rehearse_plan *plan, const json_t *row)
{
    struct rehearse_site s = {.call = ftc_view_text(row, "call"),
                              .site = ftc_view_text(row, "site"),
                              .fate = ftc_view_text(row, "fate"),
                              .ranks = (int)ftc_view_number(row, "ranks"),
                              .first_rank = (int)ftc_view_number(row, "first_rank"),
                              .last_rank = (int)ftc_view_number(row, "last_rank")};
    struct rehearse_site *same = find(plan, s.site);

    if (s.ranks <= 0 || strcmp(s.fate, "needs nobody") == 0 || strlen(s.site) > SITE_MAX)
        return;
    s.calls = (long)ftc_view_number(row, "calls") / s.ranks;
    s.is_protected = strcmp(s.fate, "protected") == 0;
    if (same)
        same->calls += s.calls;
    else
        plan->site[plan->sites++] = s;
}

static void read_sites(struct rehearse_plan *plan)
{
    const json_t *rows = ftc_view_at(plan->report, "coverage.call_sites");
    const json_t *row;
    size_t i;

    plan->site = calloc(json_array_size(rows) + 1, sizeof *plan->site);
    if (!plan->site)
        abort();
    json_array_foreach(rows, i, row)
    {
        add_site(plan, row);
    }
}

/* ---- deaths ---- */

static int deaths_of(const struct rehearse_plan *plan, int rank)
{
    int count = 0;

    for (int i = 0; i < plan->deaths; i++)
        count += plan->death[i].rank == rank;
    return count;
}

/* Returns whether @rank is known to call at @s. The report has only the lowest and the highest rank
 * that calls there, and the number of ranks. */
static bool calls(const struct rehearse_site *s, int rank)
{
    bool are_all_inter = s->last_rank - s->first_rank + 1 == s->ranks;

    return rank == s->first_rank || rank == s->last_rank ||
           (are_all_inter && rank > s->first_rank && rank < s->last_rank);
}

/* Returns the rank that dies at @s: among the ranks that are known to make the call, the one that
 * dies least often in the plan. */
static int choose_rank(const struct rehearse_plan *plan, const struct rehearse_site *s)
{
    int best = s->first_rank;

    for (int rank = 0; rank < plan->ranks; rank++)
        if (calls(s, rank) && deaths_of(plan, rank) < deaths_of(plan, best))
            best = rank;
    return best;
}

static void write_crash(struct rehearse_death *d)
{
    if (d->site)
        snprintf(d->crash, sizeof d->crash, "%d:%s:%ld:%s", d->rank, d->site->site, d->call,
                 d->point);
    else
        snprintf(d->crash, sizeof d->crash, "%d:%ld:%s", d->rank, d->call, d->point);
}

/* Adds @d to the plan. Returns false if it is there already. */
static bool add_death(struct rehearse_plan *plan, struct rehearse_death d)
{
    write_crash(&d);
    for (int i = 0; i < plan->deaths; i++)
        if (strcmp(plan->death[i].crash, d.crash) == 0)
            return false;
    plan->death[plan->deaths++] = d;
    return true;
}

/* Returns the point of a death, which depends on @turn: within, after or before a call that the
 * library carries out. A death at a call of native MPI is always before it. */
static const char *point_of(const struct rehearse_site *s, int turn)
{
    static const char *const points[] = {"b1", "end", "a0"};

    return s->is_protected ? points[turn % 3] : "a0";
}

/* Returns the number of the call: in turn the one in the middle, the last and the first. */
static long call_of(const struct rehearse_site *s, int round)
{
    const long call[] = {s->calls / 2, s->calls - 1, 0};

    return call[round % 3];
}

static bool add_at(struct rehearse_plan *plan, int site, int round)
{
    const struct rehearse_site *s = &plan->site[site];

    return add_death(plan, (struct rehearse_death){.rank = choose_rank(plan, s),
                                                   .site = s,
                                                   .call = call_of(s, round),
                                                   .point = point_of(s, site + round)});
}

/* Adds a death at each site in each round, until there are @deaths or a round adds none. */
static void add_rounds(struct rehearse_plan *plan, int deaths)
{
    bool has_more = true;

    for (int round = 0; has_more && plan->deaths < deaths; round++) {
        int i = 0;

        has_more = round < 3; /* one of the first rounds may add none although the next one does */
        for (; i < plan->sites && plan->deaths < deaths; i++)
            has_more |= add_at(plan, i, round);
        if (round == 0)
            plan->sites_left_out = plan->sites - i;
    }
}

/* Compares deaths for qsort(): by call site, as they are printed, then by call and rank. */
static int by_site(const void *a, const void *b)
{
    const struct rehearse_death *x = a, *y = b;

    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return x->call != y->call ? (x->call < y->call ? -1 : 1) : x->rank - y->rank;
}

static bool has_protected(const struct rehearse_plan *plan)
{
    for (int i = 0; i < plan->sites; i++)
        if (plan->site[i].is_protected)
            return true;
    return false;
}

bool rehearse_plan_make(struct rehearse_plan *plan, json_t *report, int deaths)
{
    *plan = (struct rehearse_plan){.report = json_incref(report),
                                   .ranks = (int)ftc_view_number(report, "ranks")};
    read_sites(plan);
    plan->death = calloc((size_t)deaths + 1, sizeof *plan->death);
    if (!plan->death)
        abort();
    if (has_protected(plan))
        add_death(plan, (struct rehearse_death){.point = "a0"});
    add_rounds(plan, deaths);
    for (int rank = 0; rank < plan->ranks; rank++)
        plan->ranks_left_out += deaths_of(plan, rank) == 0;
    qsort(plan->death, (size_t)plan->deaths, sizeof *plan->death, by_site);
    return plan->deaths > 0;
}

void rehearse_plan_free(struct rehearse_plan *plan)
{
    free(plan->site);
    free(plan->death);
    json_decref(plan->report);
}

bool rehearse_plan_move(struct rehearse_death *d)
{
    if (!d->site || (d->call == 0 && strcmp(d->point, "a0") == 0 && d->rank == d->site->first_rank))
        return false;
    if (d->call == 0 && strcmp(d->point, "a0") == 0)
        d->rank = d->site->first_rank;
    d->call = 0;
    d->point = "a0";
    write_crash(d);
    return true;
}
