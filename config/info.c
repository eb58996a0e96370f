/* ftcoll info: prints MPI and launchers on this machine, the calls that a job started here has
 * protected and those that it has not, and each setting. All of it is first gathered as JSON, from
 * which the text is made (info_text.h). */
#include "../include/ftcoll.h"
#include "board/board.h"
#include "command.h"
#include "info_text.h"
#include "lifecycle/meeting.h"
#include "program.h"
#include "reporting/settings_forecast.h"
#include "surroundings.h"

#include <stdlib.h>

enum { SCHEMA = 1 };

struct info {
    struct ftc_settings settings;
    struct ftc_settings_sources sources;
    const char *program; /* program that a job is to start; NULL: any */
    bool as_json, is_all;
    json_t *json;
};

/* ---- settings ---- */

static json_t *value_of(const struct ftc_settings *s, int option)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    json_t *value;

    if (!f)
        abort();
    ftc_settings_write(s, option, f);
    fclose(f);
    value = json_string(text);
    free(text);
    return value ? value : json_null();
}

static json_t *source_of(const struct info *i, int option)
{
    int by = i->sources.by_protect[option] ? FTC_SETTING_protect : option;
    char name[FTC_SETTINGS_NAME_MAX];

    switch (i->settings.origin[option]) {
    case FTC_ORIGIN_FILE:
        return json_pack("{s:s, s:s, s:i}", "from", "file", "file", i->sources.file, "line",
                         i->sources.line[by]);
    case FTC_ORIGIN_ENVIRONMENT:
        return json_pack("{s:s, s:s}", "from", "environment", "variable",
                         ftc_settings_variable(by, name));
    default:
        return json_pack("{s:s}", "from", "default");
    }
}

static json_t *settings(const struct info *i)
{
    json_t *all = json_array();
    char allowed[FTC_SETTINGS_ALLOWED_MAX];

    for (int o = 0; o < FTC_SETTINGS_COUNT; o++)
        json_array_append_new(
            all, json_pack("{s:s, s:o, s:o?, s:s, s:s, s:s}", "setting", ftc_settings_key(o),
                           "value", value_of(&i->settings, o), "source", source_of(i, o), "default",
                           ftc_settings_preset(o), "allowed", ftc_settings_allowed(o, allowed),
                           "meaning", ftc_settings_meaning(o)));
    return all;
}

/* ---- calls ---- */

static json_t *remedies(uint32_t those)
{
    json_t *list = json_array();
    const char *text;

    for (unsigned next = 0; (text = ftc_remedy_text(those, &next)) != NULL;)
        json_array_append_new(list, json_string(text));
    return list;
}

static json_t *forecast(const struct ftc_settings *s, enum ftc_call_kind kind, bool returns)
{
    struct ftc_forecast o = ftc_settings_forecast_of(s, kind, returns);

    return json_pack("{s:s, s:s?, s:o}", "fate", ftc_protection_fate(o.protection), "because",
                     ftc_protection_reason(o.protection), "settings", remedies(o.remedies));
}

/* Returns the forecast for a call with MPI_ERRORS_ARE_FATAL, the error handler unless the program
 * sets another. If the fate or the settings are different with an error handler that returns,
 * member "if_errors_return" is the forecast with such a handler. */
static json_t *call(const struct ftc_settings *s, enum ftc_call_kind kind)
{
    json_t *c = forecast(s, kind, false), *returning = forecast(s, kind, true);

    json_object_set_new(c, "call", json_string(ftc_call_name(kind)));
    if (!json_equal(json_object_get(c, "fate"), json_object_get(returning, "fate")) ||
        !json_equal(json_object_get(c, "settings"), json_object_get(returning, "settings")))
        json_object_set(c, "if_errors_return", returning);
    json_decref(returning);
    return c;
}

static json_t *calls(const struct ftc_settings *s)
{
    json_t *all = json_array();

    for (int kind = FTC_CALL_NONE + 1; kind < FTC_CALL_COUNT; kind++)
        if (ftc_call_class((enum ftc_call_kind)kind) != FTC_CLASS_OWN)
            json_array_append_new(all, call(s, (enum ftc_call_kind)kind));
    return all;
}

/* Returns the reasons for which native MPI carries out a single call although its kind is
 * protected. */
static json_t *exceptions(void)
{
    json_t *all = json_array();

    for (int fallback = FTC_FALLBACK_NONE + 1; fallback < FTC_FALLBACK_COUNT; fallback++)
        if (fallback != FTC_FALLBACK_NOT_INTERCEPTED &&
            ftc_protection_level((uint32_t)fallback) == FTC_LEVEL_EXPOSED)
            json_array_append_new(all, json_string(ftc_fallback_text((enum ftc_fallback)fallback)));
    return all;
}

