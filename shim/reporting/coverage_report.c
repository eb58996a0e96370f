#include "coverage_report.h"

#include "board/directory.h"
#include "call/call.h"
#include "coverage_conditions.h"
#include "coverage_outcomes.h"

#include <inttypes.h>

enum { SITES_SHOWN = 3 }; /* call sites in the line of a condition */

static enum ftc_outcome find_outcome(const struct ftc_coverage_verdict *v, bool ends_blocked)
{
    switch (v->level) {
    case FTC_LEVEL_EXPOSED:
        return ends_blocked ? FTC_OUTCOME_ABORTS_BLOCKED : FTC_OUTCOME_WAITS;
    case FTC_LEVEL_FATAL:
        return FTC_OUTCOME_ABORTS;
    case FTC_LEVEL_RAISED:
        return FTC_OUTCOME_ERRORS;
    default:
        if (v->waits_for_any_source)
            return v->is_sure ? FTC_OUTCOME_ANY_SOURCE : FTC_OUTCOME_ANY_SOURCE_IF_MESSAGES;
        return v->is_sure ? FTC_OUTCOME_NO_WAIT : FTC_OUTCOME_NO_WAIT_IF_MESSAGES;
    }
}

static const struct ftc_outcome_words *outcome_of(const struct ftc_coverage_verdict *v,
                                                  bool ends_blocked)
{
    return &ftc_outcomes[find_outcome(v, ends_blocked)];
}

static uint64_t calls_elsewhere(const struct ftc_coverage_table *t)
{
    uint64_t calls = 0;

    for (int s = 0; s < FTC_LEVELS; s++)
        calls += t->elsewhere[s];
    return calls;
}

/* Returns whether the job is ended if a call waits forever (on_blocked = abort). That needs monitor
 * processes. */
static bool is_ended_if_blocked(const struct ftc_notice *n)
{
    return n->settings->on_blocked == FTC_ON_BLOCKED_ABORT &&
           (n->settings->monitor != FTC_MONITOR_TIMEOUT || ftc_board_has_other_hosts(n->board));
}

/* ---- as text ---- */

/* Writes @number with commas, as in "1,234,567", to @text, and returns @text. */
static const char *grouped(uint64_t number, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), n = 0;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[n++] = ',';
        text[n++] = digits[i];
    }
    text[n] = '\0';
    return text;
}

/* Writes the settings as they go into the environment of the next run. */
static void write_remedies(FILE *f, uint32_t remedies)
{
    const char *text;

    for (unsigned next = 0; (text = ftc_remedy_text(remedies, &next)) != NULL;)
        fprintf(f, " %s", text);
}

static void write_row(FILE *f, const struct ftc_coverage_row *row)
{
    const char *reason = ftc_protection_reason(row->protection);
    char calls[32];

    fprintf(f, "ftcoll: %12s on %4" PRIu32 "  %-18s %-13s  %s%s%s", grouped(row->calls, calls),
            row->ranks, ftc_call_name((enum ftc_call_kind)row->call),
            ftc_protection_fate(row->protection), row->text, reason ? ": " : "",
            reason ? reason : "");
    fputs(ftc_coverage_remedies(row) != 0 ? ";" : "", f);
    write_remedies(f, ftc_coverage_remedies(row));
    fputs(ftc_coverage_remedies(row) & FTC_REMEDY_KEEP ? " (" FTC_REMEDY_KEEP_WORDS ")\n" : "\n",
          f);
}

static void write_elsewhere(FILE *f, const struct ftc_coverage_table *t)
{
    char some[32], sum[32];

    if (calls_elsewhere(t) > 0)
        fprintf(f, "ftcoll: and %s calls at other call sites, %s of them not protected\n",
                grouped(calls_elsewhere(t), sum), grouped(t->elsewhere[FTC_LEVEL_EXPOSED], some));
}

static void write_unknown(FILE *f, const struct ftc_coverage_table *t)
{
    if (t->unknown > 0)
        fprintf(f, "ftcoll: the calls of %d rank%s on other hosts are not known\n", t->unknown,
                t->unknown == 1 ? "" : "s");
}

static void write_sum(FILE *f, const struct ftc_coverage_table *t)
{
    static const char *const fate[] = {"leave the others waiting", "end the job", "cause errors"};
    int worst = FTC_LEVEL_EXPOSED, permille = ftc_coverage_permille(t);
    char calls[32];

    while (worst < FTC_LEVEL_PROTECTED && t->calls[worst] == 0)
        worst++;
    grouped(ftc_coverage_calls(t), calls);
    if (ftc_coverage_calls(t) == 0)
        fprintf(f, "ftcoll: no call needed another rank\n");
    else if (worst == FTC_LEVEL_PROTECTED)
        fprintf(
            f,
            "ftcoll: all %s calls that need other ranks are protected: no rank would wait for a "
            "dead one\n",
            calls);
    else
        fprintf(f,
                "ftcoll: %d.%d %% of %s calls that need other ranks are protected; a dead rank "
                "would %s at %d of %d call sites\n",
                permille / 10, permille % 10, calls, fate[worst], t->places[worst],
                t->places[FTC_LEVEL_ALONE]);
}

