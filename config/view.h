/* view: how JSON becomes text for people, on standard output. What is in it may come from anywhere:
 * control characters become '?', and what is missing or of another type "-". */
#ifndef FTC_CONFIG_VIEW_H
#define FTC_CONFIG_VIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Of member @key of @object, which is a text; empty if it is none. */
const char *ftc_view_text(const json_t *object, const char *key);

/* What @path leads to in @object, "missed_in.call" to a member of a member; NULL if it leads
 * nowhere. */
const json_t *ftc_view_at(const json_t *object, const char *path);

/* The whole number that @path leads to in @object; 0 if it is none. */
json_int_t ftc_view_number(const json_t *object, const char *path);

/* Writes what @path leads to in @object: a text, a number, yes or no. */
void ftc_view_value(FILE *f, const json_t *object, const char *path);

/* Prints @text in lines of at most 100 characters that begin with @indent blanks. */
void ftc_view_wrapped(const char *text, int indent);

/* Prints a table: each column shows what its path leads to in each of @rows, an array of objects;
 * the last column has header NULL. A row that is wider than 120 characters has several lines. */
struct ftc_view_column {
    const char *header, *path;
    bool is_number; /* flush right */
};
void ftc_view_table(const struct ftc_view_column *columns, const json_t *rows);

#endif
