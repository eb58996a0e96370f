#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 1 << 20 };

enum kind { KIND_BOOL, KIND_NUMBER, KIND_WORD, KIND_WORDS, KIND_TREE, KIND_CORRECTION, KIND_PATH };

struct word {
    const char *text;
    int value;
};

static const struct word bool_words[] = {{"on", 1}, {"off", 0},  {"1", 1},     {"0", 0}, {"yes", 1},
                                         {"no", 0}, {"true", 1}, {"false", 0}, {0}};
static const struct word intercept_words[] = {
    {"reduce", FTC_INTERCEPT_REDUCE},
    {"allreduce", FTC_INTERCEPT_ALLREDUCE},
    {"all", FTC_INTERCEPT_REDUCE | FTC_INTERCEPT_ALLREDUCE},
    {0}};
static const struct word algorithm_words[] = {
    {"corrected", FTC_ALGORITHM_CORRECTED}, {"optimistic", FTC_ALGORITHM_OPTIMISTIC}, {0}};
static const struct word failure_info_words[] = {
    {"list", FTC_FAILURE_LIST}, {"count", FTC_FAILURE_COUNT}, {"bit", FTC_FAILURE_BIT}, {0}};
static const struct word monitor_words[] = {{"auto", FTC_MONITOR_AUTO},
                                            {"process", FTC_MONITOR_PROCESS},
                                            {"timeout", FTC_MONITOR_TIMEOUT},
                                            {0}};
static const struct word on_excess_words[] = {
    {"error", FTC_ON_EXCESS_ERROR}, {"abort", FTC_ON_EXCESS_ABORT}, {0}};
static const struct word report_words[] = {{"off", FTC_REPORT_OFF},
                                           {"failures", FTC_REPORT_FAILURES},
                                           {"summary", FTC_REPORT_SUMMARY},
                                           {"full", FTC_REPORT_FULL},
                                           {0}};

struct option {
    const char *key;
    enum kind kind;
    int min, max;
    const struct word *words;
    const char *preset, *allowed, *doc;
    size_t offset;
};

static const struct option options[] = {
#define FTC_OPTION(key, kind, min, max, words, preset, allowed, doc)                               \
    {#key, KIND_##kind, min, max, words, preset, allowed, doc, offsetof(struct ftc_settings, key)},
#include "options.def"
#undef FTC_OPTION
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

/* LogP costs that tree = optimal assumes: those of the paper's figures. */
static const struct ftc_logp default_logp = {.L = 2, .o = 1, .g = 1};

static const struct option *find_option(const char *key)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strcmp(options[i].key, key) == 0)
            return &options[i];
    return NULL;
}

static void *member(struct ftc_settings *s, const struct option *o)
{
    return (char *)s + o->offset;
}

/* ---- values ---- */

static bool parse_number(const char *text, int min, int max, int *value)
{
    char *end;
    long n;

    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    n = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || n < min || n > max)
        return false;
    *value = (int)n;
    return true;
}

static bool parse_word(const struct word *words, const char *text, size_t length, int *value)
{
    for (; words->text; words++)
        if (strlen(words->text) == length && strncmp(words->text, text, length) == 0) {
            *value = words->value;
            return true;
        }
    return false;
}

/* Words separated by commas and blanks; an empty list is no word at all. */
static bool parse_words(const struct word *words, const char *text, int *value)
{
    static const char separators[] = ", \t";
    int sum = 0, one;

    for (text += strspn(text, separators); *text; text += strspn(text, separators)) {
        size_t length = strcspn(text, separators);

        if (!parse_word(words, text, length, &one))
            return false;
        sum |= one;
        text += length;
    }
    *value = sum;
    return sum != 0;
}

/* "name:K" */
static bool parse_parameter(const char *text, const char *name, const struct option *o, int *value)
{
    size_t length = strlen(name);

    return strncmp(text, name, length) == 0 && text[length] == ':' &&
           parse_number(text + length + 1, o->min, o->max, value);
}

