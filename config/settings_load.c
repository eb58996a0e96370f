/* Sources of the settings: the first file that exists, then the environment (doc/design.md, section
 * 10). */
#include "settings_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

const char *ftc_settings_system_path = "/etc/ftcoll.conf";

/* ---- the file ---- */

/* Writes the path of the user's settings file, following the XDG Base Directory Specification:
 * variables whose path is not absolute are ignored. Writes "" if there is no such path, or if it
 * has PATH_MAX bytes or more. */
static void find_user_path(char path[PATH_MAX])
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = 0;

    if (xdg && xdg[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/ftcoll.conf", xdg);
    else if (home && home[0] == '/')
        length = snprintf(path, PATH_MAX, "%s/.config/ftcoll.conf", home);
    if (length <= 0 || length >= PATH_MAX)
        path[0] = '\0';
}

static int read_first_file(struct ftc_settings *s, struct ftc_settings_sources *sources,
                           struct ftc_settings_error *error)
{
    const char *named = getenv("FTCOLL_CONFIG"), *found = sources->file;
    char user_path[PATH_MAX];
    int rv;

    if (named && named[0] != '\0')
        return ftc_settings_read_file(named, FTC_PLACE_NAMED, s, sources, error);
    find_user_path(user_path);
    rv = ftc_settings_read_file("./ftcoll.conf", FTC_PLACE_WORKING_DIRECTORY, s, sources, error);
    if (rv == 0 && !*found && user_path[0] != '\0')
        rv = ftc_settings_read_file(user_path, FTC_PLACE_OTHER, s, sources, error);
    if (rv == 0 && !*found)
        rv = ftc_settings_read_file(ftc_settings_system_path, FTC_PLACE_OTHER, s, sources, error);
    return rv;
}

/* ---- the environment ---- */

const char *ftc_settings_variable(int option, char name[FTC_SETTINGS_NAME_MAX])
{
    snprintf(name, FTC_SETTINGS_NAME_MAX, "FTCOLL_%s", ftc_settings_key(option));
    for (char *c = name; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return name;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Returns whether @variable is known. Variables of other programs count as known. */
static bool is_known(const char *variable, size_t name_bytes)
{
    char name[FTC_SETTINGS_NAME_MAX];

    if (!starts_with(variable, "FTCOLL_") || starts_with(variable, "FTCOLL_INTERNAL_") ||
        starts_with(variable, "FTCOLL_CONFIG="))
        return true;
    for (int i = 0; i < FTC_SETTINGS_COUNT; i++)
        if (strlen(ftc_settings_variable(i, name)) == name_bytes && starts_with(variable, name))
            return true;
    return false;
}

static int fail_unknown(struct ftc_settings_error *error, const char *variable, size_t name_bytes)
{
    const size_t prefix = strlen("FTCOLL_");
    const char *near = ftc_settings_nearest(variable + prefix, name_bytes - prefix, "config");
    char name[FTC_SETTINGS_NAME_MAX] = "FTCOLL_CONFIG", text[FTC_SETTINGS_SUGGESTION_MAX];
    bool cut = name_bytes > FTC_SETTINGS_NAME_MAX;
    int option = near ? ftc_settings_find(near) : -1;

    if (option >= 0)
        ftc_settings_variable(option, name);
    return ftc_settings_fail(error, "environment: unknown variable %.*s%s; %s",
                             cut ? FTC_SETTINGS_NAME_MAX : (int)name_bytes, variable,
                             cut ? "..." : "", ftc_settings_suggest(near ? name : NULL, text));
}

/* Returns 0, or -1 with @error filled if the environment has an unknown variable FTCOLL_*. Such a
 * mistake would otherwise remain unnoticed. */
static int check_variables(struct ftc_settings_error *error)
{
    for (char **v = environ; v && *v; v++) {
        size_t name_bytes = strcspn(*v, "=");

        if (!is_known(*v, name_bytes))
            return fail_unknown(error, *v, name_bytes);
    }
    return 0;
}

static int take_variable(struct ftc_settings *s, int option, struct ftc_settings_error *error)
{
    char name[FTC_SETTINGS_NAME_MAX];
    const char *value = getenv(ftc_settings_variable(option, name));

    if (!value || ftc_settings_set(s, option, value, FTC_ORIGIN_ENVIRONMENT))
        return 0;
    return ftc_settings_fail_value(error, "environment", name, value, option);
}

static int read_environment(struct ftc_settings *s, struct ftc_settings_error *error)
{
    int rv = check_variables(error);

    for (int i = 0; i < FTC_SETTINGS_COUNT && rv == 0; i++)
        rv = take_variable(s, i, error);
    return rv;
}

/* Returns whether the program has more rights than its user, who could make it write to files by
 * settings. */
static bool has_rights_of_others(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* Returns whether the library is switched off, by FTCOLL_ENABLE or because the program has more
 * rights than its user. Called before all else is read, so that other errors do not matter if it is
 * switched off. A wrong value of FTCOLL_ENABLE is reported later, by read_environment(). */
static bool is_switched_off(struct ftc_settings *s)
{
    struct ftc_settings_error ignored;

    if (has_rights_of_others())
        s->enable = false;
    else if (take_variable(s, FTC_SETTING_enable, &ignored) != 0)
        return false;
    return !s->enable;
}

int ftc_settings_load(struct ftc_settings *s, struct ftc_settings_error *error)
{
    struct ftc_settings_sources ignored;

    return ftc_settings_load_with_sources(s, &ignored, error);
}

int ftc_settings_load_with_sources(struct ftc_settings *s, struct ftc_settings_sources *sources,
                                   struct ftc_settings_error *error)
{
    int saved_errno = errno, rv = 0;

    ftc_settings_set_defaults(s);
    *sources = (struct ftc_settings_sources){0};
    error->text[0] = '\0';
    if (!is_switched_off(s)) {
        rv = read_first_file(s, sources, error);
        if (rv == 0)
            rv = read_environment(s, error);
        ftc_settings_expand(s, sources);
    }
    errno = saved_errno;
    return rv;
}
