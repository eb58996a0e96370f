/* seqlock: versions of data that are longer than a word and have one writer.
 *
 * The writer increments the version before and after it writes. A reader reads the version,
 * copies the data by relaxed loads, and uses the copy if the version is the same afterwards. Which
 * versions belong to valid data depends on the section: even ones for a publication, odd ones for a
 * mark, because a mark is valid only during a call. @version is a pointer to an atomic integer of
 * any width. */
#ifndef FTC_BOARD_SEQLOCK_H
#define FTC_BOARD_SEQLOCK_H

#include <stdatomic.h>

/* Increments the version. A reader that sees the new version also sees all earlier writes. */
#define FTC_SEQLOCK_STEP(version)                                                                  \
    atomic_store_explicit(version, atomic_load_explicit(version, memory_order_relaxed) + 1,        \
                          memory_order_release)

/* Begins to write. No reader uses data that it copies between this increment and the next one,
 * because the fence keeps the writes after the increment. */
#define FTC_SEQLOCK_BEGIN_WRITE(version)                                                           \
    do {                                                                                           \
        atomic_store_explicit(version, atomic_load_explicit(version, memory_order_relaxed) + 1,    \
                              memory_order_relaxed);                                               \
        atomic_thread_fence(memory_order_release);                                                 \
    } while (0)
#define FTC_SEQLOCK_END_WRITE(version) FTC_SEQLOCK_STEP(version)

/* Returns the version, before a copy. */
#define FTC_SEQLOCK_BEGIN_READ(version) atomic_load_explicit(version, memory_order_acquire)

/* Returns whether all data that were read since then belong to version @begun. */
#define FTC_SEQLOCK_IS_STILL(version, begun)                                                       \
    (atomic_thread_fence(memory_order_acquire),                                                    \
     atomic_load_explicit(version, memory_order_relaxed) == (begun))

#endif
