/* Progress bar of a rehearsal, and its result as text and as JSON. */
#include "rehearsal.h"
#include "system/control.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key, *text;
} ends[REHEARSE_ENDS] = {
    [REHEARSE_SAME] = {"same output", "went on, same output"},
    [REHEARSE_OTHER] = {"other output", "went on, other output"},
    [REHEARSE_NOTHING] = {"no output", "went on, no output"},
    [REHEARSE_ERROR] = {"error", "ended with an error"},
    [REHEARSE_ABORTED] = {"aborted", "aborted by the program"},
    [REHEARSE_CRASHED] = {"crashed", "crashed"},
    [REHEARSE_BLOCKED] = {"blocked", "ended by on_blocked"},
    [REHEARSE_OVER_LIMIT] = {"over the limit", "over the limit"},
    [REHEARSE_LIVED] = {"lived", "the rank lived"},
};

/* ---- text ---- */

/* Prints @text, which comes from the program or a symbol, with '?' for characters that would
 * command the terminal. */
static void print(const char *text)
{
    char *shown = strdup(text);

    if (!shown)
        abort();
    ftc_control_hide(shown);
    fputs(shown, stdout);
    free(shown);
}

static const char *place_of(const char *point)
{
    return strcmp(point, "a0") == 0 ? "before" : strcmp(point, "end") == 0 ? "after" : "within";
}

static void write_head(const struct rehearse_site *s)
{
    if (!s) {
        printf("\nstart-up\n");
        return;
    }
    printf("\n%s at ", s->call);
    print(s->site);
    printf(", %s, %ld call%s a rank\n", s->fate, s->calls, s->calls == 1 ? "" : "s");
}

static void write_outcome(const struct rehearse_outcome *o)
{
    printf("%s", ends[o->end].text);
    if (o->end != REHEARSE_OVER_LIMIT && o->end != REHEARSE_LIVED)
        printf(", status %d", o->status);
    if (o->detail[0] != '\0')
        printf(": ");
    print(o->detail);
    printf("\n");
}

static void write_death(const struct rehearse_death *d, const struct rehearse_outcome *o)
{
    if (d->site)
        printf("  rank %d killed %s call %ld: ", d->rank, place_of(d->point), d->call);
    else
        printf("  rank %d killed before its first protected operation: ", d->rank);
    write_outcome(o);
    if (o->end != REHEARSE_SAME) {
        printf("      crash=");
        print(d->crash);
        printf("\n");
    }
}

static void write_deaths(const struct rehearse_plan *p)
{
    for (int i = 0; i < p->deaths; i++) {
        if (i == 0 || p->death[i].site != p->death[i - 1].site)
            write_head(p->death[i].site);
        write_death(&p->death[i], &p->death[i].outcome);
    }
}

/* Prints the number of deaths with each outcome: "3 went on, same output; 1 ended with an
 * error". */
static void write_sum(const int count[REHEARSE_ENDS], int silent)
{
    const char *separator = "";

    for (int end = 0; end < REHEARSE_ENDS; end++) {
        if (count[end] == 0)
            continue;
        printf("%s%d %s", separator, count[end], ends[end].text);
        separator = "; ";
    }
    if (silent > 0)
        printf("; %d not right with status 0", silent);
    printf("\n");
}

static void sum_up(const struct rehearse_outcome *o, int count[REHEARSE_ENDS], int *silent)
{
    count[o->end]++;
    *silent += rehearse_is_silent(o);
}

static void write_total(const struct rehearse_plan *p)
{
    int count[REHEARSE_ENDS] = {0}, silent = 0;

    for (int i = 0; i < p->deaths; i++)
        sum_up(&p->death[i].outcome, count, &silent);
    printf("\n%d death%s: ", p->deaths, p->deaths == 1 ? "" : "s");
    write_sum(count, silent);
    if (p->sites_left_out > 0 || p->ranks_left_out > 0)
        printf("So few deaths leave out %d of %d call sites and %d of %d ranks (--deaths).\n",
               p->sites_left_out, p->sites, p->ranks_left_out, p->ranks);
}

static void write_settings(const struct rehearse_settings *s)
{
    for (int i = 0; i < s->count; i++) {
        printf(" ");
        print(s->variable[i]);
    }
}

static void write_tries(const struct rehearsal *r)
{
    if (r->tries > 0)
        printf("\nTried on deaths that did not end well:\n");
    for (int i = 0; i < r->tries; i++) {
        const struct rehearse_try *t = &r->try[i];

        printf(" ");
        write_settings(&t->settings);
        printf("\n      %d death%s: ", t->deaths, t->deaths == 1 ? "" : "s");
        write_sum(t->ends, t->silent);
    }
}

