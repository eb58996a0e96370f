/* Settings that are tried on deaths that did not end well, and the choice of those to recommend. */
#include "rehearsal.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

enum { FAILURE_STATUS = 3 }; /* value of failure_exit_status that is tried */

static const char failure_exit_status[] = "FTCOLL_FAILURE_EXIT_STATUS=";

int rehearse_death(struct rehearsal *r, int i, const struct rehearse_settings *settings,
                   struct rehearse_outcome *outcome)
{
    struct rehearse_death *d = &r->plan.death[i];
    int status, failure_status = r->job.failure_status;
    struct rehearse_run run;

    for (int s = 0; s < settings->count; s++)
        if (strncmp(settings->variable[s], failure_exit_status, strlen(failure_exit_status)) == 0)
            failure_status = atoi(settings->variable[s] + strlen(failure_exit_status));
    do {
        status = rehearse_run(&r->job, settings, d->crash, &run);
        if (status != FTC_COMMAND_GOOD)
            return status;
        *outcome = rehearse_judge(r->undisturbed, &run, d->rank, failure_status);
        rehearse_run_free(&run);
    } while (outcome->end == REHEARSE_LIVED && settings->count == 0 && rehearse_plan_move(d));
    rehearse_progress(r);
    return FTC_COMMAND_GOOD;
}

/* ---- tries ---- */

/* Settings that are kept, and the outcome of each death with them. */
struct state {
    struct rehearsal *r;
    struct rehearse_settings kept;
    struct rehearse_outcome *outcome;
    bool *is_of_kept; /* whether the death was run with exactly these settings */
};

static bool is_well(const struct rehearse_outcome *o)
{
    return o->end == REHEARSE_SAME || o->end == REHEARSE_LIVED;
}

/* Adds @variable to @s, in place of another value of the same setting. */
static void add(struct rehearse_settings *s, const char *variable)
{
    size_t name = strcspn(variable, "=") + 1;
    int i = 0;

    while (i < s->count && strncmp(s->variable[i], variable, name) != 0)
        i++;
    if (i < REHEARSE_SETTINGS_MAX)
        s->variable[i] = variable;
    if (i == s->count && i < REHEARSE_SETTINGS_MAX)
        s->count++;
}

static void count(struct rehearse_try *t, const struct rehearse_outcome *o)
{
    t->deaths++;
    t->ends[o->end]++;
    t->silent += rehearse_is_silent(o);
}

static bool has_more_well(const struct rehearse_try *t, const struct rehearse_try *old)
{
    return t->ends[REHEARSE_SAME] > old->ends[REHEARSE_SAME];
}

static bool has_fewer_silent(const struct rehearse_try *t, const struct rehearse_try *old)
{
    return t->silent < old->silent;
}

static void keep(struct state *s, const struct rehearse_try *t,
                 const struct rehearse_outcome *outcome, const bool *is_run)
{
    s->kept = t->settings;
    for (int i = 0; i < s->r->plan.deaths; i++) {
        s->is_of_kept[i] = is_run[i];
        if (is_run[i])
            s->outcome[i] = outcome[i];
    }
}

/* Tries @settings on the deaths for whose outcome @wants is true, and keeps them if @is_better.
 * Returns as rehearse_run(). */
static int try(struct state *s, const struct rehearse_settings *settings,
               bool (*wants)(const struct rehearse_outcome *),
               bool (*is_better)(const struct rehearse_try *, const struct rehearse_try *old))
{
    struct rehearsal *r = s->r;
    struct rehearse_try t = {.settings = *settings}, old = {0};
    struct rehearse_outcome *outcome = calloc((size_t)r->plan.deaths, sizeof *outcome);
    bool *is_run = calloc((size_t)r->plan.deaths, sizeof *is_run);
    int status = FTC_COMMAND_GOOD;

    if (!outcome || !is_run)
        abort();
    for (int i = 0; status == FTC_COMMAND_GOOD && i < r->plan.deaths; i++) {
        if (!wants(&s->outcome[i]))
            continue;
        is_run[i] = true;
        status = rehearse_death(r, i, settings, &outcome[i]);
        count(&t, &outcome[i]);
        if (outcome[i].end != REHEARSE_LIVED) /* a rank that lived proves nothing about settings */
            count(&old, &s->outcome[i]);
    }
    if (status == FTC_COMMAND_GOOD && t.deaths > 0) {
        t.is_kept = is_better(&t, &old);
        if (t.is_kept)
            keep(s, &t, outcome, is_run);
        r->try[r->tries++] = t;
    }
    free(outcome);
    free(is_run);
    return status;
}

static bool is_not_well(const struct rehearse_outcome *o)
{
    return !is_well(o);
}

