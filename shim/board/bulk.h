/* bulk: memory of each rank for data that are too large for messages (doc/design.md, section 12).
 *
 * A rank has several regions, each for one operation at a time. A region has a progress word and
 * slots for data. Only its rank writes a region, and all others read it. Untouched pages take no
 * memory. Regions from FTC_BULK_REGIONS on have a progress word but no slots. With such a region a
 * rank takes part in an operation, and shows that it has no memory for slots. */
#ifndef FTC_BOARD_BULK_H
#define FTC_BOARD_BULK_H

#include "board.h"

enum {
    FTC_BULK_REGIONS = FTC_BOARD_REGIONS, /* regions with slots */
    FTC_BULK_SLOTS = 3,
    FTC_BULK_SLOT_BYTES = (1 << 20) + (1 << 16), /* 1 MiB, and 64 KiB for what surrounds the data */
    FTC_BULK_REGION_BYTES = FTC_BULK_SLOTS * FTC_BULK_SLOT_BYTES, /* slots are adjacent */
    FTC_BULK_WORDS = 2047,                           /* all regions, with and without slots */
    FTC_BULK_HEAD_BYTES = 64 * (1 + FTC_BULK_WORDS), /* head and progress words */
};

/* Head of a rank's progress words, which follow it in memory. */
struct ftc_bulk_head {
    _Alignas(64) _Atomic uint32_t words; /* 1 + highest region that the rank has ever used */
};

struct ftc_bulk_region {
    _Alignas(64) _Atomic uint64_t communicator_id; /* 0: free */
    _Atomic uint64_t progress;                     /* operation << 32 | progress in it */
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

/* Returns the region in which @rank is in operation @seq of the communicator, or -1 if it is in
 * none yet. @rank keeps the region until the operation is over. */
int ftc_bulk_find(const struct ftc_board *board, uint32_t rank, uint64_t communicator_id,
                  uint32_t seq);

/* Returns the progress that @rank shows in @region. */
static inline uint32_t ftc_bulk_read(const struct ftc_board *board, uint32_t rank, int region)
{
    return (uint32_t)atomic_load_explicit(&ftc_bulk_region(board, rank, region)->progress,
                                          memory_order_acquire);
}

/* ---- the rank itself, with the library's lock held ---- */

/* Makes copies of large data to slots bypass the caches from now on (system/copy.h). For ranks that
 * share no core. */
void ftc_bulk_go_past_caches(void);

/* Takes a free region for operation @seq of a communicator, and shows progress 0 in it. The first
 * @bytes of each slot are in memory then. Returns a region without slots if there is no memory or
 * no free region with slots, and -1 if no region is free. A region after ftc_bulk_leave() is free
 * once its readers have read. */
int ftc_bulk_take(const struct ftc_board *board, uint32_t self, uint64_t communicator_id,
                  uint32_t seq, size_t bytes);

/* Gets the first @bytes of a taken region into memory, counted over its adjacent slots. Returns
 * whether there is memory for them. */
bool ftc_bulk_reserve(const struct ftc_board *board, uint32_t self, int region, size_t bytes);

/* Shows progress @shown in operation @seq. A rank that reads it can also read all data that were
 * written to the slots before. */
static inline void ftc_bulk_show(const struct ftc_board *board, uint32_t self, int region,
                                 uint32_t seq, uint32_t shown)
{
    atomic_store_explicit(&ftc_bulk_region(board, self, region)->progress,
                          (uint64_t)seq << 32 | shown, memory_order_release);
}

/* Frees a region that no other rank reads any more. */
void ftc_bulk_give_back(const struct ftc_board *board, uint32_t self, int region);

/* Leaves the region of operation @seq, whose slots the @count ranks @readers may still read
 * (engine/rounds.h). @readers is from malloc(), and the region frees it. */
void ftc_bulk_leave(const struct ftc_board *board, uint32_t self, int region, uint32_t seq,
                    uint32_t *readers, int count);

/* Returns whether no region with slots is free, but one will be when its readers have read. */
bool ftc_bulk_is_awaited(const struct ftc_board *board, uint32_t self);

/* Returns whether all regions with slots are taken. */
bool ftc_bulk_is_full(void);

#endif
