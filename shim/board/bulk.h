/* bulk: memory of each rank for data that are too large for messages (doc/design.md, section 12).
 *
 * A rank has some PLACES, each for one operation at a time: a word in which it shows how far it is,
 * and slots for its data. It writes its own alone, all others read. What nobody touches takes no
 * memory. Regions from FTC_BULK_REGIONS on have no slots: there a rank shows that it has no memory.
 */
#ifndef FTC_BOARD_BULK_H
#define FTC_BOARD_BULK_H

#include "board.h"

enum {
    FTC_BULK_REGIONS = FTC_BOARD_REGIONS, /* operations that a rank can be in at a time */
    FTC_BULK_SLOTS = 3,
    FTC_BULK_SLOT_BYTES = (1 << 20) + (1 << 16),                  /* a MiB, and what surrounds it */
    FTC_BULK_REGION_BYTES = FTC_BULK_SLOTS * FTC_BULK_SLOT_BYTES, /* one behind the other */
    FTC_BULK_WORDS = 2047, /* of the regions, and of others without memory */
    FTC_BULK_HEAD_BYTES = 64 * (1 + FTC_BULK_WORDS), /* all of them */
};

struct ftc_bulk_head {
    _Alignas(64) _Atomic uint32_t words; /* behind it; those that the rank has ever used */
};

struct ftc_bulk_region {
    _Alignas(64) _Atomic uint64_t communicator_id; /* 0: free */
    _Atomic uint64_t progress;                     /* operation << 32 | what the rank shows of it */
};

static inline struct ftc_bulk_head *ftc_bulk_head(const struct ftc_board *board, uint32_t rank)
{
    return ftc_board_bulk(board, rank);
}

static inline struct ftc_bulk_region *ftc_bulk_region(const struct ftc_board *board, uint32_t rank,
                                                      int region)
{
    return (struct ftc_bulk_region *)(ftc_bulk_head(board, rank) + 1) + region;
}

static inline unsigned char *ftc_bulk_slot(const struct ftc_board *board, uint32_t rank, int region,
                                           int slot)
{
    return ftc_board_region(board, rank, (uint32_t)region) + (size_t)slot * FTC_BULK_SLOT_BYTES;
}

/* The region in which @rank is in operation @seq of the communicator; -1: it is in none yet. It
 * stays there until the operation is over. */
int ftc_bulk_find(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                  uint32_t seq);

/* Returns what @rank shows in @region. */
static inline uint32_t ftc_bulk_read(const struct ftc_board *board, uint32_t rank, int region)
{
    return (uint32_t)atomic_load_explicit(&ftc_bulk_region(board, rank, region)->progress,
                                          memory_order_acquire);
}

/* ---- the rank itself ---- */

/* From now on large data go to its slots past the caches: for ranks that have cores of their own
 * (system/copy.h). */
void ftc_bulk_go_past_caches(void);

/* Takes a free region for operation @seq of a communicator, in which the rank shows 0 from then on,
 * with @bytes of each slot in memory; one without slots if there is no memory, and -1 if there is
 * none of these left. Another region may still be left in an operation before that one. Not for two
 * threads at a time, nor is the last. */
int ftc_bulk_take(const struct ftc_board *board, uint32_t self, uint64_t communicator_id,
                  uint32_t seq, size_t bytes);

/* Whether the first @bytes of the slots of a region that was taken, which are side by side, are in
 * memory from now on. */
bool ftc_bulk_reserve(const struct ftc_board *board, uint32_t self, int region, size_t bytes);

/* What was written to the slots before can be read by whoever has read this. */
static inline void ftc_bulk_show(const struct ftc_board *board, uint32_t self, int region,
                                 uint32_t seq, uint32_t shown)
{
    atomic_store_explicit(&ftc_bulk_region(board, self, region)->progress,
                          (uint64_t)seq << 32 | shown, memory_order_release);
}

/* Nobody reads it any more. */
void ftc_bulk_give_back(const struct ftc_board *board, uint32_t self, int region);

/* Leaves the region of operation @seq, whose slots other ranks may still read (engine/rounds.h):
 * @readers, from malloc(), which belong to the region from then on. */
void ftc_bulk_leave(const struct ftc_board *board, uint32_t self, int region, uint32_t seq,
                    uint32_t *readers, int count);

/* Whether ftc_bulk_take() could find a region with slots later, and not now. */
bool ftc_bulk_is_awaited(const struct ftc_board *board, uint32_t self);

/* Whether all regions with slots are taken. */
bool ftc_bulk_is_full(void);

#endif
