#include "json.h"

#include "control.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>

/* ---- strings ---- */

static bool is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* Returns the length of the character of several bytes that begins at @c; 0 if it is not valid. RFC
 * 3629 excludes overlong forms, halves of UTF-16 pairs, and codes beyond U+10FFFF. */
static size_t character_length(const unsigned char *c)
{
    if (c[0] >= 0xc2 && c[0] <= 0xdf)
        return is_continuation(c[1]) ? 2 : 0;
    if (c[0] >= 0xe0 && c[0] <= 0xef && is_continuation(c[1]) && is_continuation(c[2]) &&
        (c[0] != 0xe0 || c[1] >= 0xa0) && (c[0] != 0xed || c[1] <= 0x9f))
        return 3;
    if (c[0] >= 0xf0 && c[0] <= 0xf4 && is_continuation(c[1]) && is_continuation(c[2]) &&
        is_continuation(c[3]) && (c[0] != 0xf0 || c[1] >= 0x90) && (c[0] != 0xf4 || c[1] <= 0x8f))
        return 4;
    return 0;
}

static void write_string(FILE *f, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length;

    fputc('"', f);
    for (; *c; c += length) {
        length = *c < 0x80 ? 1 : character_length(c);
        if (length == 0) {
            fputs("\\ufffd", f);
            length = 1;
        } else if (*c < ' ' || *c == 0x7f || *c == '"' || *c == '\\') {
            fprintf(f, "\\u%04x", *c);
        } else if (ftc_control_length((const char *)c) == 2) {
            fprintf(f, "\\u%04x", c[1]); /* U+0080 to U+009F */
        } else {
            fwrite(c, 1, length, f);
        }
    }
    fputc('"', f);
}

/* ---- where values stand ---- */

static bool is_in_array(const struct ftc_json *j)
{
    return j->depth > 0 && (j->arrays >> (j->depth - 1) & 1) != 0;
}

/* Writes what precedes a value: a comma unless it is the first, and the key if it has one. */
static void write_place(struct ftc_json *j, const char *key)
{
    assert(j->depth > 0 || j->is_first);
    assert((key == NULL) == (j->depth == 0 || is_in_array(j)));
    if (!j->is_first)
        fputc(',', j->f);
    j->is_first = false;
    if (!key)
        return;
    write_string(j->f, key);
    fputc(':', j->f);
}

static void open_value(struct ftc_json *j, const char *key, bool is_array)
{
    write_place(j, key);
    assert(j->depth >= 0 && j->depth < FTC_JSON_DEPTH);
    j->arrays &= ~((uint64_t)1 << j->depth);
    j->arrays |= (uint64_t)is_array << j->depth;
    j->depth++;
    j->is_first = true;
    fputc(is_array ? '[' : '{', j->f);
}

void ftc_json_begin(struct ftc_json *j, FILE *f)
{
    *j = (struct ftc_json){.f = f, .is_first = true};
}

void ftc_json_open_object(struct ftc_json *j, const char *key)
{
    open_value(j, key, false);
}

void ftc_json_open_array(struct ftc_json *j, const char *key)
{
    open_value(j, key, true);
}

void ftc_json_close(struct ftc_json *j)
{
    assert(j->depth > 0);
    fputc(is_in_array(j) ? ']' : '}', j->f);
    j->depth--;
    j->is_first = false;
    if (j->depth == 0)
        fputc('\n', j->f);
}

/* ---- values ---- */

void ftc_json_add_null(struct ftc_json *j, const char *key)
{
    write_place(j, key);
    fputs("null", j->f);
}

void ftc_json_add_text(struct ftc_json *j, const char *key, const char *text)
{
    if (!text) {
        ftc_json_add_null(j, key);
        return;
    }
    write_place(j, key);
    write_string(j->f, text);
}

void ftc_json_add_number(struct ftc_json *j, const char *key, int64_t number)
{
    write_place(j, key);
    fprintf(j->f, "%" PRId64, number);
}

void ftc_json_add_count(struct ftc_json *j, const char *key, uint64_t count)
{
    write_place(j, key);
    fprintf(j->f, "%" PRIu64, count);
}

/* Writes the point itself, because that of printf depends on the program's locale. */
void ftc_json_add_decimal(struct ftc_json *j, const char *key, int64_t number, int digits)
{
    uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number, unit = 1;

    assert(digits >= 1 && digits <= 18);
    for (int i = 0; i < digits; i++)
        unit *= 10;
    write_place(j, key);
    fprintf(j->f, "%s%" PRIu64 ".%0*" PRIu64, number < 0 ? "-" : "", size / unit, digits,
            size % unit);
}

void ftc_json_add_bool(struct ftc_json *j, const char *key, bool value)
{
    write_place(j, key);
    fputs(value ? "true" : "false", j->f);
}

void ftc_json_add_time(struct ftc_json *j, const char *key, struct timespec utc)
{
    char date[32], offset[8], text[64];
    struct tm local;

    if (!localtime_r(&utc.tv_sec, &local) ||
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &local) == 0 ||
        strftime(offset, sizeof offset, "%z", &local) != 5) {
        ftc_json_add_null(j, key);
        return;
    }
    snprintf(text, sizeof text, "%s.%03d%.3s:%s", date, (int)(utc.tv_nsec / 1000000), offset,
             offset + 3);
    ftc_json_add_text(j, key, text);
}
