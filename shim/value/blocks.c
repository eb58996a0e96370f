#include "blocks.h"

#include <string.h>

/* Head of a value with any number of blocks. */
struct head {
    _Alignas(FTC_BLOCK_ALIGN) uint64_t bytes; /* of the value with this head, aligned */
    uint64_t data_bytes : 63; /* that count against the limit, without heads and padding */
    uint64_t is_too_large : 1;
};

/* Head of a block in a value. The data follow it, unless they are exposed. */
struct block {
    uint64_t bytes : 48;
    uint64_t rank : 16;
    uint32_t note, exposed;
};

/* Value that is one small block. Its form is never a multiple of 16, and the bytes of a head always
 * are, which distinguishes the two. */
struct inline_block {
    _Alignas(FTC_BLOCK_ALIGN) uint16_t form; /* bytes of data + 1, or INLINE_EXPOSED */
    uint16_t rank;
    uint32_t note;
    union {
        unsigned char data[FTC_INLINE_BYTES];
        struct {
            uint32_t name, bytes;
        } exposed;
    };
};

enum { INLINE_EXPOSED = FTC_INLINE_BYTES + 2 };

/* Beginning of a value, of either kind. */
union start {
    struct head head;
    struct inline_block one;
};

_Static_assert(INLINE_EXPOSED < sizeof(struct head), "a form is no multiple of the alignment");
_Static_assert(sizeof(struct inline_block) == sizeof(struct head),
               "a value without blocks becomes inline");
_Static_assert(sizeof(struct block) % FTC_BLOCK_ALIGN == 0, "data are aligned");

static size_t aligned(size_t bytes)
{
    return (bytes + FTC_BLOCK_ALIGN - 1) / FTC_BLOCK_ALIGN * FTC_BLOCK_ALIGN;
}

/* Returns the bytes that a block takes in a value. */
static size_t block_bytes(const struct block *block)
{
    return sizeof *block + (block->exposed ? 0 : aligned(block->bytes));
}

size_t ftc_blocks_room(const struct ftc_blocks_limit *limit)
{
    size_t surrounds = sizeof(struct block) + FTC_BLOCK_ALIGN - 1; /* head and padding */

    return sizeof(struct head) + aligned((size_t)limit->ranks * surrounds + limit->data_bytes);
}

void ftc_blocks_begin(void *value)
{
    *(struct head *)value = (struct head){.bytes = sizeof(struct head)};
}

/* Returns a copy of the beginning of @value. It is read once, because other processes may write to
 * it. */
static union start start_of(const void *value)
{
    union start s;

    memcpy(&s, value, sizeof s);
    return s;
}

static bool is_inline(const union start *s)
{
    return s->one.form % FTC_BLOCK_ALIGN != 0;
}

static bool is_without_blocks(const union start *s)
{
    return s->head.bytes == sizeof s->head && !s->head.is_too_large;
}

/* Returns the block that @value consists of, with @block as a copy of it. An unknown form has no
 * data, so data never exceed FTC_INLINE_BYTES unless they are exposed. */
static struct ftc_block block_of(const struct inline_block *block, const void *value)
{
    struct ftc_block b = {.rank = block->rank, .note = block->note};

    b.data = ((const struct inline_block *)value)->data;
    b.exposed = block->form == INLINE_EXPOSED ? block->exposed.name : 0;
    if (b.exposed)
        b.bytes = block->exposed.bytes;
    else if (block->form <= FTC_INLINE_BYTES + 1)
        b.bytes = block->form - 1u;
    return b;
}

/* ---- adding ---- */

/* Returns how many of @bytes of data count against the limit. */
static size_t counted(const struct ftc_blocks_limit *limit, size_t bytes, uint32_t exposed)
{
    return exposed && limit->exposed_apart ? 0 : bytes;
}

static void become_too_large(void *value)
{
    ftc_blocks_begin(value);
    ((struct head *)value)->is_too_large = 1;
}

/* Makes @value one inline block. Returns where its data belong. */
static void *become_inline(void *value, int rank, size_t bytes, uint32_t exposed)
{
    struct inline_block *b = value;

    *b = (struct inline_block){.rank = (uint16_t)rank, .form = (uint16_t)(bytes + 1)};
    if (exposed) {
        b->form = INLINE_EXPOSED;
        b->exposed.name = exposed;
        b->exposed.bytes = (uint32_t)bytes;
    }
    return b->data;
}

/* As above, but appends the block to the others. */
static void *append(struct head *head, const struct ftc_blocks_limit *limit, int rank, size_t bytes,
                    uint32_t exposed)
{
    struct block *block = (void *)((char *)head + head->bytes);
    unsigned char *data = (unsigned char *)(block + 1);

    *block = (struct block){.rank = (uint16_t)rank, .bytes = bytes, .exposed = exposed};
    if (!exposed)
        memset(data + bytes, 0, aligned(bytes) - bytes); /* padding is sent too */
    head->bytes += block_bytes(block);
    head->data_bytes += counted(limit, bytes, exposed);
    return data;
}

