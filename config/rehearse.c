/* ftcoll rehearse: runs a job twice undisturbed, then with one rank killed in each run. */
#include "rehearsal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEATHS = 12,
    DEATHS_MAX = 1000,
    LIMIT_S = 10, /* least time limit, without the time for blocked calls */
    LIMIT_TIMES = 5,
    BLOCKED_TIMES = 12, /* a busy machine delays the report of a blocked call to 10 * blocked_ms */
    LIMIT_MAX_S = 86400,
};

struct options {
    int deaths, limit_s;
    bool is_json;
    const char *outputs;
};

static const struct rehearse_settings none;

/* ---- the runs ---- */

/* Returns whether the undisturbed @run ended with status 0 and wrote a report. Prints why if not.
 * Without a report there is no plan, and with another status no output to compare with. */
static bool is_good(const struct rehearse_run *run)
{
    const char *last = run->errors, *end = last + strlen(last);

    if (run->is_over_limit) {
        ftc_command_say("the undisturbed run was ended after %.0f s (--limit)", run->seconds);
        return false;
    }
    if (run->status == 0 && run->report)
        return true;
    if (run->status == 0) {
        ftc_command_say(
            "the undisturbed run wrote no report: no rank had the library, or the library was not "
            "active (ftcoll run report=summary prints why)");
        return false;
    }
    while (end > last && end[-1] == '\n')
        end--;
    for (const char *at; (at = memchr(last, '\n', (size_t)(end - last)));)
        last = at + 1;
    ftc_command_say("the undisturbed run has ended with status %d: %.*s", run->status,
                    (int)(end - last), last);
    return false;
}

static int run_undisturbed(struct rehearsal *r)
{
    for (int i = 0; i < 2; i++) {
        int status = rehearse_run(&r->job, &none, NULL, &r->undisturbed[i]);

        if (status != FTC_COMMAND_GOOD)
            return status;
        if (!is_good(&r->undisturbed[i]))
            return FTC_COMMAND_BAD;
        rehearse_progress(r);
    }
    return FTC_COMMAND_GOOD;
}

static double choose_limit(const struct rehearsal *r, const struct ftc_settings *s)
{
    double a = r->undisturbed[0].seconds, b = r->undisturbed[1].seconds;
    double limit_s = LIMIT_TIMES * (a > b ? a : b);

    return (limit_s > LIMIT_S ? limit_s : LIMIT_S) +
           (s->on_blocked == FTC_ON_BLOCKED_ABORT ? BLOCKED_TIMES * s->blocked_ms / 1e3 : 0);
}

static bool make_plan(struct rehearsal *r, int deaths)
{
    if (rehearse_plan_make(&r->plan, r->undisturbed[0].report, deaths)) {
        r->runs_expected = r->runs + 3 * r->plan.deaths;
        return true;
    }
    ftc_command_say("no call needs other ranks, so there is no death to rehearse");
    return false;
}

static int run_deaths(struct rehearsal *r)
{
    int status = FTC_COMMAND_GOOD;

    for (int i = 0; status == FTC_COMMAND_GOOD && i < r->plan.deaths; i++)
        status = rehearse_death(r, i, &none, &r->plan.death[i].outcome);
    return status;
}

static int run_all(struct rehearsal *r, const struct options *o, const struct ftc_settings *s)
{
    int status = run_undisturbed(r);

    if (status != FTC_COMMAND_GOOD)
        return status;
    if (r->job.limit_s == 0)
        r->job.limit_s = choose_limit(r, s);
    if (!make_plan(r, o->deaths))
        return FTC_COMMAND_BAD;
    status = run_deaths(r);
    return status == FTC_COMMAND_GOOD ? rehearse_advise(r) : status;
}

static void free_all(struct rehearsal *r)
{
    rehearse_run_free(&r->undisturbed[0]);
    rehearse_run_free(&r->undisturbed[1]);
    rehearse_plan_free(&r->plan);
    free(r->advised);
    rehearse_close(&r->job);
}

static int rehearse(char **command, const struct options *o)
{
    struct rehearsal r = {.job = {.command = command, .outputs = o->outputs, .limit_s = o->limit_s},
                          .is_terminal = isatty(STDERR_FILENO),
                          .runs_expected = 2 + 3 * o->deaths};
    struct ftc_settings_sources sources;
    struct ftc_settings settings;
    int status = ftc_command_settings(&settings, &sources);

    if (status != FTC_COMMAND_GOOD || !rehearse_open(&r.job))
        return FTC_COMMAND_MISUSE;
    r.job.failure_status = settings.failure_exit_status;
    status = run_all(&r, o, &settings);
    rehearse_erase_progress(&r);
    if (status == FTC_COMMAND_GOOD && o->is_json)
        rehearse_write_json(&r);
    else if (status == FTC_COMMAND_GOOD)
        rehearse_write(&r);
    free_all(&r);
    return status;
}

/* ---- the arguments ---- */

static int number(const char *option, const char *text, int max)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end != text && *end == '\0' && value >= 1 && value <= max)
        return (int)value;
    ftc_command_say("command line: --%s = \"%s\" is not allowed; allowed: 1..%d", option, text,
                    max);
    exit(FTC_COMMAND_MISUSE);
}

static const char *folder(const char *path)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return path;
    ftc_command_say(
        "command line: --outputs = \"%s\" is not allowed: %s; allowed: a folder, of which "
        "each run gets a copy",
        path, access(path, F_OK) == 0 ? "it is no folder" : strerror(errno));
    exit(FTC_COMMAND_MISUSE);
}

static error_t take(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'd':
        o->deaths = number("deaths", argument, DEATHS_MAX);
        return 0;
    case 'l':
        o->limit_s = number("limit", argument, LIMIT_MAX_S);
        return 0;
    case 's':
        setenv("FTCOLL_CONFIG", argument, 1);
        return 0;
    case 'o':
        o->outputs = folder(argument);
        return 0;
    case 'j':
        o->is_json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int ftcoll_rehearse(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"deaths", 'd', "N", 0, "deaths to rehearse, each in a run of its own (12)", 0},
        {"settings", 's', "FILE", 0, "settings file (FTCOLL_CONFIG)", 0},
        {"outputs", 'o', "FOLDER", 0,
         "each run works in a copy of FOLDER, and the files are compared", 0},
        {"limit", 'l', "SECONDS", 0, "time that a run may take (5 times the undisturbed time)", 0},
        {"json", 'j', NULL, 0, "one object of JSON instead of text", 0},
        {0}};
    static const struct argp own = {.options = options, .parser = take};
    struct options o = {.deaths = DEATHS};
    int status;
    char **command = ftc_command_launch(
        argc, argv,
        "Runs a job twice undisturbed, then with one rank killed in each run, and prints for each "
        "call site what happened, and settings with which more deaths end well.\v"
        "For example: ftcoll rehearse -- mpiexec.hydra -n 4 ./program",
        &own, &o, &status);

    return command ? rehearse(command, &o) : status;
}