/* Tries the settings that the report of the undisturbed run advises, and protect = all. */
static int try_protection(struct state *s)
{
    const json_t *better = ftc_view_at(s->r->plan.report, "coverage.better.settings");
    struct rehearse_settings settings = {0}, all = {.variable = {"FTCOLL_PROTECT=all"}, .count = 1};
    const json_t *variable;
    int status = FTC_COMMAND_GOOD;
    size_t i;

    json_array_foreach(better, i, variable)
    {
        add(&settings, json_string_value(variable));
    }
    if (settings.count > 0)
        status = try(s, &settings, is_not_well, has_more_well);
    return status == FTC_COMMAND_GOOD ? try(s, &all, is_not_well, has_more_well) : status;
}

static bool makes_communicators(const struct rehearsal *r)
{
    const json_t *condition;
    size_t i;

    json_array_foreach(ftc_view_at(r->plan.report, "coverage.conditions"), i, condition)
    {
        if (strcmp(ftc_view_text(condition, "condition"), "communicators") == 0)
            return true;
    }
    return false;
}

/* Tries communicators = places, which lets copies of communicators keep their ranks, in addition to
 * the settings that are kept. Does nothing for a program that makes no communicators. */
static int try_places(struct state *s)
{
    struct rehearse_settings settings = s->kept;

    if (!makes_communicators(s->r))
        return FTC_COMMAND_GOOD;
    add(&settings, "FTCOLL_COMMUNICATORS=places");
    return try(s, &settings, is_not_well, has_more_well);
}

/* Returns whether no deaths but those of rank 0 have led to wrong output with exit status 0. Rank 0
 * most often prints. */
static bool is_only_rank_0_silent(const struct state *s)
{
    for (int i = 0; i < s->r->plan.deaths; i++)
        if (s->r->plan.death[i].rank != 0 && rehearse_is_silent(&s->outcome[i]))
            return false;
    return true;
}

/* Tries settings that turn wrong output into an error, in addition to the settings that are
 * kept. */
static int try_errors(struct state *s)
{
    static char failure[sizeof failure_exit_status + 4];
    const char *variable[] = {"FTCOLL_REQUIRE_ALL=sum", "FTCOLL_REQUIRE_ALL=all",
                              "FTCOLL_CRITICAL_RANKS=0", failure};
    int status = FTC_COMMAND_GOOD;

    snprintf(failure, sizeof failure, "%s%d", failure_exit_status, FAILURE_STATUS);
    if (is_only_rank_0_silent(s)) {
        variable[0] = "FTCOLL_CRITICAL_RANKS=0";
        variable[1] = "FTCOLL_REQUIRE_ALL=sum";
        variable[2] = "FTCOLL_REQUIRE_ALL=all";
    }
    for (size_t i = 0; status == FTC_COMMAND_GOOD && i < sizeof variable / sizeof *variable; i++) {
        struct rehearse_settings settings = s->kept;

        add(&settings, variable[i]);
        status = try(s, &settings, rehearse_is_silent, has_fewer_silent);
    }
    return status;
}

/* Runs the deaths that were not run with exactly the settings that are kept. */
static int complete(struct state *s)
{
    int status = FTC_COMMAND_GOOD;

    for (int i = 0; status == FTC_COMMAND_GOOD && i < s->r->plan.deaths; i++)
        if (!s->is_of_kept[i])
            status = rehearse_death(s->r, i, &s->kept, &s->outcome[i]);
    return status;
}

/* Returns whether the settings that are kept lead to wrong output with exit status 0 in no more
 * deaths than before. */
static bool is_worth_it(const struct state *s)
{
    int before = 0, after = 0;

    for (int i = 0; i < s->r->plan.deaths; i++) {
        before += rehearse_is_silent(&s->r->plan.death[i].outcome);
        after += rehearse_is_silent(&s->outcome[i]);
    }
    return after <= before;
}

int rehearse_advise(struct rehearsal *r)
{
    size_t deaths = (size_t)r->plan.deaths;
    struct state s = {.r = r,
                      .outcome = calloc(deaths, sizeof *s.outcome),
                      .is_of_kept = calloc(deaths, sizeof *s.is_of_kept)};
    int status;

    if (!s.outcome || !s.is_of_kept)
        abort();
    for (size_t i = 0; i < deaths; i++)
        s.outcome[i] = r->plan.death[i].outcome;
    status = try_protection(&s);
    if (status == FTC_COMMAND_GOOD)
        status = try_places(&s);
    if (status == FTC_COMMAND_GOOD)
        status = try_errors(&s);
    if (status == FTC_COMMAND_GOOD && s.kept.count > 0)
        status = complete(&s);
    if (status == FTC_COMMAND_GOOD && s.kept.count > 0 && is_worth_it(&s)) {
        r->advice = s.kept;
        r->advised = s.outcome;
        s.outcome = NULL;
    }
    free(s.outcome);
    free(s.is_of_kept);
    return status;
}
