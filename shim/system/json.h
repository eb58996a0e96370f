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
 * The writer sets commas, quotes and the end of the line; so several values in one file are JSON
 * Lines. A member of an object has a @key, of plain ASCII; an element of an array has none (NULL).
 * Whoever breaks that, or closes what is not open, is stopped by an assertion. It allocates
 * nothing, asks no locale, and leaves errors of the stream to the one who has opened it. */
#ifndef FTC_SYSTEM_JSON_H
#define FTC_SYSTEM_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { FTC_JSON_DEPTH = 64 }; /* objects and arrays inside of one another, at most */

struct ftc_json {
    FILE *f;         /* borrowed */
    uint64_t arrays; /* bit i: what is open at depth i is an array */
    int depth;
    bool is_first; /* nothing stands yet in the innermost */
};

/* The next value on @f, which is at the start of a line. */
void ftc_json_begin(struct ftc_json *j, FILE *f);

void ftc_json_open_object(struct ftc_json *j, const char *key);
void ftc_json_open_array(struct ftc_json *j, const char *key);

/* The innermost that is open. After the last the line is over. */
void ftc_json_close(struct ftc_json *j);

/* Valid UTF-8 stays as it is; each byte that is no part of any becomes U+FFFD: JSON has no way to
 * write bytes. NULL becomes null. */
void ftc_json_add_text(struct ftc_json *j, const char *key, const char *text);

void ftc_json_add_number(struct ftc_json *j, const char *key, int64_t number);
void ftc_json_add_count(struct ftc_json *j, const char *key, uint64_t count);

/* @number / 10^@digits, exactly, with 1 to 18 @digits behind the point: of nanoseconds, with 3
 * digits, microseconds. */
void ftc_json_add_decimal(struct ftc_json *j, const char *key, int64_t number, int digits);

void ftc_json_add_bool(struct ftc_json *j, const char *key, bool value);
void ftc_json_add_null(struct ftc_json *j, const char *key);

/* "2026-11-22T14:03:07.123+01:00": @utc of CLOCK_REALTIME as local time, with its offset (ISO 8601,
 * RFC 3339). */
void ftc_json_add_time(struct ftc_json *j, const char *key, struct timespec utc);

#endif
