/* copy: what ranks on other cores read next is written past the caches.
 *
 * An ordinary store first has to get its line from the cache of the core that read it last, one
 * line after the other where these cores share no cache: 64 KiB took 29 to 38 us there, and 7 to
 * 10 us where they do (doc/performance.md). A store past the caches takes nobody's line. Where
 * ranks share a core, what one has written is in the cache for the other: there nothing goes past
 * it. */
#ifndef FTC_SYSTEM_COPY_H
#define FTC_SYSTEM_COPY_H

#include <stddef.h>

/* From now on large copies into these @bytes at @base go past the caches; 0: none do. @number,
 * below FTC_COPY_FAR_MAX, tells such places apart. */
enum { FTC_COPY_FAR_MAX = 16 };
void ftc_copy_set_far(int number, void *base, size_t bytes);

/* As memcpy(). What was written can be read by whoever sees a later store with release order. */
void ftc_copy(void *to, const void *from, size_t bytes);

/* The same of a part of what is copied, which has @all_bytes. */
void ftc_copy_some(void *to, const void *from, size_t bytes, size_t all_bytes);

#endif
