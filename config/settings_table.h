/* What the files of the settings share. An option is named by its position in the table. */
#ifndef FTC_CONFIG_SETTINGS_TABLE_H
#define FTC_CONFIG_SETTINGS_TABLE_H

#include "settings.h"

/* ---- settings_table.c ---- */

/* Sets one option, or returns false and changes nothing if its table does not allow @text. */
bool ftc_settings_set(struct ftc_settings *s, int option, const char *text,
                      enum ftc_settings_origin origin);

void ftc_settings_set_defaults(struct ftc_settings *s);

/* Gives the settings that protect stands for their values, unless they have been set themselves: in
 * the same place, or in the environment, which wins over a file here too. Last.
 * Their origin is that of protect, and @sources tells which they are. */
void ftc_settings_expand(struct ftc_settings *s, struct ftc_settings_sources *sources);

/* These fill @error and return -1. Bytes that would break the line or a terminal become '?'. */
__attribute__((format(printf, 2, 3))) int ftc_settings_fail(struct ftc_settings_error *error,
                                                            const char *format, ...);

/* Where a user finds the names. */
#define FTC_SETTINGS_ALL "'ftcoll info --all' shows them"

/* "did you mean @near?", or where the names are if that is NULL. */
enum { FTC_SETTINGS_SUGGESTION_MAX = FTC_SETTINGS_NAME_MAX + 16 };
const char *ftc_settings_suggest(const char *near, char text[FTC_SETTINGS_SUGGESTION_MAX]);

/* The key, or @other unless that is NULL, that @name of so many bytes is nearest to; NULL if none
 * is near. */
const char *ftc_settings_nearest(const char *name, size_t bytes, const char *other);

/* "@where: @name = "@value" is not allowed; allowed: ...", a long value cut; without the value if
 * that is NULL. */
int ftc_settings_fail_value(struct ftc_settings_error *error, const char *where, const char *name,
                            const char *value, int option);

/* ---- settings_open.c ---- */

struct ftc_settings_file {
    int fd;       /* -1: not open */
    bool is_own;  /* it belongs to this user alone, and this is its only name */
    char why[96]; /* it is not trusted; empty if it is */
};

/* Opens what is to be read at @path. A settings file can end ranks and name files to write to, and
 * errors show what is in it. So it must be a regular file of this user or root that nobody else may
 * write to, and so must each link on the way to it be the user's or root's: somebody else's would
 * lead to a file that was not meant to be shown. (A link in a directory's name counts as little as
 * the directory's permissions: the file at its end is judged.) If the user has @named the path, it
 * may also be a device such as /dev/null.
 *
 * Returns 0, with @why filled if the file is not trusted; or a negative errno if it is to be
 * trusted, as far as one can see, and cannot be opened. Never waits, and never makes a terminal the
 * program's. */
int ftc_settings_open(const char *path, bool named, struct ftc_settings_file *file);

/* ---- settings_file.c ---- */

enum ftc_settings_place {
    FTC_PLACE_NAMED, /* by the user: what is not there is an error */
    FTC_PLACE_WORKING_DIRECTORY,
    FTC_PLACE_OTHER,
};

/* Reads the file at @path into @s, if there is one; @sources then names it. A file that is not
 * trusted is an error, as a wrong line is. If the file is not the user's own (see above), errors
 * quote nothing of it, and in the working directory it must not set what kills ranks or writes
 * files. Returns 0, or -1 with @error filled. */
int ftc_settings_read_file(const char *path, enum ftc_settings_place place, struct ftc_settings *s,
                           struct ftc_settings_sources *sources, struct ftc_settings_error *error);

/* ---- settings_load.c ---- */

/* The file of the whole machine; tests put another path here. */
extern const char *ftc_settings_system_path;

#endif
