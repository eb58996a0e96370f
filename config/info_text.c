#include "info_text.h"

#include "reporting/protection.h"
#include "view.h"

#include <stdbool.h>
#include <string.h>

static void write_named(const char *label, const char *what, const char *more, const char *where)
{
    printf("%-15s%s%s%s%s%s%s\n", label, what, what[0] && more[0] ? ", " : "", more,
           where[0] ? " (" : "", where, where[0] ? ")" : "");
}

static void write_mpi(const json_t *mpi)
{
    if (json_is_object(mpi))
        write_named("MPI", ftc_view_text(mpi, "version"), ftc_view_text(mpi, "device"),
                    ftc_view_text(mpi, "path"));
    else
        write_named("MPI", "none of MPICH's ABI is found; programs may bring their own", "", "");
}

static void write_surroundings(const json_t *j)
{
    const json_t *value;
    json_t *environment = json_object_get(j, "environment");
    const char *name;
    size_t i;

    printf("ftcoll %s\n", ftc_view_text(j, "version"));
    write_named("library", ftc_view_text(j, "library"), "", "");
    write_mpi(json_object_get(j, "mpi"));
    json_array_foreach(json_object_get(j, "launchers"), i, value)
    {
        write_named(ftc_view_text(value, "name"), ftc_view_text(value, "version"),
                    ftc_view_text(value, "because"), ftc_view_text(value, "path"));
    }
    if (ftc_view_text(j, "settings_file")[0] != '\0')
        write_named("settings file", ftc_view_text(j, "settings_file"), "", "");
    json_object_foreach(environment, name, value)
    {
        printf("%-15s%s=%s\n", "environment", name, json_string_value(value));
    }
}

static void write_objections(const json_t *objections)
{
    const json_t *reason;
    size_t i;

    json_array_foreach(objections, i, reason)
    {
        printf("\nA job started here is not protected: %s.\n", json_string_value(reason));
    }
}

/* ---- calls ---- */

/* Prints a paragraph: @words, then the fate of a call, the reason for it, and the settings that
 * would improve it. */
static void describe(const char *words, const json_t *forecast, int indent)
{
    const char *because = ftc_view_text(forecast, "because");
    const json_t *setting;
    char text[1024];
    int used = snprintf(text, sizeof text, "%s%s%s%s", words, ftc_view_text(forecast, "fate"),
                        because[0] ? ": " : "", because);
    size_t i;

    json_array_foreach(json_object_get(forecast, "settings"), i, setting)
    {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s",
                         i == 0 ? "; better with " : " ", json_string_value(setting));
        if (strcmp(json_string_value(setting), "FTCOLL_ON_DEAD_ROOT=keep") == 0)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, " (" FTC_REMEDY_KEEP_WORDS ")");
    }
    ftc_view_wrapped(text, indent);
}

static bool are_alike(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"fate", "because", "settings", "if_errors_return"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);

        if (x != y && !json_equal(x, y))
            return false;
    }
    return true;
}

/* Prints the forecast of the call at @first, and the names of all calls with the same forecast. */
static void write_group(const json_t *calls, size_t first)
{
    const json_t *one = json_array_get(calls, first), *other;
    const json_t *returning = json_object_get(one, "if_errors_return");
    char names[8192] = "";
    size_t i, used;

    printf("\n");
    describe("", one, 2);
    if (returning)
        describe("if errors return (MPI_ERRORS_RETURN) ", returning, 2);
    json_array_foreach(calls, i, other)
    {
        used = strlen(names);
        if (are_alike(one, other))
            snprintf(names + used, sizeof names - used, " %s", ftc_view_text(other, "call"));
    }
    ftc_view_wrapped(names, 6);
}

static bool is_first_of_its_kind(const json_t *calls, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (are_alike(json_array_get(calls, i), json_array_get(calls, at)))
            return false;
    return true;
}

static void write_calls(const json_t *j)
{
    const json_t *calls = json_object_get(j, "calls"), *reason;
    size_t i;

    printf("\nCalls that need a dead rank, with these settings, and up to f = %d deaths in one "
           "operation:\n",
           (int)json_integer_value(json_object_get(j, "f")));
    for (i = 0; i < json_array_size(calls); i++)
        if (is_first_of_its_kind(calls, i))
            write_group(calls, i);
    printf("\nOne of the protected calls is left to native MPI, unprotected, for one of these "
           "reasons:\n");
    json_array_foreach(json_object_get(j, "exceptions"), i, reason)
    {
        printf("    %s\n", json_string_value(reason));
    }
}

/* ---- settings ---- */

static void write_source(const json_t *source, const char *preset)
{
    const char *from = ftc_view_text(source, "from");

    if (strcmp(from, "file") == 0)
        printf("(%s:%d; default: %s)\n", ftc_view_text(source, "file"),
               (int)json_integer_value(json_object_get(source, "line")), preset);
    else if (strcmp(from, "environment") == 0)
        printf("(%s; default: %s)\n", ftc_view_text(source, "variable"), preset);
    else
        printf("(default)\n");
}

static void write_setting(const json_t *setting)
{
    const char *preset = ftc_view_text(setting, "default");
    char text[1024];

    printf("\n%s = %s  ", ftc_view_text(setting, "setting"), ftc_view_text(setting, "value"));
    write_source(json_object_get(setting, "source"), preset[0] ? preset : "none");
    snprintf(text, sizeof text, "%s (allowed: %s)", ftc_view_text(setting, "meaning"),
             ftc_view_text(setting, "allowed"));
    ftc_view_wrapped(text, 4);
}

