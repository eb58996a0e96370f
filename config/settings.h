/* settings: the choices of the user, from a file and the environment (doc/design.md, section 10).
 *
 * The file is $FTCOLL_CONFIG, else ./ftcoll.conf, else $XDG_CONFIG_HOME/ftcoll.conf
 * (~/.config/ftcoll.conf if that variable is no absolute path), else /etc/ftcoll.conf. It has lines
 * "key = value", perhaps after a line [ftcoll]. For each key, the environment variable FTCOLL_<KEY>
 * has priority over the file. */
#ifndef FTC_CONFIG_SETTINGS_H
#define FTC_CONFIG_SETTINGS_H

#include "engine/operation.h"
#include "engine/topology.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ftc_monitor_mode { FTC_MONITOR_AUTO, FTC_MONITOR_PROCESS, FTC_MONITOR_TIMEOUT };
enum ftc_link { FTC_LINK_AUTO, FTC_LINK_TCP, FTC_LINK_UCX };
enum ftc_failure_domain { FTC_FAILURE_DOMAIN_RANK, FTC_FAILURE_DOMAIN_HOST };
enum ftc_on_excess { FTC_ON_EXCESS_ERROR, FTC_ON_EXCESS_ABORT };
enum ftc_protect { FTC_PROTECT_REDUCTIONS, FTC_PROTECT_ALL };
enum ftc_dead_blocks { FTC_DEAD_BLOCKS_KEEP, FTC_DEAD_BLOCKS_ZERO };
enum ftc_on_dead_root { FTC_ON_DEAD_ROOT_ERROR, FTC_ON_DEAD_ROOT_KEEP };
enum ftc_large_calls { FTC_LARGE_NATIVE, FTC_LARGE_PROTECTED };
enum ftc_p2p { FTC_P2P_NATIVE, FTC_P2P_ERROR, FTC_P2P_IGNORE };
enum ftc_device_buffers { FTC_DEVICE_BUFFERS_AUTO, FTC_DEVICE_BUFFERS_NONE };
enum ftc_communicators {
    FTC_COMMUNICATORS_NATIVE,
    FTC_COMMUNICATORS_SURVIVORS,
    FTC_COMMUNICATORS_PLACES
};
enum ftc_yield { FTC_YIELD_AUTO, FTC_YIELD_ON, FTC_YIELD_OFF };
enum ftc_on_blocked { FTC_ON_BLOCKED_OFF, FTC_ON_BLOCKED_WARN, FTC_ON_BLOCKED_ABORT };
enum ftc_report { /* each value includes the reports of the values before it */
                  FTC_REPORT_OFF,
                  FTC_REPORT_FAILURES,
                  FTC_REPORT_SUMMARY,
                  FTC_REPORT_COVERAGE,
                  FTC_REPORT_FULL,
};
enum ftc_report_format { FTC_REPORT_FORMAT_TEXT, FTC_REPORT_FORMAT_JSON };
enum ftc_settings_origin { FTC_ORIGIN_DEFAULT, FTC_ORIGIN_FILE, FTC_ORIGIN_ENVIRONMENT };
enum { FTC_SETTINGS_PATH_MAX = 1024 };