/* Appends @block, which is a whole value. The bytes after its data are zero already. */
static void append_inline(struct head *head, const struct ftc_blocks_limit *limit,
                          const struct inline_block *block)
{
    const struct ftc_block b = block_of(block, block);
    struct one_block {
        struct block head;
        _Alignas(FTC_BLOCK_ALIGN) unsigned char data[FTC_BLOCK_ALIGN];
    } *to = (void *)((char *)head + head->bytes);

    to->head = (struct block){
        .rank = (uint16_t)b.rank, .bytes = b.bytes, .note = b.note, .exposed = b.exposed};
    if (!b.exposed) {
        memcpy(to->data, block->data, sizeof block->data);
        memset(to->data + sizeof block->data, 0, sizeof to->data - sizeof block->data);
    }
    head->bytes += block_bytes(&to->head);
    head->data_bytes += counted(limit, b.bytes, b.exposed);
}

/* Gives @value a head if it is one inline block. Returns the head. */
static struct head *widen(void *value, const struct ftc_blocks_limit *limit)
{
    const union start s = start_of(value);

    if (is_inline(&s)) {
        ftc_blocks_begin(value);
        append_inline(value, limit, &s.one);
    }
    return value;
}

void *ftc_blocks_add(void *value, const struct ftc_blocks_limit *limit, int rank, size_t bytes,
                     uint32_t exposed)
{
    struct head *head = widen(value, limit);
    size_t data_bytes = counted(limit, bytes, exposed);

    if (data_bytes > limit->data_bytes || head->data_bytes > limit->data_bytes - data_bytes) {
        become_too_large(value);
        return NULL;
    }
    if (is_without_blocks(value) && bytes <= (exposed ? UINT32_MAX : FTC_INLINE_BYTES))
        return become_inline(value, rank, bytes, exposed);
    return append(head, limit, rank, bytes, exposed);
}

void ftc_blocks_note(void *value, const void *data, uint32_t note)
{
    size_t at = (size_t)((const char *)data - (char *)value);

    if (at == offsetof(struct inline_block, data))
        ((struct inline_block *)value)->note = note;
    else
        ((struct block *)(void *)((char *)value + at))[-1].note = note;
}

/* Returns whether @bytes with @data_bytes of data can be appended. The numbers come from two heads,
 * neither of which is trusted. */
static bool fits(const struct head *head, size_t bytes, size_t data_bytes,
                 const struct ftc_blocks_limit *limit)
{
    size_t room = ftc_blocks_room(limit);

    return head->data_bytes + data_bytes <= limit->data_bytes && bytes <= room &&
           head->bytes >= sizeof *head && head->bytes <= room - bytes;
}

static void join(struct head *into, const struct head *from, const char *blocks,
                 const struct ftc_blocks_limit *limit)
{
    size_t bytes = from->bytes - sizeof *from;

    if (into->is_too_large || from->is_too_large || !fits(into, bytes, from->data_bytes, limit)) {
        become_too_large(into);
        return;
    }
    memcpy((char *)into + into->bytes, blocks, bytes);
    into->bytes += bytes;
    into->data_bytes += from->data_bytes;
}

static void join_inline(void *value, const union start *from, const struct ftc_blocks_limit *limit)
{
    const union start s = start_of(value);
    const struct ftc_block b = block_of(&from->one, from);
    size_t data_bytes = counted(limit, b.bytes, b.exposed);
    struct head *into = value;

    if (is_without_blocks(&s) && data_bytes <= limit->data_bytes) {
        memcpy(value, from, sizeof *from);
        return;
    }
    into = widen(value, limit);
    if (into->is_too_large ||
        !fits(into, sizeof(struct block) + FTC_BLOCK_ALIGN, data_bytes, limit))
        become_too_large(into);
    else
        append_inline(into, limit, &from->one);
}

void ftc_blocks_join(const void *limit, void *into, const void *from)
{
    const union start s = start_of(from);

    if (is_inline(&s))
        join_inline(into, &s, limit);
    else if (!is_without_blocks(&s))
        join(widen(into, limit), &s.head, (const char *)from + sizeof s, limit);
}

/* ---- reading ---- */

size_t ftc_blocks_used_bytes(const void *value)
{
    union start s = start_of(value);

    return is_inline(&s) ? sizeof s : s.head.bytes;
}

bool ftc_blocks_are_too_large(const void *value)
{
    union start s = start_of(value);

    return !is_inline(&s) && s.head.is_too_large;
}

static bool next_of_many(const void *value, size_t bytes, size_t *at, struct ftc_block *block)
{
    struct block b;

    if (*at == 0)
        *at = sizeof(struct head);
    if (*at > bytes || bytes - *at < sizeof b)
        return false;
    memcpy(&b, (const char *)value + *at, sizeof b);
    if (bytes - *at < block_bytes(&b)) /* incomplete */
        return false;
    *block = (struct ftc_block){
        .rank = (int)b.rank,
        .note = b.note,
        .exposed = b.exposed,
        .bytes = b.bytes,
        .data = (const unsigned char *)value + *at + sizeof b,
    };
    *at += block_bytes(&b);
    return true;
}

bool ftc_blocks_next(const void *value, size_t *at, struct ftc_block *block)
{
    union start s = start_of(value);

    if (!is_inline(&s))
        return next_of_many(value, s.head.bytes, at, block);
    if (*at > 0)
        return false;
    *at = sizeof s;
    *block = block_of(&s.one, value);
    return true;
}

static bool find_from(const void *value, int rank, size_t *at, struct ftc_block *block)
{
    while (ftc_blocks_next(value, at, block))
        if (block->rank == rank)
            return true;
    return false;
}

bool ftc_blocks_find(const void *value, int rank, size_t *at, struct ftc_block *block)
{
    if (find_from(value, rank, at, block))
        return true;
    *at = 0;
    return find_from(value, rank, at, block);
}