static bool parse_tree(const char *text, const struct option *o, struct ftc_tree_shape *shape)
{
    *shape = (struct ftc_tree_shape){.logp = default_logp};
    if (strcmp(text, "binomial") == 0)
        shape->kind = FTC_TREE_BINOMIAL;
    else if (strcmp(text, "optimal") == 0)
        shape->kind = FTC_TREE_OPTIMAL;
    else if (parse_parameter(text, "kary", o, &shape->k))
        shape->kind = FTC_TREE_KARY;
    else if (parse_parameter(text, "lame", o, &shape->k))
        shape->kind = FTC_TREE_LAME;
    else
        return false;
    return true;
}

static bool parse_correction(const char *text, const struct option *o,
                             struct ftc_correction_setting *correction)
{
    *correction = (struct ftc_correction_setting){.kind = FTC_CORRECTION_GROUP};
    if (strcmp(text, "group") == 0)
        return true;
    correction->kind = FTC_CORRECTION_RING;
    return parse_parameter(text, "ring", o, &correction->d);
}

static bool parse_path(const char *text, char *path)
{
    size_t length = strlen(text);

    if (length >= FTC_SETTINGS_PATH_MAX)
        return false;
    memset(path, 0, FTC_SETTINGS_PATH_MAX);
    memcpy(path, text, length);
    return true;
}

static bool set_value(struct ftc_settings *s, const struct option *o, const char *text)
{
    int *number = member(s, o), on;

    switch (o->kind) {
    case KIND_BOOL:
        if (!parse_word(bool_words, text, strlen(text), &on))
            return false;
        *(bool *)member(s, o) = on != 0;
        return true;
    case KIND_NUMBER:
        return parse_number(text, o->min, o->max, number);
    case KIND_WORD:
        return parse_word(o->words, text, strlen(text), number);
    case KIND_WORDS:
        return parse_words(o->words, text, number);
    case KIND_TREE:
        return parse_tree(text, o, member(s, o));
    case KIND_CORRECTION:
        return parse_correction(text, o, member(s, o));
    case KIND_PATH:
        return parse_path(text, member(s, o));
    }
    return false;
}

static void set_defaults(struct ftc_settings *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < OPTION_COUNT; i++)
        set_value(s, &options[i], options[i].preset);
}

/* ---- errors ---- */

