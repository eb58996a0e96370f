/* What the files of the settings share. An option is named by its position in the table. */
#ifndef FTC_SETTINGS_INTERNAL_H
#define FTC_SETTINGS_INTERNAL_H

#include "settings.h"

/* ---- settings.c: the table ---- */

const char *ftc_settings_key(int option);

/* -1 if there is no such key. */
int ftc_settings_find(const char *key);

/* Sets one option, or returns false and changes nothing if its table does not allow @text. */
bool ftc_settings_set(struct ftc_settings *s, int option, const char *text,
                      enum ftc_settings_origin origin);

void ftc_settings_set_defaults(struct ftc_settings *s);

/* These fill @error and return -1. Bytes that would break the line or a terminal become '?'. */
__attribute__((format(printf, 2, 3))) int ftc_settings_fail(struct ftc_settings_error *error,
                                                            const char *format, ...);

/* "@where: @name = "@value" is not allowed; allowed: ...", a long value cut. */
int ftc_settings_fail_value(struct ftc_settings_error *error, const char *where, const char *name,
                            const char *value, int option);

/* ---- settings_file.c ---- */

/* Reads the file at @path into @s. What is not there is an error only if it @must_exist, and else
 * leaves @found false. Returns 0, or -1 with @error filled. */
int ftc_settings_read_file(const char *path, bool must_exist, bool *found, struct ftc_settings *s,
                           struct ftc_settings_error *error);

/* ---- settings_load.c ---- */

/* The file of the whole machine; tests put another path here. */
extern const char *ftc_settings_system_path;

#endif
