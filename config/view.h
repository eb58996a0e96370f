/* view: JSON as text for users, on standard output. The JSON may come from any source.
 * ftc_view_value() and ftc_view_table() therefore write '?' for control characters, and "-" for
 * values that are missing or of an unexpected type. */
#ifndef FTC_CONFIG_VIEW_H
#define FTC_CONFIG_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns member @key of @object if it is a string, else an empty string. */
const char *ftc_view_text(const json_t *object, const char *key);

/* Returns the value at @path in @object, or NULL if there is none. "missed_in.call" is a member of
 * a member. */
const json_t *ftc_view_at(const json_t *object, const char *path);

/* Returns the integer at @path in @object, or 0 if there is none. */
json_int_t ftc_view_number(const json_t *object, const char *path);

/* Writes the value at @path in @object to @f: a string, a number, yes or no, or the strings of an
 * array with blanks between them. */
void ftc_view_value(FILE *f, const json_t *object, const char *path);

/* Prints @text in lines of at most 100 characters, each of which begins with @indent blanks. */
void ftc_view_wrapped(const char *text, int indent);

/* Column of a table, whose cells are the values at @path in the rows. */
struct ftc_view_column {
    const char *header, *path;
    bool is_number; /* aligned to the right */
};

/* Prints a table with a row for each object in the array @rows. A column with header NULL ends
 * @columns. A row that is wider than 120 characters is printed in several lines. */
void ftc_view_table(const struct ftc_view_column *columns, const json_t *rows);

#endif