/* Bits of setting intercept. */
enum {
    FTC_INTERCEPT_NONE = 0,
    FTC_INTERCEPT_REDUCE = 1,
    FTC_INTERCEPT_ALLREDUCE = 2,
    FTC_INTERCEPT_BARRIER = 4,
    FTC_INTERCEPT_BCAST = 8,
    FTC_INTERCEPT_IREDUCE = 16,
    FTC_INTERCEPT_IALLREDUCE = 32,
    FTC_INTERCEPT_GATHER = 1 << 6,
    FTC_INTERCEPT_SCATTER = 1 << 7,
    FTC_INTERCEPT_ALLGATHER = 1 << 8,
    FTC_INTERCEPT_ALLTOALL = 1 << 9,
    FTC_INTERCEPT_REDUCE_SCATTER = 1 << 10,
    FTC_INTERCEPT_SCAN = 1 << 11,
    FTC_INTERCEPT_EXSCAN = 1 << 12,
    FTC_INTERCEPT_NEIGHBOR = 1 << 13,
    FTC_INTERCEPT_NONCOMMUTATIVE = 1 << 14, /* such operations, in the calls that are named */
    FTC_INTERCEPT_IBARRIER = 1 << 15,
    FTC_INTERCEPT_IBCAST = 1 << 16,
    FTC_INTERCEPT_IGATHER = 1 << 17,
    FTC_INTERCEPT_ISCATTER = 1 << 18,
    FTC_INTERCEPT_IALLGATHER = 1 << 19,
    FTC_INTERCEPT_IALLTOALL = 1 << 20,
    FTC_INTERCEPT_IREDUCE_SCATTER = 1 << 21,
    FTC_INTERCEPT_ISCAN = 1 << 22,
    FTC_INTERCEPT_IEXSCAN = 1 << 23,
    FTC_INTERCEPT_WIN_FREE = 1 << 24,
    FTC_INTERCEPT_INEIGHBOR = 1 << 25,
    FTC_INTERCEPT_INTERCOMM = 1 << 26, /* intercommunicators, in the calls that are named */
    FTC_INTERCEPT_ALL = (1 << 27) - 1,
    FTC_INTERCEPT_COLLECTIVES = FTC_INTERCEPT_ALL & ~FTC_INTERCEPT_WIN_FREE,
    FTC_INTERCEPT_NONBLOCKING =
        FTC_INTERCEPT_IREDUCE | FTC_INTERCEPT_IALLREDUCE |
        (FTC_INTERCEPT_COLLECTIVES & -FTC_INTERCEPT_IBARRIER & ~FTC_INTERCEPT_INTERCOMM),
    FTC_INTERCEPT_BLOCKS = /* calls whose values may consist of blocks of all ranks */
    FTC_INTERCEPT_COLLECTIVES & -FTC_INTERCEPT_IREDUCE & ~FTC_INTERCEPT_IBARRIER &
    ~FTC_INTERCEPT_IBCAST,
};

/* Bits of setting tolerate: 1 << enum ftc_death_cause (board/rank_state.h). */
enum {
    FTC_TOLERATE_SIGNAL = 1 << 1,
    FTC_TOLERATE_EXIT = 1 << 2,
    FTC_TOLERATE_SILENCE = 1 << 3,
    FTC_TOLERATE_HOST = 1 << 4,
    FTC_TOLERATE_ALL = 0x1e,
};

struct ftc_correction_setting {
    enum ftc_correction kind;
    int d; /* D of ring:D */
};

/* Positions in the table of options. */
enum {
#define FTC_OPTION(key, kind, min, max, words, preset, doc) FTC_SETTING_##key,
#include "options.def"
#undef FTC_OPTION
    FTC_SETTINGS_COUNT
};

#define FTC_MEMBER_BOOL(key, max)       bool key;
#define FTC_MEMBER_NUMBER(key, max)     int key;
#define FTC_MEMBER_WORD(key, max)       int key;
#define FTC_MEMBER_WORDS(key, max)      int key;
#define FTC_MEMBER_TREE(key, max)       struct ftc_tree_shape key;
#define FTC_MEMBER_CORRECTION(key, max) struct ftc_correction_setting key;
#define FTC_MEMBER_TEXT(key, max)       char key[(max) + 1];
#define FTC_MEMBER_RANKS(key, max)      char key[(max) + 1];

/* Values of all settings. The structure has no pointers, and all its bytes are set, because rank 0
 * broadcasts it to all ranks. */
struct ftc_settings {
#define FTC_OPTION(key, kind, min, max, words, preset, doc) FTC_MEMBER_##kind(key, max)
#include "options.def"
#undef FTC_OPTION
    uint8_t origin[FTC_SETTINGS_COUNT]; /* enum ftc_settings_origin, by position in the table */
};

