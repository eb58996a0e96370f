/* Settings file. inih parses the lines. Before inih gets a line, this file refuses errors that inih
 * would not report: unknown sections without keys, text after the header of a section, lines that
 * inih would cut, and zero bytes. */
#include "settings_table.h"

#include <assert.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILE_BYTES_MAX = 1 << 20,
    LINE_BYTES_MAX = 4096, /* bytes of a line without its end; enough for the longest path */
    QUOTED_BYTES_MAX = 64, /* bytes of a line that errors quote */
};

struct reader {
    const char *name; /* name of the file in errors */
    const char *next, *end;
    const char *line; /* line that inih is at, without blanks around it */
    size_t line_bytes;
    int line_number;
    bool failed;        /* error is filled */
    bool is_own;        /* the file is the user's own, so errors may quote it */
    bool is_restricted; /* the file must not set crash or name files to write to */
    struct ftc_settings *settings;
    struct ftc_settings_sources *sources; /* line 0: the key has not been set yet */
    struct ftc_settings_error *error;
};

/* Writes "name:line" to @text and returns it. */
static const char *where(const struct reader *r, char text[PATH_MAX + 16])
{
    snprintf(text, PATH_MAX + 16, "%.*s:%d", PATH_MAX - 1, r->name, r->line_number);
    return text;
}

__attribute__((format(printf, 2, 3))) static int fail(struct reader *r, const char *format, ...)
{
    char what[2048], place[PATH_MAX + 16];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    r->failed = true;
    return ftc_settings_fail(r->error, "%s: %s", where(r, place), what);
}

static int fail_quoting_line(struct reader *r, const char *what)
{
    bool cut = r->line_bytes > QUOTED_BYTES_MAX;

    if (!r->is_own)
        return fail(r, "the line %s", what);
    return fail(r, "\"%.*s%s\" %s", cut ? QUOTED_BYTES_MAX : (int)r->line_bytes, r->line,
                cut ? "..." : "", what);
}

/* ---- lines ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Moves to the next line, without blanks at both ends. Returns false at the end of the file. */
static bool advance(struct reader *r)
{
    const char *end;

    if (r->next == r->end)
        return false;
    r->line_number++;
    r->line = r->next;
    end = memchr(r->next, '\n', (size_t)(r->end - r->next));
    r->next = end ? end + 1 : r->end;
    end = end ? end : r->end;
    while (r->line < end && is_blank(*r->line))
        r->line++;
    while (r->line < end && is_blank(end[-1]))
        end--;
    r->line_bytes = (size_t)(end - r->line);
    return true;
}

/* Returns whether the line is "[ftcoll]", perhaps with a comment after it. inih does not report a
 * section without keys, and ignores text after the bracket. */
static bool is_allowed_header(const char *line, size_t length)
{
    static const char header[] = "[ftcoll]";
    size_t at = sizeof header - 1;

    if (length < at || memcmp(line, header, at) != 0)
        return false;
    while (at < length && is_blank(line[at]))
        at++;
    return at == length || (at >= sizeof header && line[at] == ';');
}

static int check_line(struct reader *r, int bytes_max)
{
    if (r->line_bytes > (size_t)bytes_max)
        return fail(r, "the line is longer than %d bytes", bytes_max);
    if (memchr(r->line, '\0', r->line_bytes))
        return fail(r, "the line has a zero byte");
    if (r->line_bytes > 0 && r->line[0] == '[' && !is_allowed_header(r->line, r->line_bytes))
        return fail_quoting_line(r, "is not allowed; the only section is [ftcoll]");
    return 0;
}

/* Passes the next line to inih. Returns NULL to end inih's work: at the end of the file or after an
 * error. */
static char *next_line(char *line, int size, void *state)
{
    struct reader *r = state;

    if (!advance(r) || check_line(r, size - 2 /* the line's end and a zero */) != 0)
        return NULL;
    memcpy(line, r->line, r->line_bytes);
    memcpy(line + r->line_bytes, "\n", 2);
    return line;
}

