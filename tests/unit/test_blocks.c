/* Values that are put together from blocks: everybody's block is there once, whatever way values
 * take; too much of them is agreed on; nothing that lies is believed. */
#include "unit.h"
#include "value/blocks.h"
#include "value/broadcast.h"

#include <string.h>
#include <sys/mman.h>

enum { RANKS = 5, DATA = 100, ROOM = 1024 };

static const struct ftc_blocks_limit limit = {.ranks = RANKS, .data_bytes = DATA};

struct value {
    _Alignas(FTC_BLOCK_ALIGN) unsigned char bytes[ROOM];
};

/* Of rank @rank, with @bytes of its own data. */
static struct value of(int rank, size_t bytes)
{
    struct value v;
    void *data;

    ftc_blocks_begin(&v);
    data = ftc_blocks_add(&v, &limit, rank, bytes);
    if (data)
        memset(data, 'a' + rank, bytes);
    return v;
}

static void check_block(const void *value, int rank, size_t bytes)
{
    size_t at = 0;
    const struct ftc_block *block = ftc_blocks_find(value, rank, &at);

    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq(block->bytes, bytes);
    ck_assert_uint_eq((uintptr_t)block->data % FTC_BLOCK_ALIGN, 0);
    for (size_t i = 0; i < bytes; i++)
        ck_assert_int_eq(block->data[i], 'a' + rank);
}

static int times(const void *value, int rank)
{
    const struct ftc_block *block;
    size_t at = 0;
    int count = 0;

    while ((block = ftc_blocks_next(value, &at)) != NULL)
        count += block->rank == (uint32_t)rank;
    return count;
}

START_TEST(a_value_is_as_long_as_its_blocks)
{
    struct value none, some = of(1, 7), empty = of(2, 0);

    ftc_blocks_begin(&none);
    ck_assert_uint_eq(ftc_blocks_used_bytes(&none), 16);
    ck_assert_uint_eq(ftc_blocks_used_bytes(&some), 16 + 16 + 16);
    ck_assert_uint_eq(ftc_blocks_used_bytes(&empty), 16 + 16);
    check_block(&some, 1, 7);
    check_block(&empty, 2, 0);
}
END_TEST

START_TEST(to_combine_is_to_have_the_blocks_of_both)
{
    struct value all = of(3, 20), with;

    for (int rank = 0; rank < RANKS; rank++) {
        if (rank == 3)
            continue;
        with = of(rank, (size_t)(3 * rank));
        ftc_blocks_join(&limit, &all, &with);
    }
    ck_assert_int_eq(ftc_blocks_count(&all), RANKS);
    for (int rank = 0; rank < RANKS; rank++) {
        check_block(&all, rank, rank == 3 ? 20 : (size_t)(3 * rank));
        ck_assert_int_eq(times(&all, rank), 1);
    }
    ck_assert_uint_le(ftc_blocks_used_bytes(&all), ftc_blocks_room(&limit));
}
END_TEST

START_TEST(whoever_gave_nothing_is_not_found)
{
    struct value v = of(1, 4), with = of(4, 4);
    size_t at = 0;

    ftc_blocks_join(&limit, &v, &with);
    ck_assert_ptr_null(ftc_blocks_find(&v, 0, &at));
    ck_assert_ptr_null(ftc_blocks_find(&v, 2, &at));
    ck_assert_ptr_nonnull(ftc_blocks_find(&v, 1, &at)); /* also after a search in vain */
}
END_TEST

START_TEST(there_is_room_for_the_most_that_is_allowed)
{
    struct value all, with;

    all = of(0, DATA - RANKS + 1);
    for (int rank = 1; rank < RANKS; rank++) {
        with = of(rank, 1);
        ftc_blocks_join(&limit, &all, &with);
    }
    ck_assert(!ftc_blocks_are_too_large(&all));
    ck_assert_uint_le(ftc_blocks_used_bytes(&all), ftc_blocks_room(&limit));
    check_block(&all, 0, DATA - RANKS + 1);
}
END_TEST

