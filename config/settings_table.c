/* Table of options: conversion of values from and to text, errors that name the allowed values, and
 * descriptions. settings_load.c and settings_file.c read the text. */
#include "settings_table.h"

#include "system/control.h"

#include "value/kernels.h"

#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind {
    KIND_BOOL,
    KIND_NUMBER,
    KIND_WORD,
    KIND_WORDS,
    KIND_TREE,
    KIND_CORRECTION,
    KIND_TEXT,
    KIND_RANKS
};

enum {
    SHOWN_BYTES_MAX = 64, /* bytes of a wrong value that an error shows */
    ALLOWED_BYTES_MAX = FTC_SETTINGS_ALLOWED_MAX,
    HINT_BYTES_MAX = 64,
};

struct word {
    const char *text;
    int value;
    char parameter; /* 'K' for "text:K" */
};

static const struct word bool_words[] = {{"on", 1, 0},   {"off", 0, 0},   {"1", 1, 0},
                                         {"0", 0, 0},    {"yes", 1, 0},   {"no", 0, 0},
                                         {"true", 1, 0}, {"false", 0, 0}, {0}};
static const struct word intercept_words[] = {{"reduce", FTC_INTERCEPT_REDUCE, 0},
                                              {"allreduce", FTC_INTERCEPT_ALLREDUCE, 0},
                                              {"barrier", FTC_INTERCEPT_BARRIER, 0},
                                              {"bcast", FTC_INTERCEPT_BCAST, 0},
                                              {"ireduce", FTC_INTERCEPT_IREDUCE, 0},
                                              {"iallreduce", FTC_INTERCEPT_IALLREDUCE, 0},
                                              {"gather", FTC_INTERCEPT_GATHER, 0},
                                              {"scatter", FTC_INTERCEPT_SCATTER, 0},
                                              {"allgather", FTC_INTERCEPT_ALLGATHER, 0},
                                              {"alltoall", FTC_INTERCEPT_ALLTOALL, 0},
                                              {"reduce_scatter", FTC_INTERCEPT_REDUCE_SCATTER, 0},
                                              {"scan", FTC_INTERCEPT_SCAN, 0},
                                              {"exscan", FTC_INTERCEPT_EXSCAN, 0},
                                              {"neighbor", FTC_INTERCEPT_NEIGHBOR, 0},
                                              {"noncommutative", FTC_INTERCEPT_NONCOMMUTATIVE, 0},
                                              {"intercommunicators", FTC_INTERCEPT_INTERCOMM, 0},
                                              {"ibarrier", FTC_INTERCEPT_IBARRIER, 0},
                                              {"ibcast", FTC_INTERCEPT_IBCAST, 0},
                                              {"igather", FTC_INTERCEPT_IGATHER, 0},
                                              {"iscatter", FTC_INTERCEPT_ISCATTER, 0},
                                              {"iallgather", FTC_INTERCEPT_IALLGATHER, 0},
                                              {"ialltoall", FTC_INTERCEPT_IALLTOALL, 0},
                                              {"ireduce_scatter", FTC_INTERCEPT_IREDUCE_SCATTER, 0},
                                              {"iscan", FTC_INTERCEPT_ISCAN, 0},
                                              {"iexscan", FTC_INTERCEPT_IEXSCAN, 0},
                                              {"ineighbor", FTC_INTERCEPT_INEIGHBOR, 0},
                                              {"win_free", FTC_INTERCEPT_WIN_FREE, 0},
                                              {"all", FTC_INTERCEPT_ALL, 0},
                                              {0}};
static const struct word protect_words[] = {
    {"reductions", FTC_PROTECT_REDUCTIONS, 0}, {"all", FTC_PROTECT_ALL, 0}, {0}};
static const struct word dead_blocks_words[] = {
    {"keep", FTC_DEAD_BLOCKS_KEEP, 0}, {"zero", FTC_DEAD_BLOCKS_ZERO, 0}, {0}};
static const struct word algorithm_words[] = {
    {"corrected", FTC_ALGORITHM_CORRECTED, 0}, {"optimistic", FTC_ALGORITHM_OPTIMISTIC, 0}, {0}};
static const struct word tree_words[] = {{"binomial", FTC_TREE_BINOMIAL, 0},
                                         {"kary", FTC_TREE_KARY, 'K'},
                                         {"lame", FTC_TREE_LAME, 'K'},
                                         {"optimal", FTC_TREE_OPTIMAL, 0},
                                         {0}};