static void write_table(FILE *f, const struct ftc_coverage_table *t)
{
    fprintf(f, "ftcoll: %12s on ranks %-17s %-13s  %s\n", "calls", "call", "", "call site");
    for (int i = 0; i < t->count; i++)
        write_row(f, &t->row[i]);
    write_elsewhere(f, t);
    write_unknown(f, t);
    write_sum(f, t);
}

/* Returns the reason of the verdict's call. Returns NULL if the verdict has no row, or is for other
 * settings than those that gave the call its reason. */
static const char *reason_of(const struct ftc_coverage_verdict *v)
{
    return v->row && ftc_protection_level(v->row->protection) == v->level
               ? ftc_protection_reason(v->row->protection)
               : NULL;
}

static void write_example(FILE *f, const struct ftc_coverage_verdict *v)
{
    if (v->row)
        fprintf(f, ", for example in %s at %s", ftc_call_name((enum ftc_call_kind)v->row->call),
                v->row->text);
    else
        fprintf(f, ", at a call site that is not listed");
    if (reason_of(v))
        fprintf(f, " (%s)", reason_of(v));
}

static void write_verdict(FILE *f, const struct ftc_coverage_verdict *v, bool ends_blocked)
{
    const struct ftc_outcome_words *outcome = outcome_of(v, ends_blocked);

    fprintf(f, "%s", outcome->text);
    if (v->level < FTC_LEVEL_PROTECTED)
        write_example(f, v);
    fprintf(f, "%s\n", outcome->is_to_be_rehearsed ? FTC_OUTCOME_REHEARSE : "");
}

/* Writes the condition, if it holds, with its first few call sites. */
static void write_condition(FILE *f, const struct ftc_coverage_table *t,
                            enum ftc_condition condition, uint32_t remedies)
{
    const char *site;
    int next = 0, sites = 0;

    if (!ftc_condition_holds(t, condition, remedies))
        return;
    fprintf(f, "ftcoll: condition: %s", ftc_condition_text(condition));
    while ((site = ftc_condition_site(t, condition, remedies, &next)) != NULL)
        if (sites++ < SITES_SHOWN)
            fprintf(f, "%s %s", sites == 1 ? ", at" : ",", site);
    if (sites > SITES_SHOWN)
        fprintf(f, " and %d more", sites - SITES_SHOWN);
    fputc('\n', f);
}

static void write_verdicts(FILE *f, const struct ftc_coverage_table *t, bool ends_blocked)
{
    struct ftc_coverage_verdict now, best;
    uint32_t remedies;

    ftc_coverage_judge(t, &now, &best, &remedies);
    fprintf(f, "ftcoll: verdict: when a rank of this program dies, ");
    write_verdict(f, &now, ends_blocked);
    if (remedies != 0) {
        fprintf(f, "ftcoll: verdict with");
        write_remedies(f, remedies);
        fprintf(f, ": ");
        write_verdict(f, &best, ends_blocked);
    } else if (now.level < FTC_LEVEL_RAISED) {
        fprintf(f, "ftcoll: no setting changes that\n");
    }
    for (int c = 0; c < FTC_CONDITIONS; c++)
        write_condition(f, t, (enum ftc_condition)c, remedies);
}

void ftc_coverage_report_write(FILE *f, const struct ftc_notice *n)
{
    struct ftc_coverage_table t;

    if (!ftc_coverage_make(&t, n->board, n->settings)) {
        fprintf(f, "ftcoll: no memory for the list of call sites\n");
        return;
    }
    write_table(f, &t);
    write_verdicts(f, &t, is_ended_if_blocked(n));
    ftc_coverage_free(&t);
}

/* ---- as JSON ---- */

static void add_remedies(struct ftc_json *j, uint32_t remedies)
{
    const char *text;

    ftc_json_open_array(j, "settings");
    for (unsigned next = 0; (text = ftc_remedy_text(remedies, &next)) != NULL;)
        ftc_json_add_text(j, NULL, text);
    ftc_json_close(j);
}

static void add_row(struct ftc_json *j, const struct ftc_coverage_row *row)
{
    ftc_json_open_object(j, NULL);
    ftc_json_add_text(j, "call", ftc_call_name((enum ftc_call_kind)row->call));
    ftc_json_add_text(j, "site", row->text);
    ftc_json_add_count(j, "calls", row->calls);
    ftc_json_add_number(j, "ranks", row->ranks);
    ftc_json_add_number(j, "first_rank", row->first);
    ftc_json_add_number(j, "last_rank", row->last);
    ftc_json_add_text(j, "fate", ftc_protection_fate(row->protection));
    ftc_json_add_text(j, "because", ftc_protection_reason(row->protection));
    add_remedies(j, ftc_coverage_remedies(row));
    ftc_json_close(j);
}

