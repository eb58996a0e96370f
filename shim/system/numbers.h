/* numbers: lists of them for people, "3, 5, 12". */
#ifndef FTC_SYSTEM_NUMBERS_H
#define FTC_SYSTEM_NUMBERS_H

#include <stddef.h>

/* Adds @number to the list @text, which is "" at first and has room for @size bytes, 8 at least. A
 * list that is full ends with "...", and never in the middle of a number: that would be another
 * one. */
void ftc_numbers_add(char *text, size_t size, long long number);

#endif
