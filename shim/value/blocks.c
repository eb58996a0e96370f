#include "blocks.h"

#include <string.h>

static size_t aligned(size_t bytes)
{
    return (bytes + FTC_BLOCK_ALIGN - 1) / FTC_BLOCK_ALIGN * FTC_BLOCK_ALIGN;
}

static size_t block_bytes(size_t data_bytes)
{
    return sizeof(struct ftc_block) + aligned(data_bytes);
}

size_t ftc_blocks_room(const struct ftc_blocks_limit *limit)
{
    size_t surrounds = sizeof(struct ftc_block) + FTC_BLOCK_ALIGN - 1; /* of each block */

    return sizeof(struct ftc_blocks) +
           aligned((size_t)limit->ranks * surrounds + limit->data_bytes);
}

void ftc_blocks_begin(void *value)
{
    *(struct ftc_blocks *)value = (struct ftc_blocks){.bytes = sizeof(struct ftc_blocks)};
}

static void become_too_large(struct ftc_blocks *b)
{
    ftc_blocks_begin(b);
    b->is_too_large = 1;
}

void *ftc_blocks_add(void *value, const struct ftc_blocks_limit *limit, int rank, size_t bytes)
{
    struct ftc_blocks *b = value;
    struct ftc_block *block = (void *)((char *)value + b->bytes);

    if (bytes > limit->data_bytes || b->data_bytes > limit->data_bytes - bytes) {
        become_too_large(b);
        return NULL;
    }
    memset(block, 0, sizeof *block); /* gaps travel, too */
    memset(block->data + bytes, 0, block_bytes(bytes) - sizeof *block - bytes);
    block->rank = (uint32_t)rank;
    block->bytes = (uint32_t)bytes;
    b->bytes += (uint32_t)block_bytes(bytes);
    b->data_bytes += (uint32_t)bytes;
    b->count++;
    return block->data;
}

/* Others may write to @value meanwhile: its head is read once. */
static struct ftc_blocks head_of(const void *value)
{
    struct ftc_blocks head;

    memcpy(&head, value, sizeof head);
    return head;
}

/* Whether both, as their heads tell, fit; a head that lies has more of them than there can be. */
static bool fit(const struct ftc_blocks *a, const struct ftc_blocks *b,
                const struct ftc_blocks_limit *limit)
{
    size_t bytes = (size_t)a->bytes + b->bytes - sizeof *b;

    return (size_t)a->data_bytes + b->data_bytes <= limit->data_bytes &&
           bytes <= ftc_blocks_room(limit);
}

void ftc_blocks_join(const void *limit, void *into, const void *from)
{
    struct ftc_blocks *a = into, b = head_of(from);
    size_t bytes;

    if (b.bytes < sizeof b || b.bytes % FTC_BLOCK_ALIGN != 0)
        return;
    if (a->is_too_large || b.is_too_large || !fit(a, &b, limit)) {
        become_too_large(a);
        return;
    }
    bytes = b.bytes - sizeof b;
    memcpy((char *)into + a->bytes, (const char *)from + sizeof b, bytes);
    a->bytes += (uint32_t)bytes;
    a->data_bytes += b.data_bytes;
    a->count += b.count;
}

size_t ftc_blocks_used_bytes(const void *value)
{
    return head_of(value).bytes;
}

bool ftc_blocks_are_too_large(const void *value)
{
    return head_of(value).is_too_large != 0;
}

int ftc_blocks_count(const void *value)
{
    return (int)head_of(value).count;
}

const struct ftc_block *ftc_blocks_next(const void *value, size_t *at)
{
    const struct ftc_block *block;
    size_t bytes = head_of(value).bytes;

    if (*at == 0)
        *at = sizeof(struct ftc_blocks);
    block = (const void *)((const char *)value + *at);
    if (*at > bytes || bytes - *at < sizeof *block ||
        bytes - *at < block_bytes(block->bytes)) /* the end, or not whole */
        return NULL;
    *at += block_bytes(block->bytes);
    return block;
}

static const struct ftc_block *find_from(const void *value, uint32_t rank, size_t *at)
{
    const struct ftc_block *block = ftc_blocks_next(value, at);

    while (block && block->rank != rank)
        block = ftc_blocks_next(value, at);
    return block;
}

const struct ftc_block *ftc_blocks_find(const void *value, int rank, size_t *at)
{
    const struct ftc_block *block = find_from(value, (uint32_t)rank, at);

    if (block)
        return block;
    *at = 0;
    return find_from(value, (uint32_t)rank, at);
}