START_TEST(one_byte_more_is_too_large_in_any_order)
{
    struct value big = of(0, DATA), small = of(1, 1), none = of(2, 0);

    ftc_blocks_join(&limit, &big, &small);
    ck_assert(ftc_blocks_are_too_large(&big));
    ck_assert_int_eq(ftc_blocks_count(&big), 0);
    big = of(0, DATA);
    ftc_blocks_join(&limit, &small, &big);
    ck_assert(ftc_blocks_are_too_large(&small));
    ftc_blocks_join(&limit, &none, &small); /* and stays so */
    ck_assert(ftc_blocks_are_too_large(&none));
    ck_assert_uint_eq(ftc_blocks_used_bytes(&none), 16);
}
END_TEST

START_TEST(a_block_that_is_too_large_alone_is_no_block)
{
    struct value v = of(0, DATA + 1);

    ck_assert(ftc_blocks_are_too_large(&v));
    v = of(0, SIZE_MAX);
    ck_assert(ftc_blocks_are_too_large(&v));
}
END_TEST

/* Any process may have written the value. */
START_TEST(heads_that_lie_lead_nowhere)
{
    static const uint64_t bytes[] = {0, 1, 15, 17, 40, ROOM, 1u << 31, UINT32_MAX, UINT64_MAX - 15};

    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct value into = of(0, 4), from = of(1, 4);

        ((struct ftc_blocks *)&from)->bytes = bytes[i];
        ftc_blocks_join(&limit, &into, &from);
        ck_assert_uint_le(ftc_blocks_used_bytes(&into), ftc_blocks_room(&limit));
    }
}
END_TEST

START_TEST(blocks_that_are_not_whole_are_not_found)
{
    struct value v = of(1, 4);
    struct ftc_block *block = (void *)(v.bytes + sizeof(struct ftc_blocks));
    size_t at = 0;

    block->bytes = 5000;
    ck_assert_ptr_null(ftc_blocks_find(&v, 1, &at));
    block->bytes = ((uint64_t)1 << 48) - 1;
    at = 0;
    ck_assert_ptr_null(ftc_blocks_find(&v, 1, &at));
}
END_TEST