static const struct word correction_words[] = {
    {"group", FTC_CORRECTION_GROUP, 0}, {"ring", FTC_CORRECTION_RING, 'D'}, {0}};
static const struct word failure_info_words[] = {{"list", FTC_FAILURE_LIST, 0},
                                                 {"count", FTC_FAILURE_COUNT, 0},
                                                 {"bit", FTC_FAILURE_BIT, 0},
                                                 {0}};
static const struct word monitor_words[] = {{"auto", FTC_MONITOR_AUTO, 0},
                                            {"process", FTC_MONITOR_PROCESS, 0},
                                            {"timeout", FTC_MONITOR_TIMEOUT, 0},
                                            {0}};
static const struct word link_words[] = {
    {"auto", FTC_LINK_AUTO, 0}, {"tcp", FTC_LINK_TCP, 0}, {"ucx", FTC_LINK_UCX, 0}, {0}};
static const struct word failure_domain_words[] = {
    {"rank", FTC_FAILURE_DOMAIN_RANK, 0}, {"host", FTC_FAILURE_DOMAIN_HOST, 0}, {0}};
static const struct word on_excess_words[] = {
    {"error", FTC_ON_EXCESS_ERROR, 0}, {"abort", FTC_ON_EXCESS_ABORT, 0}, {0}};
static const struct word tolerate_words[] = {{"signal", FTC_TOLERATE_SIGNAL, 0},
                                             {"exit", FTC_TOLERATE_EXIT, 0},
                                             {"host", FTC_TOLERATE_HOST, 0},
                                             {"silence", FTC_TOLERATE_SILENCE, 0},
                                             {0}};
static const struct word require_all_words[] = {{"none", 0, 0},
                                                {"sum", 1 << FTC_OPERATOR_SUM, 0},
                                                {"prod", 1 << FTC_OPERATOR_PROD, 0},
                                                {"min", 1 << FTC_OPERATOR_MIN, 0},
                                                {"max", 1 << FTC_OPERATOR_MAX, 0},
                                                {"land", 1 << FTC_OPERATOR_LAND, 0},
                                                {"lor", 1 << FTC_OPERATOR_LOR, 0},
                                                {"lxor", 1 << FTC_OPERATOR_LXOR, 0},
                                                {"band", 1 << FTC_OPERATOR_BAND, 0},
                                                {"bor", 1 << FTC_OPERATOR_BOR, 0},
                                                {"bxor", 1 << FTC_OPERATOR_BXOR, 0},
                                                {"minloc", 1 << FTC_OPERATOR_MINLOC, 0},
                                                {"maxloc", 1 << FTC_OPERATOR_MAXLOC, 0},
                                                {"user", 1 << FTC_OPERATOR_OTHER, 0},
                                                {"all", (2 << FTC_OPERATOR_OTHER) - 1, 0},
                                                {0}};
static const struct word on_dead_root_words[] = {
    {"error", FTC_ON_DEAD_ROOT_ERROR, 0}, {"keep", FTC_ON_DEAD_ROOT_KEEP, 0}, {0}};
static const struct word large_words[] = {
    {"native", FTC_LARGE_NATIVE, 0}, {"protected", FTC_LARGE_PROTECTED, 0}, {0}};
static const struct word p2p_words[] = {
    {"native", FTC_P2P_NATIVE, 0}, {"error", FTC_P2P_ERROR, 0}, {"ignore", FTC_P2P_IGNORE, 0}, {0}};
static const struct word device_buffers_words[] = {
    {"auto", FTC_DEVICE_BUFFERS_AUTO, 0}, {"none", FTC_DEVICE_BUFFERS_NONE, 0}, {0}};
static const struct word communicators_words[] = {{"native", FTC_COMMUNICATORS_NATIVE, 0},
                                                  {"survivors", FTC_COMMUNICATORS_SURVIVORS, 0},
                                                  {"places", FTC_COMMUNICATORS_PLACES, 0},
                                                  {0}};
static const struct word yield_words[] = {
    {"auto", FTC_YIELD_AUTO, 0}, {"on", FTC_YIELD_ON, 0}, {"off", FTC_YIELD_OFF, 0}, {0}};
static const struct word on_blocked_words[] = {{"off", FTC_ON_BLOCKED_OFF, 0},
                                               {"warn", FTC_ON_BLOCKED_WARN, 0},
                                               {"abort", FTC_ON_BLOCKED_ABORT, 0},
                                               {0}};
