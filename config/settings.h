/* settings: what the user can choose, from a file and the environment (DESIGN section 10).
 *
 * File: $FTCOLL_CONFIG, else ./ftcoll.conf, else $XDG_CONFIG_HOME/ftcoll.conf
 * (~/.config/ftcoll.conf), else /etc/ftcoll.conf; lines of "key = value", optionally below
 * [ftcoll]. For each key the environment variable FTCOLL_<KEY> wins over the file.
 */
#ifndef FTC_SETTINGS_H
#define FTC_SETTINGS_H

#include "../shim/core/op.h"
#include "../shim/core/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum ftc_monitor_mode { FTC_MONITOR_AUTO, FTC_MONITOR_PROCESS, FTC_MONITOR_TIMEOUT };
enum ftc_on_excess { FTC_ON_EXCESS_ERROR, FTC_ON_EXCESS_ABORT };
enum ftc_report { FTC_REPORT_OFF, FTC_REPORT_FAILURES, FTC_REPORT_SUMMARY, FTC_REPORT_FULL };
enum { FTC_INTERCEPT_REDUCE = 1, FTC_INTERCEPT_ALLREDUCE = 2 };
enum { FTC_SETTINGS_PATH_MAX = 1024 };

struct ftc_correction_setting {
    enum ftc_correction kind;
    int d; /* ring */
};

/* Plain bytes: rank 0's settings are broadcast to all. */
#define FTC_MEMBER_BOOL(key)       bool key;
#define FTC_MEMBER_NUMBER(key)     int key;
#define FTC_MEMBER_WORD(key)       int key;
#define FTC_MEMBER_WORDS(key)      int key;
#define FTC_MEMBER_TREE(key)       struct ftc_tree_shape key;
#define FTC_MEMBER_CORRECTION(key) struct ftc_correction_setting key;
#define FTC_MEMBER_PATH(key)       char key[FTC_SETTINGS_PATH_MAX];

struct ftc_settings {
#define FTC_OPTION(key, kind, min, max, words, preset, allowed, doc) FTC_MEMBER_##kind(key)
#include "options.def"
#undef FTC_OPTION
};

/* One line that names what is wrong, where, and what is allowed. */
struct ftc_settings_error {
    char text[1536];
};

/* Fills @s from defaults, file and environment. Returns 0, or -1 with @error filled. With
 * FTCOLL_ENABLE=0 nothing else is looked at. */
int ftc_settings_load(struct ftc_settings *s, struct ftc_settings_error *error);

/* Fills @s from defaults and the text of a configuration file, which @name stands for in errors. */
int ftc_settings_parse(const char *text, size_t length, const char *name, struct ftc_settings *s,
                       struct ftc_settings_error *error);

/* The values, a line each. */
void ftc_settings_dump(const struct ftc_settings *s, FILE *f);

/* ftcoll.conf.example, and the README's list. */
void ftc_settings_write_example(FILE *f);
void ftc_settings_write_list(FILE *f);

#endif