/* Of memory that is not touched. */
START_TEST(a_block_may_be_longer_than_4_gib)
{
    struct ftc_blocks_limit whole = {.ranks = 1, .data_bytes = ((size_t)5 << 30) + 3};
    void *v = mmap(NULL, ftc_blocks_room(&whole), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t at = 0;

    ck_assert_ptr_ne(v, MAP_FAILED);
    ftc_blocks_begin(v);
    ck_assert_ptr_nonnull(ftc_blocks_add(v, &whole, 2, whole.data_bytes));
    ck_assert_ptr_null(ftc_blocks_add(v, &whole, 1, 1));
    ftc_blocks_begin(v);
    ck_assert_ptr_nonnull(ftc_blocks_add(v, &whole, 2, whole.data_bytes));
    ck_assert_uint_eq(ftc_blocks_find(v, 2, &at)->bytes, whole.data_bytes);
    ck_assert_uint_gt(ftc_blocks_used_bytes(v), whole.data_bytes);
    munmap(v, ftc_blocks_room(&whole));
}
END_TEST

/* ---- shown elsewhere ---- */

START_TEST(of_a_block_that_is_shown_the_head_travels)
{
    enum { OTHERS = 8 };
    struct value all, other = of(0, OTHERS);
    const struct ftc_block *block;
    size_t at = 0;

    ftc_blocks_begin(&all);
    ck_assert(ftc_blocks_add_shown(&all, &limit, 1, DATA - OTHERS, 3));
    ck_assert_uint_eq(ftc_blocks_used_bytes(&all), 16 + 16);
    ftc_blocks_join(&limit, &all, &other);
    block = ftc_blocks_find(&all, 0, &at);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq(block->shown, 0);
    block = ftc_blocks_find(&all, 1, &at);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq(block->shown, 3);
    ck_assert_uint_eq(block->bytes, DATA - OTHERS);
}
END_TEST

START_TEST(shown_data_count_as_others_do)
{
    struct value v, other = of(0, 8);

    ftc_blocks_begin(&v);
    ck_assert(!ftc_blocks_add_shown(&v, &limit, 1, limit.data_bytes + 1, 3));
    ck_assert(ftc_blocks_are_too_large(&v));
    ftc_blocks_begin(&v);
    ck_assert(ftc_blocks_add_shown(&v, &limit, 1, limit.data_bytes, 3));
    ftc_blocks_join(&limit, &v, &other);
    ck_assert(ftc_blocks_are_too_large(&v));
}
END_TEST

/* ---- a broadcast's ---- */

/* Who has no data gives the root none. */
START_TEST(a_broadcast_without_data_is_its_head)
{
    struct value none, all;
    const size_t whole = ftc_broadcast_value_bytes(DATA);

    ftc_broadcast_begin((void *)&none, false, DATA);
    ftc_broadcast_begin((void *)&all, true, DATA);
    ck_assert_uint_eq(ftc_broadcast_used_bytes(&none), sizeof(struct ftc_broadcast_value));
    ck_assert_uint_eq(ftc_broadcast_used_bytes(&all), whole);
    ftc_broadcast_combine((void *)&whole, &all, &none);
    ck_assert_uint_eq(ftc_broadcast_used_bytes(&all), whole);
    ftc_broadcast_combine((void *)&whole, &none, &all);
    ck_assert_uint_eq(ftc_broadcast_used_bytes(&none), whole);
}
END_TEST

START_TEST(a_broadcast_of_another_length_is_none)
{
    struct value none, other;
    const size_t whole = ftc_broadcast_value_bytes(DATA);

    ftc_broadcast_begin((void *)&none, false, DATA);
    ftc_broadcast_begin((void *)&other, true, DATA + 1);
    ftc_broadcast_combine((void *)&whole, &none, &other);
    ck_assert_uint_eq(ftc_broadcast_used_bytes(&none), sizeof(struct ftc_broadcast_value));
}
END_TEST

START_TEST(of_a_broadcast_that_is_shown_the_head_travels)
{
    struct value none, all;
    struct ftc_broadcast_value *shown = (void *)&all;
    const size_t whole = ftc_broadcast_value_bytes(DATA);

    ftc_broadcast_begin((void *)&none, false, DATA);
    ftc_broadcast_begin(shown, true, DATA);
    shown->shown = 2;
    ck_assert_uint_eq(ftc_broadcast_used_bytes(&all), sizeof *shown);
    ftc_broadcast_combine((void *)&whole, &none, &all);
    ck_assert_mem_eq(&none, &all, sizeof *shown);
    shown->bytes++;
    ftc_broadcast_begin((void *)&none, false, DATA);
    ftc_broadcast_combine((void *)&whole, &none, &all);
    ck_assert_uint_eq(((struct ftc_broadcast_value *)(void *)&none)->has_data, 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("blocks");
    UNIT_TEST(a_value_is_as_long_as_its_blocks);
    UNIT_TEST(to_combine_is_to_have_the_blocks_of_both);
    UNIT_TEST(whoever_gave_nothing_is_not_found);
    UNIT_TEST(there_is_room_for_the_most_that_is_allowed);
    UNIT_TEST(one_byte_more_is_too_large_in_any_order);
    UNIT_TEST(a_block_that_is_too_large_alone_is_no_block);
    UNIT_TEST(heads_that_lie_lead_nowhere);
    UNIT_TEST(blocks_that_are_not_whole_are_not_found);
    UNIT_TEST(a_block_may_be_longer_than_4_gib);
    UNIT_TEST(of_a_block_that_is_shown_the_head_travels);
    UNIT_TEST(shown_data_count_as_others_do);
    UNIT_TEST(of_a_broadcast_that_is_shown_the_head_travels);
    UNIT_TEST(a_broadcast_without_data_is_its_head);
    UNIT_TEST(a_broadcast_of_another_length_is_none);
    UNIT_END();
}
