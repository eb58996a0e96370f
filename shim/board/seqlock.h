/* seqlock: versions of what is longer than a word and has one writer.
 *
 * The writer takes a step before it writes and one after that; a reader looks at the version,
 * copies by relaxed loads, and believes the copy if the version is the same after it. Which
 * versions are those of content depends on the section: an even one of a publication, an odd one of
 * a mark, whose content says something only during a call. The version is a pointer to an atomic
 * number of any width. */
#ifndef FTC_BOARD_SEQLOCK_H
#define FTC_BOARD_SEQLOCK_H

#include <stdatomic.h>

/* What was written before a step is seen by whoever sees the step. */
#define FTC_SEQLOCK_STEP(version)                                                                  \
    atomic_store_explicit(version, atomic_load_explicit(version, memory_order_relaxed) + 1,        \
                          memory_order_release)

/* From here to the step, no reader believes what it sees: the writes stay behind this one. */
#define FTC_SEQLOCK_BEGIN_WRITE(version)                                                           \
    do {                                                                                           \
        atomic_store_explicit(version, atomic_load_explicit(version, memory_order_relaxed) + 1,    \
                              memory_order_relaxed);                                               \
        atomic_thread_fence(memory_order_release);                                                 \
    } while (0)
#define FTC_SEQLOCK_END_WRITE(version) FTC_SEQLOCK_STEP(version)

/* The version to begin a copy with. */
#define FTC_SEQLOCK_BEGIN_READ(version) atomic_load_explicit(version, memory_order_acquire)

/* Whether all that has been read since belongs to that version. */
#define FTC_SEQLOCK_IS_STILL(version, begun)                                                       \
    (atomic_thread_fence(memory_order_acquire),                                                    \
     atomic_load_explicit(version, memory_order_relaxed) == (begun))

#endif
