/* copy: copies of data that ranks on other cores read next. They are written past the caches.
 *
 * An ordinary store first has to get its cache line from the core that read it last. Where the
 * cores share no cache, it gets one line after the other: 64 KiB took 29 to 38 us there, and 7 to
 * 10 us where they share one (doc/performance.md). A store past the caches takes no line from
 * another core. Where ranks share a core, data that one has written are in the cache for the other,
 * so there all stores are ordinary. */
#ifndef FTC_SYSTEM_COPY_H
#define FTC_SYSTEM_COPY_H

#include <stddef.h>

/* Declares the @bytes bytes at @base a region into which copies of at least 16 KiB go past the
 * caches from now on. @number, below FTC_COPY_FAR_MAX, identifies the region. With 0 @bytes, no
 * copies go past the caches there any more. */
enum { FTC_COPY_FAR_MAX = 16 };
void ftc_copy_set_far(int number, void *base, size_t bytes);

/* Copies like memcpy(). A thread that sees a later store with release order sees the data too. */
void ftc_copy(void *to, const void *from, size_t bytes);

/* As above, for a part of a copy that has @all_bytes in total. */
void ftc_copy_some(void *to, const void *from, size_t bytes, size_t all_bytes);

#endif
