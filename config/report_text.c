#include "report_text.h"

#include "reporting/coverage_outcomes.h"
#include "system/numbers.h"
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- paragraphs ---- */

static FILE *paragraph;
static char *paragraph_text;

static void begin_paragraph(void)
{
    static size_t bytes;

    paragraph = open_memstream(&paragraph_text, &bytes);
    if (!paragraph)
        abort();
}

/* Adds @format to the paragraph, with each path in braces replaced by its value in @object. */
static void add(const json_t *object, const char *format)
{
    char path[64];

    for (; *format; format++) {
        size_t length = *format == '{' ? strcspn(format, "}") : 0;

        if (length == 0) {
            fputc(*format, paragraph);
            continue;
        }
        snprintf(path, sizeof path, "%.*s", (int)length - 1, format + 1);
        ftc_view_value(paragraph, object, path);
        format += length;
    }
}

static void end_paragraph(void)
{
    fclose(paragraph);
    ftc_view_wrapped(paragraph_text, 0);
    free(paragraph_text);
}

static void say(const json_t *object, const char *format)
{
    begin_paragraph();
    add(object, format);
    end_paragraph();
}

static bool has(const json_t *object, const char *path)
{
    const json_t *value = ftc_view_at(object, path);

    return value && !json_is_null(value) && !(json_is_array(value) && json_array_size(value) == 0);
}

/* ---- one report ---- */

/* Returns the unit of f, as text after the number: hosts, or an empty text for ranks. */
static const char *what_f_counts(const json_t *r)
{
    const char *domain = json_string_value(ftc_view_at(r, "failure_domain"));

    if (!domain || strcmp(domain, "host") != 0)
        return "";
    return ftc_view_number(r, "f") == 1 ? " host" : " hosts";
}

static void write_head(const json_t *r)
{
    json_t *alive =
        json_pack("{s:I}", "alive", ftc_view_number(r, "ranks") - ftc_view_number(r, "failed"));

    begin_paragraph();
    add(r, "{file}: {program}, written {time} by ");
    if (json_is_true(ftc_view_at(r, "writer.is_monitor_process")))
        add(r, "the monitor process of ");
    add(r, "rank {writer.rank} on {writer.host}");
    end_paragraph();
    if (json_is_true(ftc_view_at(r, "ended_early")))
        say(r, "The job ended before MPI_Finalize returned.");
    begin_paragraph();
    add(alive, "{alive} of ");
    add(r, "{ranks} ranks survived (f = {f}");
    add(r, what_f_counts(r));
    add(r, ").");
    end_paragraph();
    json_decref(alive);
}

/* Prints the stack of the call in which a dead rank was missed. Only reports with report = full
 * have it. */
static void write_stack(const json_t *failure)
{
    const json_t *site;
    size_t i;

    if (has(failure, "missed_in.stack")) {
        putchar('\n');
        say(failure, "The stack at which rank {rank} was missed:");
    }
    json_array_foreach(ftc_view_at(failure, "missed_in.stack"), i, site)
    {
        say(site, "{}");
    }
}

static void write_failures(const json_t *r)
{
    static const struct ftc_view_column deaths[] = {
        {"rank", "rank", true},  {"host", "host", false}, {"pid", "pid", true},
        {"died", "time", false}, {"how", "death", false}, {NULL, NULL, false}};
    static const struct ftc_view_column recovery[] = {
        {"rank", "rank", true},
        {"missed in", "missed_in.call", false},
        {"operation", "missed_in.operation", true},
        {"noticed by", "missed_in.noticed_by", true},
        {"after us", "missed_in.noticed_after_us", true},
        {"result us", "missed_in.result_after_us", true},
        {"error us", "missed_in.error_after_us", true},
        {"call site", "missed_in.site", false},
        {NULL, NULL, false}};

    const json_t *failure;
    size_t i;

    if (!has(r, "failures"))
        return;
    printf("\nDeaths:\n");
    ftc_view_table(deaths, ftc_view_at(r, "failures"));
    printf("\nWho noticed them:\n");
    ftc_view_table(recovery, ftc_view_at(r, "failures"));
    json_array_foreach(ftc_view_at(r, "failures"), i, failure)
    {
        write_stack(failure);
    }
}

static void write_calls(const json_t *r)
{
    static const struct ftc_view_column columns[] = {
        {"count", "count", true},
        {"call", "call", false},
        {"left to native MPI because", "native_because", false},
        {NULL, NULL, false}};

    if (!has(r, "calls"))
        return;
    putchar('\n');
    say(r, "Calls of rank {writer.rank}:");
    ftc_view_table(columns, ftc_view_at(r, "calls"));
    if (has(r, "links"))
        say(r, "It had links with {links.ranks} ranks of other hosts, {links.by_ucx} of them by "
               "UCX.");
}

static void write_unnamed(const json_t *r)
{
    const json_t *site;
    size_t i;

    json_array_foreach(ftc_view_at(r, "require_all_at_unnamed"), i, site)
    {
        putchar('\n');
        say(site, "require_all_at: no rank called a protected reduction from {}.");
    }
}

/* ---- coverage ---- */

/* Adds the outcome of @verdict to the paragraph. Returns whether the outcome is to be rehearsed. */
static bool add_outcome(const json_t *verdict)
{
    const char *outcome = ftc_view_text(verdict, "outcome");

    for (int i = 0; i < FTC_OUTCOMES; i++)
        if (strcmp(outcome, ftc_outcomes[i].word) == 0) {
            fprintf(paragraph, "%s", ftc_outcomes[i].text);
            return ftc_outcomes[i].is_to_be_rehearsed;
        }
    add(verdict, "the outcome is: {outcome}"); /* the report is from a later version */
    return false;
}

