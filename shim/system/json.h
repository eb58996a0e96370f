/* json: writes one value of RFC 8259, an object or an array, on one line.
 *
 *     struct ftc_json j;
 *
 *     ftc_json_begin(&j, f);
 *     ftc_json_open_object(&j, NULL);
 *     ftc_json_add_text(&j, "host", "node2");       {"host":"node2",
 *     ftc_json_open_array(&j, "ranks");              "ranks":[
 *     ftc_json_add_number(&j, NULL, 3);                       3
 *     ftc_json_close(&j);                                      ],
 *     ftc_json_add_decimal(&j, "after_us", 64250, 3); "after_us":64.250}
 *     ftc_json_close(&j);
 *
 * The writer adds commas, quotes and the end of the line, so several values in one file are JSON
 * Lines. A member of an object has a @key of plain ASCII. An element of an array has none (NULL).
 * An assertion fails if the caller breaks that or closes what is not open. The writer allocates no
 * memory and depends on no locale. Errors of the stream are left to the function that opened it. */
#ifndef FTC_SYSTEM_JSON_H
#define FTC_SYSTEM_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { FTC_JSON_DEPTH = 64 }; /* largest number of nested objects and arrays */

struct ftc_json {
    FILE *f;         /* stream, which the caller owns */
    uint64_t arrays; /* bit i is set: an array is open at depth i, not an object */
    int depth;
    bool is_first; /* the innermost is empty so far */
};

/* Begins a value on @f, which must be at the start of a line. */
void ftc_json_begin(struct ftc_json *j, FILE *f);

/* Opens an object. */
void ftc_json_open_object(struct ftc_json *j, const char *key);

/* Opens an array. */
void ftc_json_open_array(struct ftc_json *j, const char *key);

/* Closes the innermost object or array. After the outermost one, ends the line. */
void ftc_json_close(struct ftc_json *j);

/* Adds a string. Valid UTF-8 is kept; control characters are escaped. Each byte that is not part of
 * valid UTF-8 becomes U+FFFD, because JSON cannot represent bytes. NULL becomes null. */
void ftc_json_add_text(struct ftc_json *j, const char *key, const char *text);

/* Adds a signed number. */
void ftc_json_add_number(struct ftc_json *j, const char *key, int64_t number);

/* Adds an unsigned number. */
void ftc_json_add_count(struct ftc_json *j, const char *key, uint64_t count);

/* Adds @number / 10^@digits exactly, with 1 to 18 @digits after the point. For example, 3 digits
 * turn nanoseconds into microseconds. */
void ftc_json_add_decimal(struct ftc_json *j, const char *key, int64_t number, int digits);

/* Adds true or false. */
void ftc_json_add_bool(struct ftc_json *j, const char *key, bool value);

/* Adds null. */
void ftc_json_add_null(struct ftc_json *j, const char *key);

/* Adds "2026-11-22T14:03:07.123+01:00": @utc of CLOCK_REALTIME as local time with its offset (ISO
 * 8601, RFC 3339). Adds null if the time cannot be converted. */
void ftc_json_add_time(struct ftc_json *j, const char *key, struct timespec utc);

#endif
