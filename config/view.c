#include "view.h"

#include "system/control.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 100, VALUE_MAX = 1024, PATH_STEP_MAX = 64 };

/* ---- values ---- */

const char *ftc_view_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

const json_t *ftc_view_at(const json_t *object, const char *path)
{
    char step[PATH_STEP_MAX];

    while (object && *path) {
        size_t length = strcspn(path, ".");

        snprintf(step, sizeof step, "%.*s", (int)length, path);
        object = json_object_get(object, step);
        path += length + (path[length] == '.');
    }
    return object;
}

json_int_t ftc_view_number(const json_t *object, const char *path)
{
    return json_integer_value(ftc_view_at(object, path));
}

/* Joins @texts with blanks and writes them to @text, "-" for each that is not a string. Leaves
 * @text as it is if @texts is empty. */
static void describe_texts(const json_t *texts, char text[VALUE_MAX])
{
    const json_t *one;
    int used = 0;
    size_t i;

    json_array_foreach(texts, i, one)
    {
        used += snprintf(text + used, (size_t)(VALUE_MAX - used), "%s%s", i > 0 ? " " : "",
                         json_is_string(one) ? json_string_value(one) : "-");
        if (used >= VALUE_MAX)
            return;
    }
}

static const char *describe(const json_t *value, char text[VALUE_MAX])
{
    snprintf(text, VALUE_MAX, "-");
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_STRING:
        snprintf(text, VALUE_MAX, "%s", json_string_value(value));
        break;
    case JSON_INTEGER:
        snprintf(text, VALUE_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        snprintf(text, VALUE_MAX, "%.1f", json_real_value(value));
        break;
    case JSON_ARRAY:
        describe_texts(value, text);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        snprintf(text, VALUE_MAX, "%s", json_is_true(value) ? "yes" : "no");
        break;
    default:
        break;
    }
    ftc_control_hide(text);
    return text;
}

void ftc_view_value(FILE *f, const json_t *object, const char *path)
{
    char text[VALUE_MAX];

    fputs(describe(ftc_view_at(object, path), text), f);
}

/* ---- lines ---- */

static bool begins_a_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

/* Returns the number of UTF-8 characters in @text. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++)
        width += begins_a_character(*text);
    return width;
}

/* Returns how many bytes of @text go into a line of @width characters: up to a blank if there is
 * one there. */
static int bytes_within(const char *text, int width)
{
    int bytes = 0, at_blank = 0;

    while (text[bytes] && (width > 0 || !begins_a_character(text[bytes]))) {
        width -= begins_a_character(text[bytes]);
        bytes++;
        if (text[bytes] == ' ' || text[bytes] == '\0')
            at_blank = bytes;
    }
    return at_blank > 0 ? at_blank : bytes;
}

void ftc_view_wrapped(const char *text, int indent)
{
    do {
        int bytes;

        text += strspn(text, " ");
        bytes = bytes_within(text, COLUMNS - indent);
        printf("%*s%.*s\n", indent, "", bytes, text);
        text += bytes;
    } while (*text);
}

/* ---- tables ---- */

enum { CELLS_MAX = 16, TABLE_COLUMNS = 120, LEAST_WIDTH = 8, GAP = 2 };

struct width {
    int whole, word; /* characters of the longest cell, and of the longest word in any cell */
};

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void widen(struct width *w, const char *text)
{
    w->whole = larger(w->whole, width_of(text));
    for (; *text; text += strspn(text, " ")) {
        int length = (int)strcspn(text, " ");

        w->word = larger(w->word, width_of(text) - width_of(text + length));
        text += length;
    }
}

static struct width width_of_column(const struct ftc_view_column *column, const json_t *rows)
{
    struct width width = {0};
    char text[VALUE_MAX];
    const json_t *row;
    size_t i;

    widen(&width, column->header);
    json_array_foreach(rows, i, row)
    {
        widen(&width, describe(ftc_view_at(row, column->path), text));
    }
    return width;
}

/* Returns the widest column that can become narrower without cutting words. If there is none, or if
 * @cuts_words, returns the widest that is wider than LEAST_WIDTH; -1 if there is none either. */
static int find_widest(const struct width *width, int count, bool cuts_words)
{
    int widest = -1;

    for (int c = 0; c < count; c++)
        if (width[c].whole > (cuts_words ? LEAST_WIDTH : width[c].word) &&
            (widest < 0 || width[c].whole > width[widest].whole))
            widest = c;
    return widest < 0 && !cuts_words ? find_widest(width, count, true) : widest;
}

/* Narrows the widest columns, one character at a time, until a row fits into TABLE_COLUMNS or no
 * column can become narrower. */
static void fit(struct width *width, int count)
{
    int total = 0, widest;

    for (int c = 0; c < count; c++)
        total += GAP + width[c].whole;
    for (; total > TABLE_COLUMNS && (widest = find_widest(width, count, false)) >= 0; total--)
        width[widest].whole--;
}

/* Writes a row, in as many lines as its longest cell needs. */
static void write_row(const struct ftc_view_column *columns, const struct width *width, int count,
                      char cell[][VALUE_MAX])
{
    int at[CELLS_MAX] = {0};
    bool is_left = true;

    while (is_left) {
        int blanks = 0;

        is_left = false;
        for (int c = 0; c < count; c++) {
            const char *text = cell[c] + at[c];
            int bytes = bytes_within(text, width[c].whole);
            int rest = width[c].whole - width_of(text) + width_of(text + bytes);

            blanks += GAP + (columns[c].is_number ? rest : 0);
            if (bytes > 0)
                printf("%*s%.*s", blanks, "", bytes, text);
            blanks = (bytes > 0 ? 0 : blanks) + (columns[c].is_number ? 0 : rest);
            at[c] += bytes + (int)strspn(text + bytes, " ");
            is_left |= cell[c][at[c]] != '\0';
        }
        putchar('\n');
    }
}

void ftc_view_table(const struct ftc_view_column *columns, const json_t *rows)
{
    char cell[CELLS_MAX][VALUE_MAX];
    struct width width[CELLS_MAX];
    int count = 0;
    const json_t *row;
    size_t i;

    for (; columns[count].header; count++) {
        assert(count < CELLS_MAX);
        width[count] = width_of_column(&columns[count], rows);
        snprintf(cell[count], VALUE_MAX, "%s", columns[count].header);
    }
    fit(width, count);
    write_row(columns, width, count, cell);
    json_array_foreach(rows, i, row)
    {
        for (int c = 0; c < count; c++)
            describe(ftc_view_at(row, columns[c].path), cell[c]);
        write_row(columns, width, count, cell);
    }
}
