#include "value.h"

#include <string.h>

static size_t counts_bytes(int n)
{
    return (offsetof(struct sim_value, count) + (size_t)n + 3) / 4 * 4;
}

static size_t blocks_at(int n)
{
    return (counts_bytes(n) + FTC_BLOCK_ALIGN - 1) / FTC_BLOCK_ALIGN * FTC_BLOCK_ALIGN;
}

/* Some have none, some of more than what blocks are aligned to. */
size_t sim_value_block_bytes(int rank)
{
    return (size_t)(rank * 7 % 20);
}

uint8_t sim_value_block_content(int rank, int seq)
{
    return (uint8_t)(16 * seq + rank + 1);
}

static size_t all_block_bytes(int n)
{
    size_t bytes = 0;

    for (int rank = 0; rank < n; rank++)
        bytes += sim_value_block_bytes(rank);
    return bytes;
}

struct sim_value_kind sim_value_kind(int n, bool has_blocks, int seq)
{
    size_t all = all_block_bytes(n);

    return (struct sim_value_kind){
        .n = n,
        .has_blocks = has_blocks,
        .limit = {.ranks = n, .data_bytes = seq % 2 == 1 && all > 0 ? all - 1 : all},
    };
}

size_t sim_value_bytes(int n, bool has_blocks)
{
    struct sim_value_kind kind = sim_value_kind(n, has_blocks, 0);

    return has_blocks ? blocks_at(n) + ftc_blocks_room(&kind.limit) : counts_bytes(n);
}

static void begin_blocks(struct sim_value *v, const struct sim_value_kind *kind, int rank, int seq)
{
    size_t bytes = sim_value_block_bytes(rank);
    void *blocks, *data;

    v->blocks_at = (uint32_t)blocks_at(kind->n);
    blocks = (char *)v + v->blocks_at;
    ftc_blocks_begin(blocks);
    data = ftc_blocks_add(blocks, &kind->limit, rank, bytes, 0);
    if (data)
        memset(data, sim_value_block_content(rank, seq), bytes);
}

void sim_value_original(struct sim_value *v, const struct sim_value_kind *kind, int rank, int seq)
{
    memset(v, 0, kind->has_blocks ? blocks_at(kind->n) : counts_bytes(kind->n));
    v->expression = (uint64_t)rank + 1;
    v->operations = 1u << seq;
    v->count[rank] = 1;
    if (kind->has_blocks)
        begin_blocks(v, kind, rank, seq);
}

void sim_value_say(struct sim_value *v, int rank, uint64_t left)
{
    struct ftc_round_status status = ftc_round_status_of(rank, 0, left);

    memcpy(v->status, &status, sizeof v->status);
}

struct ftc_round_status sim_value_status(const struct sim_value *v, int n)
{
    return ftc_round_status_read(v->status, n);
}

static uint64_t scramble(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ull;
    return x ^ x >> 29;
}

const void *sim_value_blocks(const struct sim_value *v)
{
    return v->blocks_at > 0 ? (const char *)v + v->blocks_at : NULL;
}

size_t sim_value_used_bytes(const void *value)
{
    const struct sim_value *v = value;

    return v->blocks_at + ftc_blocks_used_bytes(sim_value_blocks(v));
}

/* Neither commutative nor associative: two orders of combination differ. */
void sim_value_combine(void *context, void *into, const void *from)
{
    const struct sim_value_kind *kind = context;
    const struct sim_value *b = from;
    struct sim_value *a = into;

    a->expression = scramble(3 * scramble(a->expression) + b->expression);
    a->operations |= b->operations;
    a->incomplete |= b->incomplete;
    a->slices |= b->slices;
    ftc_round_status_join(a->status, b->status, kind->n);
    for (int i = 0; i < kind->n; i++)
        a->count[i] = (uint8_t)(a->count[i] + b->count[i]);
    if (kind->has_blocks)
        ftc_blocks_join(&kind->limit, (char *)into + a->blocks_at, sim_value_blocks(b));
}
