#include "info_text.h"

#include "notice/protection.h"
#include "view.h"

#include <stdbool.h>
#include <string.h>

static void write_named(const char *label, const char *what, const char *more, const char *where)
{
    printf("%-15s%s%s%s%s%s%s\n", label, what, what[0] && more[0] ? ", " : "", more,
           where[0] ? " (" : "", where, where[0] ? ")" : "");
}

static void write_surroundings(const json_t *j)
{
    const json_t *mpi = json_object_get(j, "mpi"), *value;
    json_t *environment = json_object_get(j, "environment");
    const char *name;
    size_t i;

    printf("ftcoll %s\n", ftc_view_text(j, "version"));
    write_named("library", ftc_view_text(j, "library"), "", "");
    if (json_is_object(mpi))
        write_named("MPI", ftc_view_text(mpi, "version"), ftc_view_text(mpi, "device"),
                    ftc_view_text(mpi, "path"));
    else
        write_named("MPI", "none of MPICH's ABI is found; programs may bring their own", "", "");
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

/* A paragraph that begins with @words. */
static void describe(const char *words, const json_t *prospect, int indent)
{
    const char *because = ftc_view_text(prospect, "because");
    const json_t *setting;
    char text[1024];
    int used = snprintf(text, sizeof text, "%s%s%s%s", words, ftc_view_text(prospect, "fate"),
                        because[0] ? ": " : "", because);
    size_t i;

    json_array_foreach(json_object_get(prospect, "settings"), i, setting)
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

/* Those of which the same is to be said as of the one at @first, the first of them. */
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

void ftc_info_write(const json_t *info)
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