/* Adds @verdict to the paragraph, whose first words the caller has added, and prints the
 * paragraph. */
static void end_with_verdict(const json_t *verdict)
{
    bool is_to_be_rehearsed = add_outcome(verdict);

    if (has(verdict, "example"))
        add(verdict, ", for example in {example.call} at {example.site}");
    if (has(ftc_view_at(verdict, "example"), "because"))
        add(verdict, " ({example.because})");
    add(verdict, is_to_be_rehearsed ? FTC_OUTCOME_REHEARSE "." : ".");
    end_paragraph();
}

static void write_conditions(const json_t *conditions)
{
    static const struct ftc_view_column columns[] = {
        {"condition", "meaning", false}, {"call sites", "sites", false}, {NULL, NULL, false}};

    if (json_array_size(conditions) > 0)
        ftc_view_table(columns, conditions);
}

static void write_better(const json_t *better)
{
    begin_paragraph();
    add(better, "With {settings} ");
    end_with_verdict(ftc_view_at(better, "verdict"));
}

static void write_coverage(const json_t *r)
{
    static const struct ftc_view_column columns[] = {
        {"calls", "calls", true},    {"ranks", "ranks", true},     {"call", "call", false},
        {"", "fate", false},         {"call site", "site", false}, {"because", "because", false},
        {"with", "settings", false}, {NULL, NULL, false}};
    const json_t *c = ftc_view_at(r, "coverage");

    if (!has(r, "coverage"))
        return;
    printf("\nCoverage:\n");
    ftc_view_table(columns, ftc_view_at(c, "call_sites"));
    if (ftc_view_number(c, "elsewhere.calls") > 0)
        say(c, "and {elsewhere.calls} calls elsewhere, {elsewhere.not_protected} of them not "
               "protected");
    if (ftc_view_number(c, "ranks_unknown") > 0)
        say(c, "ranks on other hosts whose calls are not known: {ranks_unknown}");
    if (has(c, "protected_percent"))
        say(c, "{protected_percent} % of {calls} calls that need other ranks are protected. A dead "
               "rank would leave the others waiting at {places_that_wait} of {places} call sites. "
               "It would leave them waiting or end the job at {places_that_wait_or_abort}, and it "
               "would do one of these or cause errors at {places_not_protected}.");
    begin_paragraph();
    add(c, "When a rank of this program dies, ");
    end_with_verdict(ftc_view_at(c, "verdict"));
    if (has(c, "better"))
        write_better(ftc_view_at(c, "better"));
    write_conditions(ftc_view_at(c, "conditions"));
}

static void write_settings(const json_t *r)
{
    static const struct ftc_view_column columns[] = {{"setting", "setting", false},
                                                     {"value", "value", false},
                                                     {"from", "origin", false},
                                                     {NULL, NULL, false}};

    if (!has(r, "settings"))
        return;
    printf("\nSettings:\n");
    ftc_view_table(columns, ftc_view_at(r, "settings"));
}

void ftc_report_text_write(const json_t *report)
{
    write_head(report);
    write_failures(report);
    write_calls(report);
    write_unnamed(report);
    write_coverage(report);
    write_settings(report);
}

/* ---- several reports ---- */

void ftc_report_text_compare(const json_t *reports)
{
    static const struct ftc_view_column columns[] = {
        {"written", "time", false},
        {"ranks", "ranks", true},
        {"failed", "failed", true},
        {"f", "f", true},
        {"ended early", "ended_early", false},
        {"when a rank dies", "coverage.verdict.outcome", false},
        {"program", "program", false},
        {"report", "file", false},
        {NULL, NULL, false}};

    ftc_view_table(columns, reports);
}

/* ---- records ---- */

/* Returns @numbers as text, such as "3, 5". */
static json_t *list(const json_t *numbers)
{
    char text[256] = "";
    const json_t *number;
    size_t i;

    json_array_foreach(numbers, i, number)
    {
        ftc_numbers_add(text, sizeof text, json_integer_value(number));
    }
    return json_string(text);
}

/* Returns the time of @record, without fraction and time zone. */
static json_t *second_of(const json_t *record)
{
    return json_sprintf("%.19s", ftc_view_text(record, "time"));
}

static bool are_alike(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"call", "operator", "site", "missing_world"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
            return false;
    return true;
}

/* Returns the row of the records that are like @record. If @record is the first of them, adds the
 * row. */
static json_t *row_for(json_t *rows, json_t *record)
{
    json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        if (are_alike(row, record))
            return row;
    }
    row = json_copy(record);
    json_object_set_new(row, "results", json_integer(0));
    json_object_set_new(row, "first", second_of(record));
    json_object_set_new(row, "lacks", list(json_object_get(record, "missing_world")));
    json_array_append_new(rows, row);
    return row;
}

void ftc_report_text_records(const char *file, const json_t *records)
{
    static const struct ftc_view_column columns[] = {
        {"results", "results", true}, {"call", "call", false}, {"operator", "operator", false},
        {"first", "first", false},    {"last", "last", false}, {"lack ranks", "lacks", false},
        {"call site", "site", false}, {NULL, NULL, false}};
    json_t *rows = json_array(), *record, *row;
    size_t i;

    json_array_foreach(records, i, record)
    {
        row = row_for(rows, record);
        json_object_set_new(row, "results", json_integer(ftc_view_number(row, "results") + 1));
        json_object_set_new(row, "last", second_of(record));
    }
    begin_paragraph();
    fprintf(paragraph, "%s: results that are not of all ranks", file);
    end_paragraph();
    ftc_view_table(columns, rows);
    json_decref(rows);
}
