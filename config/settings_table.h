/* Functions that the files of the settings share. An option is named by its position in the table
 * (options.def). */
#ifndef FTC_CONFIG_SETTINGS_TABLE_H
#define FTC_CONFIG_SETTINGS_TABLE_H

#include "settings.h"

/* ---- settings_table.c ---- */

/* Sets @option to @text. Returns false and changes nothing if the table does not allow @text. */
bool ftc_settings_set(struct ftc_settings *s, int option, const char *text,
                      enum ftc_settings_origin origin);

void ftc_settings_set_defaults(struct ftc_settings *s);

/* Gives the settings that protect = all stands for their values. Must be called after all settings
 * have been read. A setting keeps its value if it was set in the same place as protect, or in the
 * environment while protect was set in a file. Each other one gets the origin of protect and is
 * marked in @sources. */
void ftc_settings_expand(struct ftc_settings *s, struct ftc_settings_sources *sources);

/* Fills @error with the formatted message and returns -1. Bytes that would break the line or
 * command a terminal become '?'. */
__attribute__((format(printf, 2, 3))) int ftc_settings_fail(struct ftc_settings_error *error,
                                                            const char *format, ...);

/* Part of a message that says where all names are listed. */
#define FTC_SETTINGS_ALL "'ftcoll info --all' shows them"

/* Returns "did you mean @near?", written to @text, or FTC_SETTINGS_ALL if @near is NULL. */
enum { FTC_SETTINGS_SUGGESTION_MAX = FTC_SETTINGS_NAME_MAX + 16 };
const char *ftc_settings_suggest(const char *near, char text[FTC_SETTINGS_SUGGESTION_MAX]);

/* Returns the key that is most like @name, which has @bytes bytes. @other is a further key; NULL:
 * none. Returns NULL if no key is like @name: at most a third of the characters may differ. Ignores
 * a prefix FTCOLL_ of @name. */
const char *ftc_settings_nearest(const char *name, size_t bytes, const char *other);

/* Fills @error with "@where: @name = "@value" is not allowed; allowed: ..." and returns -1. Cuts a
 * long @value, and leaves it out if it is NULL. */
int ftc_settings_fail_value(struct ftc_settings_error *error, const char *where, const char *name,
                            const char *value, int option);

/* ---- settings_open.c ---- */

struct ftc_settings_file {
    int fd;       /* -1: not open */
    bool is_own;  /* the file belongs to this user, and has no other hard link */
    char why[96]; /* reason why the file is not trusted; empty: it is trusted */
};

/* Opens the settings file at @path if it is trusted. A settings file can end ranks and name files
 * to write to, and errors quote its text. It must therefore be a regular file of this user or root
 * that no other user may write to. Each link on the way to it must belong to this user or root as
 * well, because the link of another user could lead to a file whose text must not be shown.
 * Directories in the path, and links among them, are not checked: the file that they lead to is. If
 * the user has @named the path, it may also be a device such as /dev/null.
 *
 * Returns 0 with the file open, or with file->why filled if it is not trusted. Returns a negative
 * errno if the file cannot be opened and no check has failed. Never waits, and never makes a
 * terminal the controlling terminal of the program. */
int ftc_settings_open(const char *path, bool named, struct ftc_settings_file *file);

/* ---- settings_file.c ---- */

enum ftc_settings_place {
    FTC_PLACE_NAMED, /* named by the user: a missing file is an error */
    FTC_PLACE_WORKING_DIRECTORY,
    FTC_PLACE_OTHER,
};

/* Reads the file at @path into @s, if it exists, and names it in @sources. A file that is not
 * trusted is an error, as is a wrong line. If the file is not the user's own (is_own above), errors
 * quote no text of it. In the working directory such a file must not set crash, report_file,
 * record_file or trace_file. Returns 0, or -1 with @error filled. */
int ftc_settings_read_file(const char *path, enum ftc_settings_place place, struct ftc_settings *s,
                           struct ftc_settings_sources *sources, struct ftc_settings_error *error);

/* ---- settings_load.c ---- */

/* Path of the settings file of the whole machine; unit tests replace it. */
extern const char *ftc_settings_system_path;

#endif
