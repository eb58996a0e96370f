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

/* With a blank between them; text stays as it is for none. */
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
        return "yes";
    case JSON_FALSE:
        return "no";
    default:
        break;
    }
    ftc_control_hide(text);
    return text;
}

void ftc_view_value(const json_t *object, const char *path)
{
    char text[VALUE_MAX];

    fputs(describe(ftc_view_at(object, path), text), stdout);
}

/* ---- paragraphs ---- */

void ftc_view_wrapped(const char *text, int indent)
{
    int column = printf("%*s", indent, "");
    const char *separator = "";

    while (*(text += strspn(text, " ")) != '\0') {
        int length = (int)strcspn(text, " ");

        if (column + 1 + length > COLUMNS && *separator) {
            column = printf("\n%*s", indent, "") - 1;
            separator = "";
        }
        column += printf("%s%.*s", separator, length, text);
        separator = " ";
        text += length;
    }
    putchar('\n');
}

/* ---- tables ---- */

/* Characters of UTF-8. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static int width_of_column(const struct ftc_view_column *column, const json_t *rows)
{
    int width = width_of(column->header);
    char text[VALUE_MAX];
    const json_t *row;
    size_t i;

    json_array_foreach(rows, i, row)
    {
        int other = width_of(describe(ftc_view_at(row, column->path), text));

        width = other > width ? other : width;
    }
    return width;
}

/* The last column has no blanks behind it. */
static void write_cell(const struct ftc_view_column *column, int width, const char *text)
{
    int blanks = width - width_of(text);

    if (column->is_number)
        printf("  %*s%s", blanks, "", text);
    else if (column[1].header)
        printf("  %s%*s", text, blanks, "");
    else
        printf("  %s", text);
}

enum { COLUMNS_MAX = 16 };

void ftc_view_table(const struct ftc_view_column *columns, const json_t *rows)
{
    int width[COLUMNS_MAX], count = 0;
    char text[VALUE_MAX];
    const json_t *row;
    size_t i;

    for (; columns[count].header; count++) {
        assert(count < COLUMNS_MAX);
        width[count] = width_of_column(&columns[count], rows);
        write_cell(&columns[count], width[count], columns[count].header);
    }
    putchar('\n');
    json_array_foreach(rows, i, row)
    {
        for (int c = 0; c < count; c++)
            write_cell(&columns[c], width[c], describe(ftc_view_at(row, columns[c].path), text));
        putchar('\n');
    }
}
