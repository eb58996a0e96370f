/* blocks: a value that is put together, with a block of each rank that has something to give.
 *
 * A rank begins with its own block, or none; to combine is to have the blocks of both, which no
 * rank is in twice. So whichever way values take, they say who is in them. A value is as long as
 * its blocks make it, and holds no more data than a limit: beyond that it holds none, and says so,
 * on all ranks that get the result alike. If the owner of a block exposes its data, the head alone
 * travels.
 *
 *     head | rank 2: 24 bytes | ... | rank 0: 8 bytes | ...        each 16-byte aligned
 *
 * What a rank gives is often one small block. It is a value of 16 bytes in all, whose message is
 * one line of memory:
 *
 *     rank 2: 8 bytes                                              FTC_INLINE_BYTES at most
 *
 * Nothing in a value is believed that came from elsewhere: blocks that are not whole, or of a rank
 * that there is not, are not found. */
#ifndef FTC_VALUE_BLOCKS_H
#define FTC_VALUE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FTC_BLOCK_ALIGN = 16, FTC_INLINE_BYTES = 8 };

/* One that has been found. */
struct ftc_block {
    int rank;         /* of its owner */
    uint32_t note;    /* of its owner, beside the data; 0: none */
    uint32_t exposed; /* 0: the data are here; else where its owner exposes them (exposed.h) */
    size_t bytes;     /* of the data */
    const unsigned char *data; /* in the value; FTC_INLINE_BYTES and fewer are aligned to as many */
};

/* What values of one operation have in common: context of ftc_blocks_join(). */
struct ftc_blocks_limit {
    int ranks;          /* blocks at most, numbered from 0 */
    size_t data_bytes;  /* of all of them: less than 2^48 */
    bool exposed_apart; /* data that are exposed do not count */
};

/* Room for a value. */
size_t ftc_blocks_room(const struct ftc_blocks_limit *limit);

/* Makes a value without blocks. */
void ftc_blocks_begin(void *value);

/* Adds the block of @rank, which has none yet, to a value that has room for it; returns where its
 * @bytes belong, until another is added. Data that is too large for @limit is none, and NULL. */
void *ftc_blocks_add(void *value, const struct ftc_blocks_limit *limit, int rank, size_t bytes);

/* Adds the block of @rank, which exposes its data as @exposed. False: the data are too large. */
bool ftc_blocks_add_exposed(void *value, const struct ftc_blocks_limit *limit, int rank,
                            size_t bytes, uint32_t exposed);

/* Notes @note beside the block of @value whose data are at @data. */
void ftc_blocks_note(void *value, const void *data, uint32_t note);

/* The blocks of both; for ftc_op_config, @limit is a struct ftc_blocks_limit. */
void ftc_blocks_join(const void *limit, void *into, const void *from);

/* For ftc_op_config. */
size_t ftc_blocks_used_bytes(const void *value);

/* @value, which came from elsewhere and has @room; NULL if it is NULL, or says that it has more. */
static inline const void *ftc_blocks_within(const void *value, size_t room)
{
    return value && ftc_blocks_used_bytes(value) <= room ? value : NULL;
}

bool ftc_blocks_are_too_large(const void *value);

/* Goes through the blocks of a value in the order in which they stand: begins with zero at *at, and
 * is over when it is false. */
bool ftc_blocks_next(const void *value, size_t *at, struct ftc_block *block);

/* Finds the block of @rank. The search begins at *at, which is fast when ranks are asked for in the
 * order of the blocks. */
bool ftc_blocks_find(const void *value, int rank, size_t *at, struct ftc_block *block);

#endif
