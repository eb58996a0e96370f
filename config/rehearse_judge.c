/* Outcome of a death. */
#include "rehearsal.h"
#include "view.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { MATCHES = 3 };

__attribute__((format(printf, 3, 4))) static struct rehearse_outcome
outcome(const struct rehearse_run *run, enum rehearse_end end, const char *format, ...)
{
    struct rehearse_outcome o = {.end = end, .status = run->status};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(o.detail, sizeof o.detail, format, arguments);
    va_end(arguments);
    return o;
}

/* ---- standard error ---- */

/* Returns whether a line of @text matches @pattern. @part gets the match and its groups in the
 * first such line, "" for groups without a match. */
static bool find(const char *text, const char *pattern, char part[MATCHES][256])
{
    regmatch_t match[MATCHES];
    regex_t compiled;
    bool found;

    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NEWLINE) != 0)
        abort();
    found = regexec(&compiled, text, MATCHES, match, 0) == 0;
    regfree(&compiled);
    for (int i = 0; i < MATCHES; i++) {
        int length = found && match[i].rm_so >= 0 ? (int)(match[i].rm_eo - match[i].rm_so) : 0;

        snprintf(part[i], sizeof part[i], "%.*s", length, length > 0 ? text + match[i].rm_so : "");
    }
    return found;
}

/* Writes to @line the last line of @text that is not from the library, MPICH or the launcher.
 * Writes "" if there is none. */
static void last_line(const char *text, char *line, size_t size)
{
    static const char *const others[] = {
        "ftcoll: ",       "Abort(",     "===",     "=  ",      "YOUR APPLICATION",
        "This typically", "Please see", "[proxy:", "[mpiexec@"};
    size_t length;

    line[0] = '\0';
    for (; *text; text += length + (text[length] != '\0')) {
        bool is_other = false;

        length = strcspn(text, "\n");
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            is_other |= strncmp(text, others[i], strlen(others[i])) == 0;
        if (length > 0 && !is_other)
            snprintf(line, size, "%.*s", (int)length, text);
    }
}

/* ---- the end of the job ---- */

static bool is_blocked(const struct rehearse_run *run, struct rehearse_outcome *o)
{
    char part[MATCHES][256];
    bool is =
        find(run->errors,
             "^ftcoll: (rank [0-9]+ has (been in|called) .*) for [0-9.]+ s[:,].*on_blocked", part);

    if (run->is_over_limit)
        *o = outcome(run, REHEARSE_OVER_LIMIT, "ended after %.0f s%s%s", run->seconds,
                     is ? ": " : "", part[1]);
    else if (is && run->status != 0)
        *o = outcome(run, REHEARSE_BLOCKED, "%s", part[1]);
    return run->is_over_limit || (is && run->status != 0);
}

/* Returns the first failure in the report that is not of @victim, or NULL if there is none. */
static const json_t *find_other(const struct rehearse_run *run, int victim)
{
    const json_t *failure;
    size_t i;

    json_array_foreach(json_object_get(run->report, "failures"), i, failure)
    {
        if (ftc_view_number(failure, "rank") != victim)
            return failure;
    }
    return NULL;
}

/* Writes to @place where in the program a rank received a signal, from the first frame that UCX's
 * signal handler prints of the program. Writes "" if there is none. */
static void find_place(const struct rehearse_run *run, char place[256])
{
    const char *program = json_string_value(json_object_get(run->report, "program"));
    const char *at = program ? strstr(run->errors, program) : NULL;
    const char *slash = program ? strrchr(program, '/') : NULL;

    place[0] = '\0';
    if (at && slash && at[strlen(program)] == '(')
        snprintf(place, 256, ", at %.*s", (int)(strcspn(at, ")\n") - (size_t)(slash - program)),
                 at + (slash + 1 - program));
}

static bool is_crashed(const struct rehearse_run *run, int victim, struct rehearse_outcome *o)
{
    const json_t *other = find_other(run, victim);
    const char *call = json_string_value(ftc_view_at(other, "missed_in.call"));
    const char *site = json_string_value(ftc_view_at(other, "missed_in.site"));
    char place[256];

    if (!other || !json_is_integer(json_object_get(other, "signal")))
        return false;
    find_place(run, place);
    *o =
        outcome(run, REHEARSE_CRASHED, "rank %d %s%s%s%s%s%s", (int)ftc_view_number(other, "rank"),
                json_string_value(json_object_get(other, "death")), place,
                call ? ", missed in " : "", call ? call : "", site ? " at " : "", site ? site : "");
    return true;
}

/* Returns the outcome of a run that ended with an error status. Either an error or a setting of the
 * library has ended it, or the program itself. */
static struct rehearse_outcome name_end(const struct rehearse_run *run)
{
    char part[MATCHES][256], line[256];
    const char *output = run->output[0].text;

    if (find(run->errors, "^ftcoll: (MPI_.*|the death of rank .* ends the job: .*)$", part))
        return outcome(run, REHEARSE_ERROR, "%s", part[1]);
    last_line(run->errors, line, sizeof line);
    if (line[0] == '\0')
        last_line(output, line, sizeof line);
    return outcome(run, REHEARSE_ABORTED, "%s", line);
}

/* ---- the output ---- */

static const struct rehearse_output *find_output(const struct rehearse_run *run, const char *name)
{
    for (size_t i = 0; i < run->outputs; i++)
        if (strcmp(run->output[i].name, name) == 0)
            return &run->output[i];
    return NULL;
}

static const char *shown(const struct rehearse_output *o)
{
    return *o->name ? o->name : "standard output";
}

/* Compares the outputs of a run that went on. The outcome names the first output that is missing or
 * empty, else the first that differs, else the first that is new. */
static struct rehearse_outcome compare(const struct rehearse_run undisturbed[2],
                                       const struct rehearse_run *run)
{
    struct rehearse_outcome o = outcome(run, REHEARSE_SAME, "%s", "");

    for (size_t i = 0; i < undisturbed[0].outputs; i++) {
        const struct rehearse_output *a = &undisturbed[0].output[i];
        const struct rehearse_output *b = find_output(&undisturbed[1], a->name);
        const struct rehearse_output *c = find_output(run, a->name);

        if (b && (!c || (c->bytes == 0 && a->bytes > 0 && b->bytes > 0)))
            return outcome(run, REHEARSE_NOTHING, "%s is %s", shown(a), c ? "empty" : "missing");
        if (b && o.end == REHEARSE_SAME && !rehearse_is_same(a, b, c))
            o = outcome(run, REHEARSE_OTHER, "%s differs", shown(a));
    }
    for (size_t i = 0; o.end == REHEARSE_SAME && i < run->outputs; i++) {
        const char *name = run->output[i].name;

        if (!find_output(&undisturbed[0], name) && !find_output(&undisturbed[1], name))
            o = outcome(run, REHEARSE_OTHER, "%s is new", name);
    }
    return o;
}

struct rehearse_outcome rehearse_judge(const struct rehearse_run undisturbed[2],
                                       const struct rehearse_run *run, int victim,
                                       int failure_status)
{
    struct rehearse_outcome o;

    if (!strstr(run->errors, " kills itself in its "))
        return outcome(run, REHEARSE_LIVED, "the rank makes no such call");
    if (is_blocked(run, &o) || is_crashed(run, victim, &o))
        return o;
    if (run->status == 0 || (failure_status != 0 && run->status == failure_status))
        return compare(undisturbed, run);
    return name_end(run);
}

bool rehearse_is_silent(const struct rehearse_outcome *o)
{
    return o->status == 0 && (o->end == REHEARSE_OTHER || o->end == REHEARSE_NOTHING);
}