/* ---- pairs ---- */

static int fail_key(struct reader *r, const char *key)
{
    const char *near = ftc_settings_nearest(key, strlen(key), NULL);
    char text[FTC_SETTINGS_SUGGESTION_MAX];

    if (!r->is_own)
        return fail(r, "unknown key; %s", FTC_SETTINGS_ALL);
    return fail(r, "unknown key \"%.*s%s\"; %s", QUOTED_BYTES_MAX, key,
                strlen(key) > QUOTED_BYTES_MAX ? "..." : "", ftc_settings_suggest(near, text));
}

static bool kills_or_writes(int option)
{
    return option == FTC_SETTING_crash || option == FTC_SETTING_report_file ||
           option == FTC_SETTING_record_file || option == FTC_SETTING_trace_file;
}

static int take_pair(struct reader *r, const char *key, const char *value)
{
    int option = ftc_settings_find(key);
    char place[PATH_MAX + 16];

    if (option < 0)
        return fail_key(r, key);
    if (r->sources->line[option] > 0)
        return fail(r, "%s has been set in line %d already", key, r->sources->line[option]);
    if (r->is_restricted && kills_or_writes(option) && value[0] != '\0')
        return fail(r,
                    "%s is not allowed here: in the working directory it needs a file of your own "
                    "without a second name (hard link)",
                    key);
    if (!ftc_settings_set(r->settings, option, value, FTC_ORIGIN_FILE))
        return ftc_settings_fail_value(r->error, where(r, place), key, r->is_own ? value : NULL,
                                       option);
    r->sources->line[option] = r->line_number;
    return 0;
}

/* Takes a pair from inih. Returns 0 to end inih's work after an error. The section has been checked
 * with its header. */
static int handle_pair(void *state, const char *section, const char *key, const char *value)
{
    struct reader *r = state;

    (void)section;
    r->failed = take_pair(r, key, value) != 0;
    return !r->failed;
}

/* Sets inih's build options, which are variables in Debian's inih. Their defaults would cut a long
 * path, and would append an indented line to the value before it. inih is linked statically, so
 * this changes only the library's own copy. */
static void set_up_inih(void)
{
    ini_max_line = LINE_BYTES_MAX + 2;
    ini_allow_multiline = false;
    ini_stop_on_first_error = true;
}

static int parse(struct reader *r, const char *text, size_t length)
{
    static const char bom[] = "\xEF\xBB\xBF";
    size_t skipped = length >= 3 && memcmp(text, bom, 3) == 0 ? 3 : 0;

    r->next = text + skipped;
    r->end = text + length;
    set_up_inih();
    if (ini_parse_stream(next_line, r, handle_pair, r) != 0 && !r->failed)
        fail_quoting_line(r, "is neither a comment nor \"key = value\"");
    return r->failed ? -1 : 0;
}

int ftc_settings_parse_buffer(const char *text, size_t length, struct ftc_settings *s,
                              struct ftc_settings_error *error)
{
    struct ftc_settings_sources sources = {0};
    struct reader r = {
        .name = "buffer", .is_own = true, .settings = s, .sources = &sources, .error = error};
    int rv;

    ftc_settings_set_defaults(s);
    rv = parse(&r, text, length);
    ftc_settings_expand(s, &sources);
    return rv;
}

/* ---- files ---- */

/* Returns the contents of @fd, which the caller frees, or NULL with errno set. */
static char *read_all(int fd, size_t *length)
{
    char *text = malloc(FILE_BYTES_MAX + 1);
    ssize_t got = 1;

    *length = 0;
    while (text && got != 0) {
        got = read(fd, text + *length, FILE_BYTES_MAX + 1 - *length);
        if (got > 0)
            *length += (size_t)got;
        if (*length > FILE_BYTES_MAX)
            errno = EFBIG;
        else if (got >= 0 || errno == EINTR)
            continue;
        free(text);
        text = NULL;
    }
    return text;
}

