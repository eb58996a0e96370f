/* blocks: a value that consists of blocks, at most one of each rank.
 *
 * A rank begins with its own block, or with none. To combine two values is to join their blocks; no
 * rank has a block in both. So a value states which ranks are in it, whichever way it has
 * travelled. A value is as long as its blocks make it. If its data exceed a limit, it holds no data
 * and is marked as too large, alike on all ranks that get the result. If the owner of a block
 * exposes its data, only the head of the block travels.
 *
 *     head | rank 2: 24 bytes | ... | rank 0: 8 bytes | ...        each 16-byte aligned
 *
 * A rank often contributes one small block. That is a value of 16 bytes in all, whose message takes
 * one cache line:
 *
 *     rank 2: 8 bytes                                              FTC_INLINE_BYTES at most
 *
 * Values that come from other processes are not trusted. Incomplete blocks are not found. Block
 * ranks are not checked: ftc_blocks_next() may return a rank that does not exist. */
#ifndef FTC_VALUE_BLOCKS_H
#define FTC_VALUE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FTC_BLOCK_ALIGN = 16, FTC_INLINE_BYTES = 8 };

/* Block that was found in a value. */
struct ftc_block {
    int rank;         /* its owner */
    uint32_t note;    /* from its owner, beside the data; 0: none */
    uint32_t exposed; /* 0: data in the value; else where its owner exposes them (exposed.h) */
    size_t bytes;     /* length of the data */
    const unsigned char *data; /* in the value; aligned to 16, FTC_INLINE_BYTES or fewer to 8 */
};

/* Limits of all values of one operation; context of ftc_blocks_join(). */
struct ftc_blocks_limit {
    int ranks;          /* number of ranks that may have a block, from 0 on */
    size_t data_bytes;  /* most data of all blocks together; less than 2^48 */
    bool exposed_apart; /* exposed data do not count */
};

/* Returns the bytes that a value within @limit can take. */
size_t ftc_blocks_room(const struct ftc_blocks_limit *limit);

/* Makes a value without blocks. */
void ftc_blocks_begin(void *value);

/* Adds a block of @rank, which has none yet, to a value that has room for it. Returns where its
 * @bytes of data belong, valid until another block is added. If @exposed is not 0, the rank exposes
 * the data under this name, and writes none there. Returns NULL if the data exceed @limit: the
 * value is then too large, and has no blocks. */
void *ftc_blocks_add(void *value, const struct ftc_blocks_limit *limit, int rank, size_t bytes,
                     uint32_t exposed);

/* Sets the note of the block of @value for which ftc_blocks_add() has returned @data. */
void ftc_blocks_note(void *value, const void *data, uint32_t note);

/* Adds the blocks of @from to those of @into, for ftc_op_config. @limit is a struct
 * ftc_blocks_limit. */
void ftc_blocks_join(const void *limit, void *into, const void *from);

/* Returns the length that @value states, for ftc_op_config. A value of another process may state
 * any. */
size_t ftc_blocks_used_bytes(const void *value);

/* Returns @value, which came from another process and has @room bytes. Returns NULL if it is NULL
 * or states that it is longer. */
static inline const void *ftc_blocks_within(const void *value, size_t room)
{
    return value && ftc_blocks_used_bytes(value) <= room ? value : NULL;
}

bool ftc_blocks_are_too_large(const void *value);

/* Sets *@block to the next block of a value, in the order in which they stand. *@at is the
 * position, 0 at the beginning. Returns false after the last block. */
bool ftc_blocks_next(const void *value, size_t *at, struct ftc_block *block);

/* Finds the block of @rank. The search begins at *@at, so it is fast if ranks are asked for in the
 * order of the blocks. Returns false if there is none. */
bool ftc_blocks_find(const void *value, int rank, size_t *at, struct ftc_block *block);

#endif
