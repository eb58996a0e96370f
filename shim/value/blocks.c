#include "blocks.h"

#include <string.h>

static size_t aligned(size_t bytes)
{
    return (bytes + FTC_BLOCK_ALIGN - 1) / FTC_BLOCK_ALIGN * FTC_BLOCK_ALIGN;
}

/* Of one that is in a value. */
static size_t block_bytes(const struct ftc_block *block)
{
    return sizeof *block + (block->shown ? 0 : aligned(block->bytes));
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

/* The head of a block; NULL: too large. */
static struct ftc_block *add(struct ftc_blocks *b, const struct ftc_blocks_limit *limit, int rank,
                             size_t bytes, uint32_t shown)
{
    struct ftc_block *block = (void *)((char *)b + b->bytes);

    if (bytes > limit->data_bytes || b->data_bytes > limit->data_bytes - bytes) {
        become_too_large(b);
        return NULL;
    }
    *block = (struct ftc_block){.rank = (uint16_t)rank, .bytes = bytes, .shown = shown};
    b->bytes += block_bytes(block);
    b->data_bytes += bytes;
    b->count++;
    return block;
}

void *ftc_blocks_add(void *value, const struct ftc_blocks_limit *limit, int rank, size_t bytes)
{
    struct ftc_block *block = add(value, limit, rank, bytes, 0);

    if (!block)
        return NULL;
    memset(block->data + bytes, 0, aligned(bytes) - bytes); /* gaps travel, too */
    return block->data;
}

bool ftc_blocks_add_shown(void *value, const struct ftc_blocks_limit *limit, int rank, size_t bytes,
                          uint32_t shown)
{
    return add(value, limit, rank, bytes, shown) != NULL;
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
    size_t room = ftc_blocks_room(limit);

    return a->data_bytes + (size_t)b->data_bytes <= limit->data_bytes && b->bytes <= room &&
           a->bytes + b->bytes - sizeof *b <= room;
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
    a->bytes += bytes;
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
        bytes - *at < block_bytes(block)) /* the end, or not whole */
        return NULL;
    *at += block_bytes(block);
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