static int fail_file(struct ftc_settings_error *error, const char *path, const char *why)
{
    return ftc_settings_fail(error, "%.*s: cannot be read: %s", PATH_MAX - 1, path, why);
}

static int read_open_file(int fd, struct reader *r)
{
    size_t length;
    char *text = read_all(fd, &length);
    int rv;

    if (!text)
        return fail_file(r->error, r->name, strerror(errno));
    rv = parse(r, text, length);
    free(text);
    return rv;
}

static int refuse(const char *path, enum ftc_settings_place place, const char *why,
                  struct ftc_settings_error *error)
{
    return ftc_settings_fail(
        error, "%.*s: not trusted: %s%s", PATH_MAX - 1, path, why,
        place == FTC_PLACE_NAMED ? "" : "; FTCOLL_CONFIG names another file, or /dev/null");
}

/* Returns whether there is a file or link at @path. A link may lead nowhere. Returns false if this
 * process may not search a directory of the path. */
static bool exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

/* Opens the file of @r and returns whether it is to be read. If not, *@rv becomes 0 if the file
 * does not exist and need not exist, or -1 with the error filled. */
static bool open_file(struct reader *r, enum ftc_settings_place place,
                      struct ftc_settings_file *file, int *rv)
{
    *rv = ftc_settings_open(r->name, place == FTC_PLACE_NAMED, file);
    if (file->why[0] != '\0')
        *rv = refuse(r->name, place, file->why, r->error);
    else if (*rv != 0 && place != FTC_PLACE_NAMED && !exists(r->name))
        *rv = 0;
    else if (*rv != 0)
        *rv = fail_file(r->error, r->name, strerror(-*rv));
    if (file->fd < 0)
        return false;
    snprintf(r->sources->file, sizeof r->sources->file, "%s", r->name);
    r->is_own = file->is_own;
    r->is_restricted = place == FTC_PLACE_WORKING_DIRECTORY && !file->is_own;
    return true;
}

int ftc_settings_read_file(const char *path, enum ftc_settings_place place, struct ftc_settings *s,
                           struct ftc_settings_sources *sources, struct ftc_settings_error *error)
{
    struct ftc_settings_file file;
    struct reader r = {.name = path, .settings = s, .sources = sources, .error = error};
    int rv;

    if (open_file(&r, place, &file, &rv)) {
        rv = read_open_file(file.fd, &r);
        close(file.fd);
    }
    return rv;
}

/* ---- all wrong lines ---- */

/* Parses @text again from the start. The caller has overwritten the wrong lines with blanks. */
static int parse_again(struct reader *r, const char *text, size_t length)
{
    ftc_settings_set_defaults(r->settings);
    memset(r->sources->line, 0, sizeof r->sources->line);
    r->failed = false;
    r->line_number = 0;
    return parse(r, text, length);
}

static int report_each_line(struct reader *r, char *text, size_t length,
                            void (*tell)(const char *text))
{
    int wrong = 0;

    for (; parse_again(r, text, length) != 0; wrong++) {
        tell(r->error->text);
        assert(r->line_bytes > 0);
        memset(text + (r->line - text), ' ', r->line_bytes);
    }
    return wrong;
}

int ftc_settings_check_file(const char *path, struct ftc_settings *s,
                            struct ftc_settings_sources *sources, void (*tell)(const char *text))
{
    struct ftc_settings_error error = {0};
    struct ftc_settings_file file;
    struct reader r = {.name = path, .settings = s, .sources = sources, .error = &error};
    size_t length;
    char *text = NULL;
    int rv;

    *sources = (struct ftc_settings_sources){0};
    if (open_file(&r, FTC_PLACE_NAMED, &file, &rv)) {
        text = read_all(file.fd, &length);
        rv = text ? 0 : fail_file(&error, path, strerror(errno));
        close(file.fd);
    }
    if (text) {
        rv = report_each_line(&r, text, length, tell);
        ftc_settings_expand(s, sources);
    } else {
        tell(error.text);
    }
    free(text);
    return rv;
}