static void write_advice(const struct rehearsal *r)
{
    int count[REHEARSE_ENDS] = {0}, silent = 0;

    if (r->tries == 0) {
        printf("\nAll deaths ended well, so no other settings were tried.\n");
        return;
    }
    if (!r->advised) {
        printf("\nNone of these is better.\n");
        return;
    }
    for (int i = 0; i < r->plan.deaths; i++)
        sum_up(&r->advised[i], count, &silent);
    printf("\nRecommended, and rehearsed with all %d deaths: ", r->plan.deaths);
    write_sum(count, silent);
    printf("\n    export");
    write_settings(&r->advice);
    printf("\n");
}

void rehearse_write(const struct rehearsal *r)
{
    printf("%d ranks; undisturbed runs of %.1f s and %.1f s; a run may take %.0f s\n",
           r->plan.ranks, r->undisturbed[0].seconds, r->undisturbed[1].seconds, r->job.limit_s);
    if (r->undisturbed[0].output[0].bytes == 0 && !r->job.outputs)
        printf("The program prints nothing: --outputs FOLDER compares files.\n");
    write_deaths(&r->plan);
    write_total(&r->plan);
    write_tries(r);
    write_advice(r);
}

/* ---- JSON ---- */

/* Returns @bytes as a JSON string. If they are not UTF-8, '?' replaces each byte that is not
 * ASCII. */
static json_t *text(const char *bytes)
{
    char copy[sizeof((struct rehearse_outcome){0}).detail];
    json_t *string = json_string(bytes);

    if (string)
        return string;
    snprintf(copy, sizeof copy, "%s", bytes);
    for (char *at = copy; *at; at++)
        if (!isascii((unsigned char)*at))
            *at = '?';
    return json_string(copy);
}

static json_t *json_of_outcome(const struct rehearse_outcome *o)
{
    return json_pack("{s:s, s:i, s:o, s:b}", "end", ends[o->end].key, "status", o->status, "detail",
                     text(o->detail), "is_silent", rehearse_is_silent(o));
}

static json_t *json_of_death(const struct rehearse_death *d, const struct rehearse_outcome *advised)
{
    return json_pack("{s:i, s:o, s:o, s:i, s:s, s:o, s:o, s:o}", "rank", d->rank, "call",
                     d->site ? text(d->site->call) : json_null(), "site",
                     d->site ? text(d->site->site) : json_null(), "number", (int)d->call, "moment",
                     place_of(d->point), "crash", text(d->crash), "outcome",
                     json_of_outcome(&d->outcome), "advised",
                     advised ? json_of_outcome(advised) : json_null());
}

static json_t *json_of_settings(const struct rehearse_settings *s)
{
    json_t *list = json_array();

    for (int i = 0; i < s->count; i++)
        json_array_append_new(list, text(s->variable[i]));
    return list;
}

static json_t *json_of_try(const struct rehearse_try *t)
{
    json_t *count = json_object();

    for (int end = 0; end < REHEARSE_ENDS; end++)
        json_object_set_new(count, ends[end].key, json_integer(t->ends[end]));
    return json_pack("{s:o, s:i, s:o, s:i, s:b}", "settings", json_of_settings(&t->settings),
                     "deaths", t->deaths, "ends", count, "silent", t->silent, "is_kept",
                     t->is_kept);
}

void rehearse_write_json(const struct rehearsal *r)
{
    json_t *deaths = json_array(), *tries = json_array(), *all;

    for (int i = 0; i < r->plan.deaths; i++)
        json_array_append_new(deaths,
                              json_of_death(&r->plan.death[i], r->advised ? &r->advised[i] : NULL));
    for (int i = 0; i < r->tries; i++)
        json_array_append_new(tries, json_of_try(&r->try[i]));
    all =
        json_pack("{s:s, s:i, s:i, s:[f, f], s:f, s:i, s:i, s:o, s:o, s:o}", "ftcoll", "rehearsal",
                  "schema", 1, "ranks", r->plan.ranks, "undisturbed_s", r->undisturbed[0].seconds,
                  r->undisturbed[1].seconds, "limit_s", r->job.limit_s, "sites_left_out",
                  r->plan.sites_left_out, "ranks_left_out", r->plan.ranks_left_out, "deaths",
                  deaths, "tries", tries, "advice", json_of_settings(&r->advice));
    json_dumpf(all, stdout, JSON_COMPACT | JSON_ENSURE_ASCII); /* no control characters of UTF-8 */
    printf("\n");
    json_decref(all);
}

/* ---- the bar ---- */

enum { BAR = 24 /* characters */ };

void rehearse_progress(struct rehearsal *r)
{
    int done;

    r->runs++;
    if (r->runs > r->runs_expected)
        r->runs_expected = r->runs;
    if (!r->is_terminal)
        return;
    done = BAR * r->runs / r->runs_expected;
    fprintf(stderr, "\r[%.*s%*s] run %d of about %d ", done, "########################", BAR - done,
            "", r->runs, r->runs_expected);
}

void rehearse_erase_progress(const struct rehearsal *r)
{
    if (r->is_terminal)
        fprintf(stderr, "\r%*s\r", BAR + 40, "");
}
