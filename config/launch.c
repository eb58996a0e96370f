/* Settings, environment and command of the subcommands that start a job. */
#include "command.h"
#include "program.h"
#include "settings_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONFIG = FTC_SETTINGS_COUNT, KEYS, FIRST_KEY = 0x1000 /* after all letters */ };

struct launch {
    char **command;
    void *input;
};

static const char *key_of(int option)
{
    return option == CONFIG ? "config" : ftc_settings_key(option);
}

/* ---- settings in the arguments ---- */

/* Puts @value into the environment, where the library finds it. Returns false with @error filled if
 * @value is not allowed. */
static bool set(int option, const char *value, struct ftc_settings_error *error)
{
    char name[FTC_SETTINGS_NAME_MAX] = "FTCOLL_CONFIG";
    struct ftc_settings ignored;

    if (option != CONFIG && !ftc_settings_set(&ignored, option, value, FTC_ORIGIN_ENVIRONMENT)) {
        ftc_settings_fail_value(error, "command line", key_of(option), value, option);
        return false;
    }
    if (option != CONFIG)
        ftc_settings_variable(option, name);
    setenv(name, value, 1);
    return true;
}

static bool is_same_key(const char *key, const char *text, size_t length)
{
    return strlen(key) == length && strncasecmp(key, text, length) == 0;
}

/* Returns the option that @text names as in a settings file (f) or as in the environment
 * (FTCOLL_F). Returns -1 if there is none. */
static int find(const char *text, size_t length)
{
    static const char prefix[] = "FTCOLL_";
    size_t skipped = strncmp(text, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;

    for (int i = 0; i < KEYS; i++)
        if (is_same_key(key_of(i), text + skipped, length - skipped))
            return i;
    return -1;
}

static bool take_pair(const char *pair, struct ftc_settings_error *error)
{
    size_t length = strcspn(pair, "=");
    int option = find(pair, length);
    char text[FTC_SETTINGS_SUGGESTION_MAX];

    if (option >= 0)
        return set(option, pair + length + 1, error);
    ftc_settings_fail(error, "command line: there is no setting \"%.*s\"; %s", (int)length, pair,
                      ftc_settings_suggest(ftc_settings_nearest(pair, length, NULL), text));
    return false;
}

/* Takes options and settings. The command begins after "--", or at the first argument that is not
 * SETTING=VALUE. */
static error_t take(int key, char *argument, struct argp_state *state)
{
    struct launch *l = state->input;
    struct ftc_settings_error error = {0};
    bool good = true;

    if (key == ARGP_KEY_INIT) {
        if (l->input)
            state->child_inputs[0] = l->input;
    } else if (key >= FIRST_KEY && key < FIRST_KEY + KEYS) {
        good = set(key - FIRST_KEY, argument, &error);
    } else if (key == ARGP_KEY_ARG && state->quoted == 0 && strchr(argument, '=')) {
        good = take_pair(argument, &error);
    } else if (key == ARGP_KEY_ARG) {
        l->command = state->argv + state->next - 1;
        state->next = state->argc;
    } else if (key == ARGP_KEY_END && !l->command) {
        argp_error(state, "which command? For example: %s -- mpiexec.hydra -n 8 ./program",
                   state->name);
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    if (!good) {
        ftc_command_say("%s", error.text);
        exit(FTC_COMMAND_MISUSE);
    }
    return 0;
}

/* Fills @options with one option for each setting. */
static void describe(struct argp_option options[KEYS + 2])
{
    memset(options, 0, (KEYS + 2) * sizeof *options);
    options[0].doc = "Settings, as SETTING=VALUE or --SETTING=VALUE (see ftcoll.conf(5)):";
    for (int i = 0; i < KEYS; i++)
        options[1 + i] = (struct argp_option){.name = key_of(i),
                                              .key = FIRST_KEY + i,
                                              .arg = i == CONFIG ? "FILE" : "VALUE",
                                              .doc = i == CONFIG ? "settings file (FTCOLL_CONFIG)"
                                                                 : ftc_settings_meaning(i)};
}

/* ---- the command ---- */

static bool is_program(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool ftc_command_find(const char *name, char path[PATH_MAX])
{
    const char *list = getenv("PATH");
    size_t length;

    snprintf(path, PATH_MAX, "%s", name);
    if (strchr(name, '/'))
        return is_program(path);
    for (list = list ? list : "/bin:/usr/bin"; *list; list += length + (list[length] != '\0')) {
        length = strcspn(list, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", length > 0 ? (int)length : 1, length > 0 ? list : ".",
                 name);
        if (is_program(path))
            return true;
    }
    return false;
}

/* Returns whether the program gets more rights than its user (setuid or setgid). The dynamic linker
 * does not load the library into such a program. */
static bool gets_more_rights(const char *name)
{
    char path[PATH_MAX];
    struct stat status;

    if (!ftc_command_find(name, path) || stat(path, &status) != 0)
        return false;
    return ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) ||
           ((status.st_mode & S_ISGID) != 0 && status.st_gid != getgid());
}

/* Prints which programs in @command the library cannot protect. Checks each argument that names a
 * program, because the launcher's arguments are not parsed. */
static void say_what_is_not_protected(char *const *command)
{
    char path[PATH_MAX];

    for (; *command; command++) {
        const char *why = ftc_command_find(*command, path) ? ftc_program_objection(path) : NULL;

        if (why)
            ftc_command_say("not protected: %s: %s", *command, why);
    }
}

static int prepare(const char *name)
{
    struct ftc_settings_sources sources;
    struct ftc_settings settings;
    int status = ftc_command_settings(&settings, &sources);

    if (status != FTC_COMMAND_GOOD)
        return status;
    if (gets_more_rights(name)) {
        ftc_command_say("%s runs with more rights than its user (setuid): the dynamic linker loads "
                        "no library of the user into it",
                        name);
        return FTC_COMMAND_MISUSE;
    }
    setenv("FTCOLL_INTERNAL_RUN", "1", 1); /* read in shim/lifecycle/outside.c */
    return ftc_command_preload();
}

char **ftc_command_launch(int argc, char **argv, const char *meaning, const struct argp *own,
                          void *input, int *status)
{
    struct argp_option options[KEYS + 2];
    struct argp_child children[] = {{own, 0, "Options:", -1}, {0}};
    struct argp argp = {options,
                        take,
                        "[SETTING=VALUE...] -- COMMAND [ARGUMENT...]",
                        meaning,
                        own ? children : NULL,
                        NULL,
                        NULL};
    struct launch launch = {.input = input};

    describe(options);
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &launch);
    *status = prepare(launch.command[0]);
    if (*status == FTC_COMMAND_GOOD)
        say_what_is_not_protected(launch.command);
    return *status == FTC_COMMAND_GOOD ? launch.command : NULL;
}

sigset_t ftc_command_block(const int signals[], int count, sigset_t *before)
{
    sigset_t set;

    sigemptyset(&set);
    for (int i = 0; i < count; i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, before);
    return set;
}

int ftc_command_execute(char **command)
{
    int error;

    execvp(command[0], command);
    error = errno;
    ftc_command_say("%s: %s", command[0], strerror(error));
    return error == ENOENT ? FTC_COMMAND_NOT_FOUND : FTC_COMMAND_NOT_EXECUTED;
}