__attribute__((format(printf, 2, 3))) static int fail(struct ftc_settings_error *error,
                                                      const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    for (char *c = error->text; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?'; /* one line, whatever was in the file */
    return -1;
}

static int fail_unknown(struct ftc_settings_error *error, const char *where, const char *what)
{
    char known[1024] = "";

    for (int i = 0; i < OPTION_COUNT; i++) {
        size_t used = strlen(known);

        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", options[i].key);
    }
    return fail(error, "%s: unknown setting %.64s; there are: %s", where, what, known);
}

static int fail_value(struct ftc_settings_error *error, const char *where, const struct option *o,
                      const char *value)
{
    return fail(error, "%s: %s = %.64s is not allowed; allowed: %s", where, o->key,
                *value ? value : "(nothing)", o->allowed);
}

/* ---- the file ---- */

struct file_state {
    const char *text;
    size_t length, at;
    int line;
    int seen_at[OPTION_COUNT]; /* line of each key; 0: not yet */
    const char *name;
    bool failed;
    struct ftc_settings *settings;
    struct ftc_settings_error *error;
};

static void where_in(const struct file_state *f, char *where, size_t size)
{
    snprintf(where, size, "%.256s:%d", f->name, f->line);
}

static int fail_line(struct file_state *f, const char *what)
{
    f->failed = true;
    return fail(f->error, "%.256s:%d: %s", f->name, f->line, what);
}

/* Hands inih one line at a time, which must fit its buffer. A leading blank would make a line the
 * continuation of the one before. */
static char *next_line(char *line, int size, void *state)
{
    struct file_state *f = state;
    const char *start, *end;
    size_t length;

    if (f->failed || f->at >= f->length)
        return NULL;
    f->line++;
    start = f->text + f->at;
    end = memchr(start, '\n', f->length - f->at);
    f->at = end ? (size_t)(end - f->text) + 1 : f->length;
    end = end ? end : f->text + f->length;
    while (start < end && (*start == ' ' || *start == '\t'))
        start++;
    length = (size_t)(end - start);
    if (length + 2 > (size_t)size) {
        fail_line(f, "the line is too long");
        return NULL;
    }
    if (memchr(start, '\0', length)) {
        fail_line(f, "the line has a zero byte");
        return NULL;
    }
    memcpy(line, start, length);
    memcpy(line + length, "\n", 2);
    return line;
}

static int take_pair(void *state, const char *section, const char *key, const char *value)
{
    struct file_state *f = state;
    const struct option *o = find_option(key);
    char where[300];

    where_in(f, where, sizeof where);
    f->failed = true;
    if (section[0] != '\0' && strcmp(section, "ftcoll") != 0)
        return fail(f->error, "%s: unknown section [%.64s]; there is only [ftcoll]", where,
                    section),
               0;
    if (!o)
        return fail_unknown(f->error, where, key), 0;
    if (f->seen_at[o - options] > 0)
        return fail(f->error, "%s: %s has been set in line %d already", where, key,
                    f->seen_at[o - options]),
               0;
    if (!set_value(f->settings, o, value))
        return fail_value(f->error, where, o, value), 0;
    f->failed = false;
    f->seen_at[o - options] = f->line;
    return 1;
}

static int parse_text(const char *text, size_t length, const char *name, struct ftc_settings *s,
                      struct ftc_settings_error *error)
{
    struct file_state f = {
        .text = text, .length = length, .name = name, .settings = s, .error = error};
    int rv = ini_parse_stream(next_line, &f, take_pair, &f);

    if (f.failed)
        return -1;
    if (rv > 0)
        return fail(error, "%.256s:%d: neither a comment nor \"key = value\"", name, rv);
    return rv == 0 ? 0 : fail(error, "%.256s: no memory to read it", name);
}

int ftc_settings_parse(const char *text, size_t length, const char *name, struct ftc_settings *s,
                       struct ftc_settings_error *error)
{
    set_defaults(s);
    return parse_text(text, length, name, s, error);
}

/* Reads all of @fd into memory that the caller frees; NULL with errno set. */
static char *read_all(int fd, size_t *length)
{
    char *text = malloc(FILE_BYTES_MAX + 1);
    ssize_t got = 1;

    *length = 0;
    while (text && got > 0) {
        got = read(fd, text + *length, FILE_BYTES_MAX + 1 - *length);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            *length += (size_t)got;
        if (*length > FILE_BYTES_MAX) {
            errno = EFBIG;
            got = -1;
        }
    }
    if (text && got < 0) {
        free(text);
        return NULL;
    }
    return text;
}

static int read_file(const char *path, bool must_exist, bool *found, struct ftc_settings *s,
                     struct ftc_settings_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rv;
    size_t length;
    char *text;

    *found = fd >= 0;
    if (fd < 0 && !must_exist && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (fd < 0)
        return fail(error, "%.256s: cannot be read: %s", path, strerror(errno));
    text = read_all(fd, &length);
    if (!text) {
        rv = fail(error, "%.256s: cannot be read: %s", path, strerror(errno));
    } else {
        rv = parse_text(text, length, path, s, error);
        free(text);
    }
    close(fd);
    return rv;
}

static int read_first_file(struct ftc_settings *s, struct ftc_settings_error *error)
{
    const char *named = getenv("FTCOLL_CONFIG"), *xdg = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    char user[FTC_SETTINGS_PATH_MAX] = "";
    const char *const paths[] = {"./ftcoll.conf", user, "/etc/ftcoll.conf"};
    bool found = false;

    if (named && *named)
        return read_file(named, true, &found, s, error);
    if (xdg && *xdg)
        snprintf(user, sizeof user, "%s/ftcoll.conf", xdg);
    else if (home && *home)
        snprintf(user, sizeof user, "%s/.config/ftcoll.conf", home);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (paths[i][0] == '\0')
            continue;
        if (read_file(paths[i], false, &found, s, error) != 0)
            return -1;
        if (found)
            break;
    }
    return 0;
}

/* ---- the environment ---- */

extern char **environ;

/* FTCOLL_MAX_BYTES is max_bytes. */
static const struct option *option_of_variable(const char *name, size_t length)
{
    char key[64];

    if (length >= sizeof key)
        return NULL;
    for (size_t i = 0; i < length; i++)
        key[i] = (char)tolower((unsigned char)name[i]);
    key[length] = '\0';
    return find_option(key);
}

static int take_variable(struct ftc_settings *s, const char *variable,
                         struct ftc_settings_error *error)
{
    const char *name = variable + strlen("FTCOLL_"), *equals = strchr(variable, '=');
    const struct option *o = option_of_variable(name, (size_t)(equals - name));
    char where[128];

    snprintf(where, sizeof where, "environment variable %.*s",
             (int)(equals - variable < 100 ? equals - variable : 100), variable);
    if (!o)
        return fail_unknown(error, where, "");
    return set_value(s, o, equals + 1) ? 0 : fail_value(error, where, o, equals + 1);
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int read_environment(struct ftc_settings *s, struct ftc_settings_error *error)
{
    for (char **v = environ; v && *v; v++) {
        if (!starts_with(*v, "FTCOLL_") || !strchr(*v, '=') || starts_with(*v, "FTCOLL_CONFIG=") ||
            starts_with(*v, "FTCOLL_INTERNAL_"))
            continue;
        if (take_variable(s, *v, error) != 0)
            return -1;
    }
    return 0;
}

/* Off means off, even when everything else is broken. */
static bool is_switched_off(struct ftc_settings *s)
{
    const char *enable = getenv("FTCOLL_ENABLE");

    return enable && set_value(s, find_option("enable"), enable) && !s->enable;
}

int ftc_settings_load(struct ftc_settings *s, struct ftc_settings_error *error)
{
    int saved = errno, rv = 0;

    set_defaults(s);
    if (!is_switched_off(s)) {
        rv = read_first_file(s, error);
        if (rv == 0)
            rv = read_environment(s, error);
    }
    errno = saved;
    return rv;
}

/* ---- descriptions ---- */

static void write_words(const struct option *o, int value, FILE *f)
{
    const char *separator = "";

    for (const struct word *w = o->words; w->text; w++) {
        if (o->kind == KIND_WORD ? w->value != value : (w->value & ~value) != 0)
            continue;
        if (o->kind == KIND_WORDS && strcmp(w->text, "all") == 0)
            continue;
        fprintf(f, "%s%s", separator, w->text);
        separator = ",";
    }
}

static void write_value(const struct ftc_settings *s, const struct option *o, FILE *f)
{
    static const char *const shapes[] = {"binomial", "kary", "lame", "optimal"};
    const void *p = (const char *)s + o->offset;
    const struct ftc_tree_shape *shape = p;
    const struct ftc_correction_setting *correction = p;

    switch (o->kind) {
    case KIND_BOOL:
        fputs(*(const bool *)p ? "on" : "off", f);
        break;
    case KIND_NUMBER:
        fprintf(f, "%d", *(const int *)p);
        break;
    case KIND_WORD:
    case KIND_WORDS:
        write_words(o, *(const int *)p, f);
        break;
    case KIND_TREE:
        fputs(shapes[shape->kind], f);
        if (shape->k > 0)
            fprintf(f, ":%d", shape->k);
        break;
    case KIND_CORRECTION:
        if (correction->kind == FTC_CORRECTION_RING)
            fprintf(f, "ring:%d", correction->d);
        else
            fputs("group", f);
        break;
    case KIND_PATH:
        fputs(p, f);
        break;
    }
}

void ftc_settings_dump(const struct ftc_settings *s, FILE *f)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        fprintf(f, "ftcoll: setting %s = ", options[i].key);
        write_value(s, &options[i], f);
        fputc('\n', f);
    }
}

void ftc_settings_write_example(FILE *f)
{
    fputs(
        "# ftcoll.conf: settings of ftcoll. All lines are optional; shown are the defaults.\n"
        "# An environment variable FTCOLL_<KEY>, such as FTCOLL_MAX_BYTES, wins over this file.\n\n"
        "[ftcoll]\n",
        f);
    for (int i = 0; i < OPTION_COUNT; i++)
        fprintf(f, "\n# %s\n# allowed: %s\n%s = %s\n", options[i].doc, options[i].allowed,
                options[i].key, options[i].preset);
}

void ftc_settings_write_list(FILE *f)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        fprintf(f, "    %-20s %s\n    %20s (default: %s; allowed: %s)\n", options[i].key,
                options[i].doc, "", options[i].preset[0] ? options[i].preset : "none",
                options[i].allowed);
}