/* ---- the job ---- */

static void object(json_t *reasons, const char *format, const char *what)
{
    json_array_append_new(reasons, json_sprintf(format, what));
}

static bool some_launcher_serves(const json_t *launchers)
{
    const json_t *launcher;
    size_t i;

    json_array_foreach(launchers, i,
                       launcher) if (json_is_true(json_object_get(launcher, "serves"))) return true;
    return false;
}

/* Returns the reasons why a whole job would not be protected, as far as they are known before it
 * starts. */
static json_t *objections(const struct info *i, bool has_library)
{
    const char *lacks =
        json_string_value(json_object_get(json_object_get(i->json, "mpi"), "lacks"));
    const char *hosts = getenv("SLURM_JOB_NUM_NODES");
    json_t *reasons = json_array();

    if (!i->settings.enable)
        object(reasons, "setting %s is off", "enable");
    if (!has_library)
        object(reasons, "the library, %s, is missing",
               json_string_value(json_object_get(i->json, "library")));
    if (i->program && ftc_program_objection(i->program))
        json_array_append_new(
            reasons, json_sprintf("%s: %s", i->program, ftc_program_objection(i->program)));
    if (lacks)
        object(reasons, "the MPI library has no %s", lacks);
    if (!some_launcher_serves(json_object_get(i->json, "launchers")))
        object(reasons, "PATH has no launcher with which the library works (%s)", "mpiexec.hydra");
    if (hosts && atoi(hosts) > FTC_BOARD_HOSTS_MAX)
        object(reasons, FTC_MEETING_TOO_MANY_HOSTS ", if it takes all %s of this job's", hosts);
    return reasons;
}

static void gather(struct info *i)
{
    char path[PATH_MAX];
    bool has_library = ftc_command_library(path);
    json_t *j = i->json = json_object();

    json_object_set_new(j, "ftcoll", json_string("info"));
    json_object_set_new(j, "schema", json_integer(SCHEMA));
    json_object_set_new(j, "version", json_string(FTCOLL_VERSION));
    json_object_set_new(j, "library", json_string(path));
    json_object_set_new(j, "program", i->program ? json_string(i->program) : json_null());
    json_object_set_new(j, "mpi", ftc_surroundings_mpi());
    json_object_set_new(j, "launchers", ftc_surroundings_launchers());
    json_object_set_new(j, "environment", ftc_surroundings_environment());
    json_object_set_new(j, "settings_file",
                        i->sources.file[0] ? json_string(i->sources.file) : json_null());
    json_object_set_new(j, "objections", objections(i, has_library));
    json_object_set_new(j, "f", json_integer(i->settings.f));
    json_object_set_new(j, "calls", calls(&i->settings));
    json_object_set_new(j, "exceptions", exceptions());
    json_object_set_new(j, "settings", settings(i));
}

/* ---- the subcommand ---- */

static error_t take(int key, char *argument, struct argp_state *state)
{
    struct info *i = state->input;
    static char path[PATH_MAX];

    if (key == 'j' || key == 'a') {
        *(key == 'j' ? &i->as_json : &i->is_all) = true;
        return 0;
    }
    if (key != ARGP_KEY_ARG || i->program)
        return ARGP_ERR_UNKNOWN;
    if (!ftc_command_find(argument, path)) {
        ftc_command_say("%s: no such program", argument);
        exit(FTC_COMMAND_MISUSE);
    }
    i->program = path;
    return 0;
}

int ftcoll_info(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"all", 'a', NULL, 0, "prints each call with its reason, and each setting", 0},
        {"json", 'j', NULL, 0, "prints all as one object of JSON", 0},
        {0}};
    static const struct argp argp = {
        .options = options,
        .parser = take,
        .args_doc = "[PROGRAM]",
        .doc = "Prints in ten lines the library, MPI and launchers on this machine, the calls of a "
               "job (of PROGRAM) that are protected and those that are not, and the settings "
               "that differ from their defaults."};
    struct info i = {0};
    int status;

    argp_parse(&argp, argc, argv, 0, NULL, &i);
    status = ftc_command_settings(&i.settings, &i.sources);
    if (status != FTC_COMMAND_GOOD)
        return status;
    gather(&i);
    if (i.as_json)
        json_dumpf(i.json, stdout, JSON_INDENT(2));
    else
        (i.is_all ? ftc_info_write_all : ftc_info_write)(i.json);
    if (i.as_json)
        putchar('\n');
    json_decref(i.json);
    return FTC_COMMAND_GOOD;
}