/* Error message: one line without a line end, which names the error, its place and the allowed
 * values. There is room for a path and 2048 bytes of text. */
struct ftc_settings_error {
    char text[PATH_MAX + 2048];
};

/* Fills @s from the defaults, the file and the environment. Returns 0, or -1 with @error filled; @s
 * must not be used then. A file that is not trusted (settings_table.h) is an error. With
 * FTCOLL_ENABLE=0, nothing else is read, so no other error is reported. In a program with more
 * rights than its user (AT_SECURE), nothing is read and enable is off. Leaves errno and the open
 * files as they were. */
int ftc_settings_load(struct ftc_settings *s, struct ftc_settings_error *error);

/* Sources of the settings, in more detail than the origin of each: the file, the line of each key
 * in it, and the values that follow from protect. */
struct ftc_settings_sources {
    char file[PATH_MAX];                 /* empty: no file was read */
    int line[FTC_SETTINGS_COUNT];        /* by position in the table, from 1; 0: not in the file */
    bool by_protect[FTC_SETTINGS_COUNT]; /* the value follows from protect */
};

/* Loads the settings as ftc_settings_load() does, and fills @sources. After an error, @sources has
 * what was read before it. */
int ftc_settings_load_with_sources(struct ftc_settings *s, struct ftc_settings_sources *sources,
                                   struct ftc_settings_error *error);

/* Reads the settings file at @path into @s, as a file that the user has named, and calls @tell for
 * each wrong line. @text is the error of ftc_settings_load() for that line. Returns the number of
 * wrong lines. Returns -1 if the file cannot be read or is not trusted, after one call of @tell
 * with the reason. */
int ftc_settings_check_file(const char *path, struct ftc_settings *s,
                            struct ftc_settings_sources *sources, void (*tell)(const char *text));

/* Fills @s from the defaults and the @length bytes of a settings file, which errors call "buffer".
 * Reads no file and no environment variable. Returns as ftc_settings_load(). */
int ftc_settings_parse_buffer(const char *text, size_t length, struct ftc_settings *s,
                              struct ftc_settings_error *error);

/* Returns whether @ranks, the value of an option of kind RANKS, names @rank. */
bool ftc_settings_names_rank(const char *ranks, int rank);

/* Returns the highest rank that @ranks names, or -1 if it names none. */
int ftc_settings_highest_rank(const char *ranks);

enum { FTC_SETTINGS_NAME_MAX = 64 };

/* Returns the position in the table of the option with this key, or -1 if there is none. */
int ftc_settings_find(const char *key);

/* Returns the key of @option, its default as text, or its meaning. An option is named by its
 * position in the table. */
const char *ftc_settings_key(int option);
const char *ftc_settings_preset(int option);
const char *ftc_settings_meaning(int option);

/* Writes the name of the option's environment variable to @name, such as FTCOLL_MAX_BYTES, and
 * returns it. */
const char *ftc_settings_variable(int option, char name[FTC_SETTINGS_NAME_MAX]);

/* Returns the allowed values of @option in words, written to @text. */
enum { FTC_SETTINGS_ALLOWED_MAX = 512 };
const char *ftc_settings_allowed(int option, char text[FTC_SETTINGS_ALLOWED_MAX]);

/* Writes the value of @option in @s to @f, in the form that the parser reads. */
void ftc_settings_write(const struct ftc_settings *s, int option, FILE *f);

/* Returns the origin of the value of @option in @s: "default", "file" or "environment". */
const char *ftc_settings_origin_name(const struct ftc_settings *s, int option);

/* Writes all settings to @f, each in a line with its value and origin. */
void ftc_settings_dump(const struct ftc_settings *s, FILE *f);

/* Writes ftcoll.conf.example, which sets each setting to its default. */
void ftc_settings_describe(FILE *f);

/* Writes SETTINGS of ftcoll.conf(5), as source for man(7). */
void ftc_settings_roff(FILE *f);

#endif