void ftc_info_write_all(const json_t *info)
{
    const json_t *setting;
    size_t i;

    write_surroundings(info);
    write_objections(json_object_get(info, "objections"));
    write_calls(info);
    printf("\nSettings:\n");
    json_array_foreach(json_object_get(info, "settings"), i, setting)
    {
        write_setting(setting);
    }
}

/* ---- the summary ---- */

enum { LINE_COLUMNS = 100, LABEL_COLUMNS = 15, MORE_COLUMNS = 14 };

/* Writes a line with @label and as many of @items, an array of strings, as there is room for. If
 * @has_lines, the others follow in further lines. Otherwise only their number is printed. Writes
 * @none if there are no items. */
static void write_list(const char *label, const json_t *items, const char *none, bool has_lines)
{
    size_t count = json_array_size(items), i = 0;
    int column = printf("%-*s", LABEL_COLUMNS, label);

    for (; i < count; i++) {
        const char *item = json_string_value(json_array_get(items, i)),
                   *between = i > 0 ? ", " : "";
        int room = LINE_COLUMNS - column - (i > 0 ? 2 : 0) - (i + 1 < count ? MORE_COLUMNS : 0);

        if ((int)strlen(item) > room && i > 0) {
            if (!has_lines)
                break;
            column = printf(",\n%-*s", LABEL_COLUMNS, "") - 2;
            room = LINE_COLUMNS - column;
            between = "";
        }
        column += printf("%s%.*s", between, room, item);
    }
    if (i < count)
        printf(", and %zu more", count - i);
    puts(count > 0 ? "" : none);
}

static void write_list_and_free(const char *label, json_t *items, const char *none)
{
    write_list(label, items, none, true);
    json_decref(items);
}

static void write_launchers(const json_t *launchers)
{
    json_t *items = json_array();
    const json_t *launcher;
    size_t i;

    json_array_foreach(launchers, i, launcher)
    {
        bool serves = json_is_true(json_object_get(launcher, "serves"));

        json_array_append_new(items, json_sprintf("%s (%s%s)", ftc_view_text(launcher, "name"),
                                                  ftc_view_text(launcher, "version"),
                                                  serves ? "" : ", with which it does not work"));
    }
    write_list_and_free("launchers", items, "none is in PATH");
}

static void write_changed_settings(const json_t *settings)
{
    json_t *items = json_array();
    const json_t *setting;
    size_t i;

    json_array_foreach(settings, i, setting)
    {
        if (!json_equal(json_object_get(setting, "value"), json_object_get(setting, "default")))
            json_array_append_new(items, json_sprintf("%s = %s", ftc_view_text(setting, "setting"),
                                                      ftc_view_text(setting, "value")));
    }
    write_list_and_free("settings", items, "all are the defaults");
}

/* Writes the calls that have @fate if a rank that they need dies. */
static void write_calls_of_fate(const json_t *calls, const char *fate)
{
    json_t *items = json_array();
    const json_t *call;
    size_t i;

    json_array_foreach(calls, i, call)
    {
        if (strcmp(ftc_view_text(call, "fate"), fate) == 0)
            json_array_append(items, json_object_get(call, "call"));
    }
    if (json_array_size(items) > 0)
        write_list(fate, items, "", false);
    json_decref(items);
}

static bool has_text(const json_t *texts, const json_t *text)
{
    const json_t *one;
    size_t i;

    json_array_foreach(texts, i, one)
    {
        if (json_equal(one, text))
            return true;
    }
    return false;
}

/* Writes the settings that would protect more calls. */
static void write_better(const json_t *calls)
{
    json_t *items = json_array();
    const json_t *call, *setting;
    size_t i, s;

    json_array_foreach(calls, i, call)
    {
        json_array_foreach(json_object_get(call, "settings"), s, setting)
        {
            if (!has_text(items, setting))
                json_array_append_new(items, json_string(json_string_value(setting)));
        }
    }
    printf("%-*s", LABEL_COLUMNS, "more with");
    ftc_view_value(stdout, items, "");
    puts(json_array_size(items) > 0 ? "" : "no setting");
    json_decref(items);
}

static void write_all_objections(const json_t *objections)
{
    const json_t *reason;
    size_t i;

    json_array_foreach(objections, i, reason)
    {
        printf("%s%s", i == 0 ? "A job started here is not protected: " : "; ",
               json_string_value(reason));
    }
    if (i > 0)
        puts(".");
}

void ftc_info_write(const json_t *info)
{
    static const char *const fates[] = {"protected", "not protected", "ends the job",
                                        "returns error"};
    const json_t *calls = json_object_get(info, "calls");

    printf("ftcoll %s, %s ('ftcoll info --all' prints the rest)\n", ftc_view_text(info, "version"),
           ftc_view_text(info, "library"));
    write_mpi(json_object_get(info, "mpi"));
    write_launchers(json_object_get(info, "launchers"));
    write_changed_settings(json_object_get(info, "settings"));
    for (size_t i = 0; i < sizeof fates / sizeof *fates; i++)
        write_calls_of_fate(calls, fates[i]);
    write_better(calls);
    write_all_objections(json_object_get(info, "objections"));
}
