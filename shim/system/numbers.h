/* numbers: lists of numbers for users, such as "3, 5, 12". */
#ifndef FTC_SYSTEM_NUMBERS_H
#define FTC_SYSTEM_NUMBERS_H

#include <stddef.h>

/* Adds @number to the list @text, which is "" at first and has room for @size bytes, at least 8. A
 * list that is full ends with "...". It never ends in the middle of a number, because that would be
 * another number. */
void ftc_numbers_add(char *text, size_t size, long long number);

#endif