static const struct word report_words[] = {
    {"off", FTC_REPORT_OFF, 0},         {"failures", FTC_REPORT_FAILURES, 0},
    {"summary", FTC_REPORT_SUMMARY, 0}, {"coverage", FTC_REPORT_COVERAGE, 0},
    {"full", FTC_REPORT_FULL, 0},       {0}};
static const struct word report_format_words[] = {
    {"text", FTC_REPORT_FORMAT_TEXT, 0}, {"json", FTC_REPORT_FORMAT_JSON, 0}, {0}};

struct option {
    const char *key;
    enum kind kind;
    int min, max;
    const struct word *words;
    const char *preset, *doc;
    size_t offset;
};

static const struct option options[FTC_SETTINGS_COUNT] = {
#define FTC_OPTION(key, kind, min, max, words, preset, doc)                                        \
    {#key, KIND_##kind, min, max, words, preset, doc, offsetof(struct ftc_settings, key)},
#include "options.def"
#undef FTC_OPTION
};

/* LogP costs that tree = optimal assumes: those of the paper's figures. */
static const struct ftc_logp default_logp = {.L = 2, .o = 1, .g = 1};

const char *ftc_settings_key(int option)
{
    return options[option].key;
}

const char *ftc_settings_preset(int option)
{
    return options[option].preset;
}

const char *ftc_settings_meaning(int option)
{
    return options[option].doc;
}

int ftc_settings_find(const char *key)
{
    for (int i = 0; i < FTC_SETTINGS_COUNT; i++)
        if (strcmp(options[i].key, key) == 0)
            return i;
    return -1;
}

/* ---- suggestions for misspelt names ---- */

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Returns how many characters must be inserted, deleted or replaced to make @b from @a
 * (Levenshtein's distance). Upper and lower case are alike in @a; @b must be in lower case. */
static int distance(const char *a, size_t a_bytes, const char *b)
{
    int row[FTC_SETTINGS_NAME_MAX];

    for (int j = 0; j == 0 || b[j - 1]; j++)
        row[j] = j;
    for (size_t i = 0; i < a_bytes; i++) {
        int diagonal = row[0]++;

        for (int j = 1; b[j - 1]; j++) {
            int replaced = diagonal + (tolower((unsigned char)a[i]) != b[j - 1]);

            diagonal = row[j];
            row[j] = least(replaced, 1 + least(row[j], row[j - 1]));
        }
    }
    return row[strlen(b)];
}

const char *ftc_settings_nearest(const char *name, size_t bytes, const char *other)
{
    static const char prefix[] = "FTCOLL_"; /* prefix of environment variables */
    const char *nearest = NULL;
    int most;

    if (bytes >= sizeof prefix && strncasecmp(name, prefix, sizeof prefix - 1) == 0) {
        name += sizeof prefix - 1;
        bytes -= sizeof prefix - 1;
    }
    most = (int)(bytes + 1) / 3;

    for (int i = 0; i <= FTC_SETTINGS_COUNT && bytes < FTC_SETTINGS_NAME_MAX; i++) {
        const char *key = i < FTC_SETTINGS_COUNT ? options[i].key : other;
        int found = key ? distance(name, bytes, key) : most + 1;

        if (found <= most) {
            nearest = key;
            most = found - 1;
        }
    }
    return nearest;
}

const char *ftc_settings_suggest(const char *near, char text[FTC_SETTINGS_SUGGESTION_MAX])
{
    if (!near)
        return FTC_SETTINGS_ALL;
    snprintf(text, FTC_SETTINGS_SUGGESTION_MAX, "did you mean %s?", near);
    return text;
}

/* ---- text to value ---- */

static bool parse_number(const char *text, int min, int max, int *value)
{
    long n = 0;

    if (*text == '\0')
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        n = n * 10 + (*text - '0');
        if (n > max)
            return false;
    }
    *value = (int)n;
    return n >= min;
}

static const struct word *find_word(const struct word *words, const char *text, size_t length)
{
    for (; words->text; words++)
        if (strlen(words->text) == length && strncasecmp(words->text, text, length) == 0)
            return words;
    return NULL;
}

/* Parses "word" or "word:parameter". *@parameter becomes 0 for a word that takes none. */
static bool parse_word(const struct option *o, const char *text, int *value, int *parameter)
{
    size_t length = strcspn(text, ":");
    const struct word *w = find_word(o->words, text, length);

    *parameter = 0;
    if (!w || (w->parameter != '\0') != (text[length] == ':'))
        return false;
    *value = w->value;
    return !w->parameter || parse_number(text + length + 1, o->min, o->max, parameter);
}

/* Parses words with commas between them and blanks around them. *@mask gets the union of their
 * bits. */
static bool parse_words(const struct option *o, const char *text, int *mask)
{
    static const char blanks[] = " \t";
    int sum = 0;

    for (bool more = true; more; text++) {
        const struct word *w;
        size_t length;

        text += strspn(text, blanks);
        length = strcspn(text, ", \t");
        w = find_word(o->words, text, length);
        if (!w)
            return false;
        sum |= w->value;
        text += length;
        text += strspn(text, blanks);
        if (*text != ',' && *text != '\0')
            return false;
        more = *text == ',';
    }
    *mask = sum;
    return true;
}

/* Reads a number at *@text, and moves *@text past it and past a comma that is not the last
 * character. */
static bool next_rank(const char **text, int *rank)
{
    size_t digits = strspn(*text, "0123456789");

    if (digits == 0 || digits > 6)
        return false;
    *rank = 0;
    for (size_t i = 0; i < digits; i++)
        *rank = *rank * 10 + ((*text)[i] - '0');
    *text += digits;
    if (**text == ',' && (*text)[1] != '\0')
        ++*text;
    return true;
}

static bool is_list_of_ranks(const char *text, size_t bytes_max)
{
    const char *rest = text;
    int rank;

    while (next_rank(&rest, &rank))
        ;
    return *rest == '\0' && strlen(text) <= bytes_max;
}

int ftc_settings_highest_rank(const char *ranks)
{
    int named, highest = -1;

    while (next_rank(&ranks, &named))
        highest = named > highest ? named : highest;
    return highest;
}

bool ftc_settings_names_rank(const char *ranks, int rank)
{
    int named;

    while (next_rank(&ranks, &named))
        if (named == rank)
            return true;
    return false;
}

/* Returns whether @text has at most @bytes_max bytes and no control character, which would break
 * the lines of the report. */
static bool is_printable_within(const char *text, size_t bytes_max)
{
    return !ftc_control_is_in(text) && strlen(text) <= bytes_max;
}

/* Stores a value in @member. Sets all bytes, also those after the end of a text, because the
 * settings are broadcast. */
static void store(void *member, const struct option *o, int value, int parameter, const char *text)
{
    switch (o->kind) {
    case KIND_BOOL:
        *(bool *)member = value != 0;
        break;
    case KIND_NUMBER:
    case KIND_WORD:
    case KIND_WORDS:
        *(int *)member = value;
        break;
    case KIND_TREE:
        *(struct ftc_tree_shape *)member = (struct ftc_tree_shape){
            .kind = (enum ftc_tree_kind)value, .k = parameter, .logp = default_logp};
        break;
    case KIND_CORRECTION:
        *(struct ftc_correction_setting *)member =
            (struct ftc_correction_setting){.kind = (enum ftc_correction)value, .d = parameter};
        break;
    case KIND_TEXT:
    case KIND_RANKS:
        memset(member, 0, (size_t)o->max + 1);
        memcpy(member, text, strlen(text));
        break;
    }
}

bool ftc_settings_set(struct ftc_settings *s, int option, const char *text,
                      enum ftc_settings_origin origin)
{
    const struct option *o = &options[option];
    int value = 0, parameter = 0;
    bool allowed;

    if (o->kind == KIND_NUMBER)
        allowed = parse_number(text, o->min, o->max, &value);
    else if (o->kind == KIND_WORDS)
        allowed = parse_words(o, text, &value);
    else if (o->kind == KIND_RANKS)
        allowed = is_list_of_ranks(text, (size_t)o->max);
    else if (o->kind == KIND_TEXT)
        allowed = is_printable_within(text, (size_t)o->max);
    else
        allowed = parse_word(o, text, &value, &parameter);
    if (!allowed)
        return false;
    store((char *)s + o->offset, o, value, parameter, text);
    s->origin[option] = (uint8_t)origin;
    return true;
}

void ftc_settings_set_defaults(struct ftc_settings *s)
{
    memset(s, 0, sizeof *s);
    for (int i = 0; i < FTC_SETTINGS_COUNT; i++) {
        bool allowed = ftc_settings_set(s, i, options[i].preset, FTC_ORIGIN_DEFAULT);

        assert(allowed);
        (void)allowed;
    }
}

/* Returns whether protect = all gives @option its value: it was set neither in the same place as
 * protect nor in one with priority over that. */
static bool is_expanded(const struct ftc_settings *s, int option)
{
    return s->protect == FTC_PROTECT_ALL && s->origin[option] < s->origin[FTC_SETTING_protect];
}

void ftc_settings_expand(struct ftc_settings *s, struct ftc_settings_sources *sources)
{
    static const struct {
        int option;
        const char *value;
    } all[] = {
        {FTC_SETTING_intercept, "all"},
        {FTC_SETTING_large, "protected"},
        {FTC_SETTING_p2p, "ignore"},
        {FTC_SETTING_communicators, "survivors"},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sources->by_protect[all[i].option] = is_expanded(s, all[i].option);
        if (sources->by_protect[all[i].option])
            ftc_settings_set(s, all[i].option, all[i].value,
                             (enum ftc_settings_origin)s->origin[FTC_SETTING_protect]);
    }
}

/* ---- value to text ---- */

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static const char *text_of(const struct word *words, int value)
{
    while (words->text && words->value != value)
        words++;
    assert(words->text);
    return words->text;
}

/* Writes the word that stands for exactly @mask, such as "all", or else the words of its single
 * bits. */
static void write_words(const struct option *o, int mask, FILE *f)
{
    const char *separator = "";

    for (const struct word *w = o->words; w->text; w++)
        if (w->value == mask) {
            fputs(w->text, f);
            return;
        }
    for (const struct word *w = o->words; w->text; w++) {
        bool is_one_bit = (w->value & (w->value - 1)) == 0;

        if (!is_one_bit || (w->value & mask) == 0)
            continue;
        fprintf(f, "%s%s", separator, w->text);
        separator = ",";
    }
}

static void write_parameter(const struct option *o, int value, int parameter, FILE *f)
{
    fputs(text_of(o->words, value), f);
    if (parameter > 0)
        fprintf(f, ":%d", parameter);
}

static void write_value(const struct ftc_settings *s, const struct option *o, FILE *f)
{
    const void *member = (const char *)s + o->offset;
    const struct ftc_tree_shape *shape = member;
    const struct ftc_correction_setting *correction = member;

    switch (o->kind) {
    case KIND_BOOL:
        fputs(text_of(o->words, *(const bool *)member), f);
        break;
    case KIND_NUMBER:
        fprintf(f, "%d", *(const int *)member);
        break;
    case KIND_WORD:
        fputs(text_of(o->words, *(const int *)member), f);
        break;
    case KIND_WORDS:
        write_words(o, *(const int *)member, f);
        break;
    case KIND_TREE:
        write_parameter(o, (int)shape->kind, shape->k, f);
        break;
    case KIND_CORRECTION:
        write_parameter(o, (int)correction->kind, correction->d, f);
        break;
    case KIND_TEXT:
    case KIND_RANKS:
        fputs(member, f);
        break;
    }
}

static void allow_words(const struct option *o, char text[ALLOWED_BYTES_MAX])
{
    char parameter = '\0';

    for (const struct word *w = o->words; w->text; w++) {
        append(text, ALLOWED_BYTES_MAX, "%s%s", w == o->words ? "" : ", ", w->text);
        if (!w->parameter)
            continue;
        append(text, ALLOWED_BYTES_MAX, ":%c", w->parameter);
        parameter = w->parameter;
    }
    if (parameter)
        append(text, ALLOWED_BYTES_MAX, " (%c in %d..%d)", parameter, o->min, o->max);
    if (o->kind == KIND_WORDS)
        append(text, ALLOWED_BYTES_MAX, "; several with commas between them");
}

static const char *allowed_text(const struct option *o, char text[ALLOWED_BYTES_MAX])
{
    text[0] = '\0';
    if (o->kind == KIND_NUMBER)
        append(text, ALLOWED_BYTES_MAX, "%d..%d", o->min, o->max);
    else if (o->kind == KIND_RANKS)
        append(text, ALLOWED_BYTES_MAX, "ranks with commas between them, or nothing");
    else if (o->kind == KIND_TEXT)
        append(text, ALLOWED_BYTES_MAX, "at most %d printable bytes, or nothing", o->max);
    else
        allow_words(o, text);
    return text;
}

void ftc_settings_write(const struct ftc_settings *s, int option, FILE *f)
{
    write_value(s, &options[option], f);
}

const char *ftc_settings_origin_name(const struct ftc_settings *s, int option)
{
    static const char *const name[] = {
        [FTC_ORIGIN_DEFAULT] = "default",
        [FTC_ORIGIN_FILE] = "file",
        [FTC_ORIGIN_ENVIRONMENT] = "environment",
    };

    return name[s->origin[option]];
}

const char *ftc_settings_allowed(int option, char text[ALLOWED_BYTES_MAX])
{
    return allowed_text(&options[option], text);
}

/* ---- errors ---- */

int ftc_settings_fail(struct ftc_settings_error *error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    ftc_control_hide(error->text);
    return -1;
}

/* Writes to @text what the user may have meant by @value, or nothing if that is not known. */
static void hint(const struct option *o, const char *value, char text[HINT_BYTES_MAX])
{
    static const char suffixes[] = "KMG";
    size_t digits = strspn(value, "0123456789");
    bool is_scaled = digits > 0 && digits < 4 && value[digits] && !value[digits + 1];
    const char *suffix = is_scaled ? strchr(suffixes, toupper((unsigned char)value[digits])) : NULL;
    long number = suffix ? atol(value) << 10 * (suffix - suffixes + 1) : 0;

    text[0] = '\0';
    if (strchr(value, '#'))
        snprintf(text, HINT_BYTES_MAX, "; a comment begins with a semicolon");
    else if (o->kind == KIND_NUMBER && suffix && number <= o->max)
        snprintf(text, HINT_BYTES_MAX, "; as a number %s is %ld", value, number);
}

int ftc_settings_fail_value(struct ftc_settings_error *error, const char *where, const char *name,
                            const char *value, int option)
{
    char allowed[ALLOWED_BYTES_MAX], meant[HINT_BYTES_MAX];

    if (!value)
        return ftc_settings_fail(error, "%s: the value of %s is not allowed; allowed: %s", where,
                                 name, allowed_text(&options[option], allowed));
    hint(&options[option], value, meant);
    return ftc_settings_fail(error, "%s: %s = \"%.*s%s\" is not allowed; allowed: %s%s", where,
                             name, SHOWN_BYTES_MAX, value,
                             strlen(value) > SHOWN_BYTES_MAX ? "..." : "",
                             allowed_text(&options[option], allowed), meant);
}

/* ---- descriptions ---- */

void ftc_settings_dump(const struct ftc_settings *s, FILE *f)
{
    for (int i = 0; i < FTC_SETTINGS_COUNT; i++) {
        fprintf(f, "ftcoll: setting %s = ", options[i].key);
        write_value(s, &options[i], f);
        fprintf(f, " (%s)\n", ftc_settings_origin_name(s, i));
    }
}

void ftc_settings_describe(FILE *f)
{
    char allowed[ALLOWED_BYTES_MAX];

    fputs(
        "# ftcoll.conf: settings of ftcoll. Each line is optional; the values are the defaults.\n"
        "# ftcoll reads the first of these files that exists: $FTCOLL_CONFIG, ./ftcoll.conf,\n"
        "# $XDG_CONFIG_HOME/ftcoll.conf (or ~/.config/ftcoll.conf) and /etc/ftcoll.conf.\n"
        "# The file, and links to it, must belong to the user or to root, and no other user may\n"
        "# write to the file. An environment variable FTCOLL_<KEY>, such as FTCOLL_MAX_BYTES, has\n"
        "# priority over the file. A comment is a line that starts with # or ;, or the text after\n"
        "# a blank and ;.\n"
        "\n"
        "[ftcoll]\n",
        f);
    for (int i = 0; i < FTC_SETTINGS_COUNT; i++) {
        const struct option *o = &options[i];

        fprintf(f, "\n# %s\n# allowed: %s\n%s =%s%s\n", o->doc, allowed_text(o, allowed), o->key,
                o->preset[0] ? " " : "", o->preset);
    }
}

/* Writes @text as a line of a manual page, in which no character begins a request and a minus is a
 * minus sign. */
static void write_roff(const char *text, FILE *f)
{
    fputs("\\&", f);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", f);
        else if (*text == '-')
            fputs("\\-", f);
        else
            fputc(*text, f);
    }
    fputc('\n', f);
}

void ftc_settings_roff(FILE *f)
{
    char allowed[ALLOWED_BYTES_MAX];

    for (int i = 0; i < FTC_SETTINGS_COUNT; i++) {
        const struct option *o = &options[i];

        fprintf(f, ".TP\n.BR %s \" = %s\"\n", o->key, o->preset[0] ? o->preset : "(none)");
        write_roff(o->doc, f);
        fputs(".br\nAllowed:\n", f);
        write_roff(allowed_text(o, allowed), f);
    }
}