static void add_rows(struct ftc_json *j, const struct ftc_coverage_table *t)
{
    ftc_json_open_array(j, "call_sites");
    for (int i = 0; i < t->count; i++)
        add_row(j, &t->row[i]);
    ftc_json_close(j);
    ftc_json_open_object(j, "elsewhere");
    ftc_json_add_count(j, "calls", calls_elsewhere(t));
    ftc_json_add_count(j, "not_protected", t->elsewhere[FTC_LEVEL_EXPOSED]);
    ftc_json_close(j);
}

static void add_sum(struct ftc_json *j, const struct ftc_coverage_table *t)
{
    ftc_json_add_number(j, "ranks_unknown", t->unknown);
    ftc_json_add_count(j, "calls", ftc_coverage_calls(t));
    if (ftc_coverage_calls(t) > 0)
        ftc_json_add_decimal(j, "protected_percent", ftc_coverage_permille(t), 1);
    else
        ftc_json_add_null(j, "protected_percent");
    ftc_json_add_number(j, "places", t->places[FTC_LEVEL_ALONE]);
    ftc_json_add_number(j, "places_that_wait", t->places[FTC_LEVEL_EXPOSED]);
    ftc_json_add_number(j, "places_that_wait_or_abort", t->places[FTC_LEVEL_FATAL]);
    ftc_json_add_number(j, "places_not_protected", t->places[FTC_LEVEL_RAISED]);
}

static void add_verdict(struct ftc_json *j, const char *key, const struct ftc_coverage_verdict *v,
                        bool ends_blocked)
{
    ftc_json_open_object(j, key);
    ftc_json_add_text(j, "outcome", outcome_of(v, ends_blocked)->word);
    if (v->row) {
        ftc_json_open_object(j, "example");
        ftc_json_add_text(j, "call", ftc_call_name((enum ftc_call_kind)v->row->call));
        ftc_json_add_text(j, "site", v->row->text);
        ftc_json_add_text(j, "because", reason_of(v));
        ftc_json_close(j);
    } else {
        ftc_json_add_null(j, "example");
    }
    ftc_json_close(j);
}

static void add_better(struct ftc_json *j, const struct ftc_coverage_verdict *best,
                       uint32_t remedies, bool ends_blocked)
{
    ftc_json_open_object(j, "better");
    add_remedies(j, remedies);
    add_verdict(j, "verdict", best, ends_blocked);
    ftc_json_close(j);
}

static void add_condition(struct ftc_json *j, const struct ftc_coverage_table *t,
                          enum ftc_condition condition, uint32_t remedies)
{
    const char *site;
    int next = 0;

    if (!ftc_condition_holds(t, condition, remedies))
        return;
    ftc_json_open_object(j, NULL);
    ftc_json_add_text(j, "condition", ftc_condition_word(condition));
    ftc_json_add_text(j, "meaning", ftc_condition_text(condition));
    ftc_json_open_array(j, "sites");
    while ((site = ftc_condition_site(t, condition, remedies, &next)) != NULL)
        ftc_json_add_text(j, NULL, site);
    ftc_json_close(j);
    ftc_json_close(j);
}

static void add_conditions(struct ftc_json *j, const struct ftc_coverage_table *t,
                           uint32_t remedies)
{
    ftc_json_open_array(j, "conditions");
    for (int c = 0; c < FTC_CONDITIONS; c++)
        add_condition(j, t, (enum ftc_condition)c, remedies);
    ftc_json_close(j);
}

static void add_verdicts(struct ftc_json *j, const struct ftc_coverage_table *t, bool ends_blocked)
{
    struct ftc_coverage_verdict now, best;
    uint32_t remedies;

    ftc_coverage_judge(t, &now, &best, &remedies);
    add_verdict(j, "verdict", &now, ends_blocked);
    if (remedies != 0)
        add_better(j, &best, remedies, ends_blocked);
    else
        ftc_json_add_null(j, "better");
    add_conditions(j, t, remedies);
}

void ftc_coverage_report_write_json(struct ftc_json *j, const struct ftc_notice *n)
{
    struct ftc_coverage_table t;

    if (!ftc_coverage_make(&t, n->board, n->settings)) {
        ftc_json_add_null(j, "coverage");
        return;
    }
    ftc_json_open_object(j, "coverage");
    add_rows(j, &t);
    add_sum(j, &t);
    add_verdicts(j, &t, is_ended_if_blocked(n));
    ftc_json_close(j);
    ftc_coverage_free(&t);
}
