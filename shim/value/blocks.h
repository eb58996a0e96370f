/* blocks: a value that is put together, with a block of each rank that has something to give.
 *
 * A rank begins with its own block, or none; to combine is to have the blocks of both, which no
 * rank is in twice. So whichever way values take, they say who is in them. A value is as long as
 * its blocks make it, and holds no more data than a limit: beyond that it holds none, and says so,
 * on all ranks that get the result alike. Of a block that its owner shows elsewhere only the head
 * travels.
 *
 *     head | rank 2: 24 bytes | ... | rank 0: 8 bytes | ...        each 16-byte aligned
 *
 * Nothing in a value is believed that came from elsewhere: blocks that are not whole, or of a rank
 * that there is not, are not found. */
#ifndef FTC_VALUE_BLOCKS_H
#define FTC_VALUE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FTC_BLOCK_ALIGN = 16 };

struct ftc_blocks {
    _Alignas(FTC_BLOCK_ALIGN) uint64_t bytes; /* in all, with this head */
    uint64_t data_bytes : 47;                 /* of all blocks, without what surrounds them */
    uint64_t is_too_large : 1;
    uint64_t count : 16;
};

struct ftc_block {
    uint64_t bytes : 48;
    uint64_t rank : 16;
    uint32_t note;  /* of its owner, beside the data; 0: none */
    uint32_t shown; /* 0: the data follow; else where its owner shows them (collectives/shown.h) */
    _Alignas(FTC_BLOCK_ALIGN) unsigned char data[];
};

/* What values of one operation have in common: context of ftc_blocks_join(). */
struct ftc_blocks_limit {
    int ranks;         /* blocks at most, numbered from 0 */
    size_t data_bytes; /* of all of them: less than 2^47 */
};

/* Room for a value. */
size_t ftc_blocks_room(const struct ftc_blocks_limit *limit);

/* Makes a value without blocks. */
void ftc_blocks_begin(void *value);

/* Adds the block of @rank, which has none yet, to a value that has room for it; returns where its
 * @bytes belong. Data that is too large for @limit is none, and NULL. */
void *ftc_blocks_add(void *value, const struct ftc_blocks_limit *limit, int rank, size_t bytes);

/* Notes @note beside the block whose data are at @data. */
static inline void ftc_blocks_note(void *data, uint32_t note)
{
    ((struct ftc_block *)((char *)data - offsetof(struct ftc_block, data)))->note = note;
}

/* The same without the data, which the rank shows. False: too large. */
bool ftc_blocks_add_shown(void *value, const struct ftc_blocks_limit *limit, int rank, size_t bytes,
                          uint32_t shown);

/* The blocks of both; for ftc_op_config, @limit is a struct ftc_blocks_limit. */
void ftc_blocks_join(const void *limit, void *into, const void *from);

/* For ftc_op_config. */
size_t ftc_blocks_used_bytes(const void *value);

bool ftc_blocks_are_too_large(const void *value);
int ftc_blocks_count(const void *value);

/* Goes through the blocks of a value in the order in which they stand: begins with zero at *at, and
 * is over when it is NULL. */
const struct ftc_block *ftc_blocks_next(const void *value, size_t *at);

/* The block of @rank, or NULL. The search begins at *at, which is fast when ranks are asked for in
 * the order of the blocks. */
const struct ftc_block *ftc_blocks_find(const void *value, int rank, size_t *at);

#endif
