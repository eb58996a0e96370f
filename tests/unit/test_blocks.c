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
    data = ftc_blocks_add(&v, &limit, rank, bytes, 0);
    if (data)
        memset(data, 'a' + rank, bytes);
    return v;
}

static void check_block(const void *value, int rank, size_t bytes)
{
    struct ftc_block block;
    size_t at = 0;

    ck_assert(ftc_blocks_find(value, rank, &at, &block));
    ck_assert_uint_eq(block.bytes, bytes);
    ck_assert_uint_eq(block.exposed, 0);
    ck_assert_uint_eq((uintptr_t)block.data % (bytes > 8 ? FTC_BLOCK_ALIGN : FTC_INLINE_BYTES), 0);
    for (size_t i = 0; i < bytes; i++)
        ck_assert_int_eq(block.data[i], 'a' + rank);
}

static int count(const void *value)
{
    struct ftc_block block;
    size_t at = 0;
    int blocks = 0;

    while (ftc_blocks_next(value, &at, &block))
        blocks++;
    return blocks;
}

static int times(const void *value, int rank)
{
    struct ftc_block block;
    size_t at = 0;
    int count = 0;

    while (ftc_blocks_next(value, &at, &block))
        count += block.rank == rank;
    return count;
}

START_TEST(a_value_is_as_long_as_its_blocks)
{
    struct value none, some = of(1, 9), more = of(2, 0);

    ftc_blocks_begin(&none);
    ck_assert_uint_eq(ftc_blocks_used_bytes(&none), 16);
    ck_assert_uint_eq(ftc_blocks_used_bytes(&some), 16 + 16 + 16);
    check_block(&some, 1, 9);
    ftc_blocks_join(&limit, &some, &more);
    ck_assert_uint_eq(ftc_blocks_used_bytes(&some), 16 + 16 + 16 + 16);
    check_block(&some, 1, 9);
    check_block(&some, 2, 0);
}
END_TEST

/* With what a message has before its value that is one line of memory. */
START_TEST(one_small_block_is_a_value_of_16_bytes)
{
    for (size_t bytes = 0; bytes <= FTC_INLINE_BYTES; bytes++) {
        struct value v = of(1, bytes), none;

        ck_assert_uint_eq(ftc_blocks_used_bytes(&v), 16);
        ck_assert_int_eq(count(&v), 1);
        ck_assert_int_eq(times(&v, 1), 1);
        check_block(&v, 1, bytes);
        ftc_blocks_begin(&none);
        ftc_blocks_join(&limit, &v, &none);
        ck_assert_uint_eq(ftc_blocks_used_bytes(&v), 16);
        ftc_blocks_join(&limit, &none, &v);
        ck_assert_uint_eq(ftc_blocks_used_bytes(&none), 16);
        check_block(&none, 1, bytes);
    }
}
END_TEST

START_TEST(two_small_blocks_are_there_in_any_order)
{
    for (int first = 0; first < RANKS; first++)
        for (int second = 0; second < RANKS; second++) {
            struct value v = of(first, 8), with = of(second, 8);

            if (first == second)
                continue;
            ftc_blocks_join(&limit, &v, &with);
            ck_assert_int_eq(count(&v), 2);
            check_block(&v, first, 8);
            check_block(&v, second, 8);
        }
}
END_TEST

/* Memory has something in it before. */
START_TEST(what_is_between_blocks_is_zero)
{
    for (size_t bytes = 0; bytes <= FTC_BLOCK_ALIGN; bytes++) {
        struct value v, with = of(2, bytes);
        struct ftc_block block;
        size_t at = 0;

        memset(&v, 0xff, sizeof v);
        ftc_blocks_begin(&v);
        ck_assert_ptr_nonnull(ftc_blocks_add(&v, &limit, 1, 0, 0));
        ftc_blocks_join(&limit, &v, &with);
        ck_assert(ftc_blocks_find(&v, 2, &at, &block));
        for (const unsigned char *p = block.data + bytes; p < v.bytes + ftc_blocks_used_bytes(&v);
             p++)
            ck_assert_uint_eq(*p, 0);
    }
}
END_TEST

/* By one rank, as what a value of several slices is put together from. */
START_TEST(several_blocks_are_added_one_after_the_other)
{
    struct value v = of(0, 8);

    for (int rank = 1; rank < RANKS; rank++) {
        void *data = ftc_blocks_add(&v, &limit, rank, 8, 0);

        ck_assert_ptr_nonnull(data);
        memset(data, 'a' + rank, 8);
        ftc_blocks_note(&v, data, (uint32_t)rank);
    }
    ck_assert_int_eq(count(&v), RANKS);
    for (int rank = 0; rank < RANKS; rank++)
        check_block(&v, rank, 8);
}
END_TEST

static uint32_t note_of(const void *value, int rank)
{
    struct ftc_block block;
    size_t at = 0;

    ck_assert(ftc_blocks_find(value, rank, &at, &block));
    return block.note;
}

START_TEST(a_note_stays_with_its_block)
{
    for (size_t bytes = 0; bytes < 20; bytes += 4) {
        struct value v = of(2, bytes), with = of(1, 20 - bytes);
        struct ftc_block block;
        size_t at = 0;

        ck_assert(ftc_blocks_find(&v, 2, &at, &block));
        ftc_blocks_note(&v, block.data, 77);
        ck_assert_uint_eq(note_of(&v, 2), 77);
        check_block(&v, 2, bytes);
        ftc_blocks_join(&limit, &with, &v);
        ck_assert_uint_eq(note_of(&with, 2), 77);
        ck_assert_uint_eq(note_of(&with, 1), 0);
        check_block(&with, 2, bytes);
    }
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
    ck_assert_int_eq(count(&all), RANKS);
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
    struct ftc_block block;
    size_t at = 0;

    ck_assert(!ftc_blocks_find(&v, 0, &at, &block));
    ck_assert(ftc_blocks_find(&v, 1, &at, &block)); /* also after a search in vain */
    ftc_blocks_join(&limit, &v, &with);
    at = 0;
    ck_assert(!ftc_blocks_find(&v, 0, &at, &block));
    ck_assert(!ftc_blocks_find(&v, 2, &at, &block));
    ck_assert(ftc_blocks_find(&v, 1, &at, &block));
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
    ck_assert_int_eq(count(&big), 0);
    big = of(0, DATA);
    ftc_blocks_join(&limit, &small, &big);
    ck_assert(ftc_blocks_are_too_large(&small));
    ftc_blocks_join(&limit, &none, &small); /* and stays so */
    ck_assert(ftc_blocks_are_too_large(&none));
    ck_assert_uint_eq(ftc_blocks_used_bytes(&none), 16);
}
END_TEST

START_TEST(a_small_block_may_be_too_large_as_well)
{
    const struct ftc_blocks_limit low = {.ranks = RANKS, .data_bytes = 3};
    struct value none, small = of(1, 4);

    ftc_blocks_begin(&none);
    ftc_blocks_join(&low, &none, &small);
    ck_assert(ftc_blocks_are_too_large(&none));
    none = of(0, 2);
    small = of(1, 2);
    ftc_blocks_join(&low, &none, &small);
    ck_assert(ftc_blocks_are_too_large(&none));
    small = of(1, 1);
    ftc_blocks_join(&low, &none, &small); /* and stays so */
    ck_assert(ftc_blocks_are_too_large(&none));
    ck_assert_int_eq(count(&none), 0);
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
    const uint64_t bytes[] = {
        0, 16, 32, ftc_blocks_room(&limit), ROOM, 1u << 31, UINT32_MAX, 1ull << 47, UINT64_MAX - 15,
    };

    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct value into = of(0, 4), from = of(1, 20);
        struct ftc_block block;
        size_t at = 0;

        memcpy(from.bytes, &bytes[i], sizeof bytes[i]);
        ftc_blocks_join(&limit, &into, &from);
        ck_assert_uint_le(ftc_blocks_used_bytes(&into), ftc_blocks_room(&limit));
        for (int found = 0; ftc_blocks_next(&into, &at, &block); found++) {
            ck_assert_int_lt(found, RANKS);
            ck_assert_uint_le(block.bytes, DATA);
        }
    }
}
END_TEST

/* Of a value that was copied as it came, and others are joined to. */
START_TEST(what_is_joined_to_a_head_that_lies_stays_in_its_room)
{
    static const uint64_t bytes[] = {0, ROOM, 1ull << 47, UINT64_MAX - 15, UINT64_MAX - 31};

    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (size_t own = 4; own <= 20; own += 16) {
            struct around {
                struct value before, into, behind;
            } all = {.into = of(0, 20)}, as_it_was;
            struct value from = of(1, own);

            memcpy(all.into.bytes, &bytes[i], sizeof bytes[i]);
            as_it_was = all;
            ftc_blocks_join(&limit, &all.into, &from);
            ck_assert_mem_eq(&all.before, &as_it_was.before, sizeof all.before);
            ck_assert_mem_eq(&all.behind, &as_it_was.behind, sizeof all.behind);
            ck_assert_uint_le(ftc_blocks_used_bytes(&all.into), ftc_blocks_room(&limit));
        }
}
END_TEST

START_TEST(a_value_that_says_that_it_is_longer_than_its_room_is_none)
{
    struct value v = of(1, 20);
    size_t used = ftc_blocks_used_bytes(&v);

    ck_assert_ptr_eq(ftc_blocks_within(&v, used), &v);
    ck_assert_ptr_null(ftc_blocks_within(&v, used - 1));
    ck_assert_ptr_null(ftc_blocks_within(NULL, used));
}
END_TEST

/* The same of one small block: whatever its form, its data are in it, or exposed somewhere. */
START_TEST(forms_that_lie_lead_nowhere)
{
    for (uint32_t form = 0; form <= UINT16_MAX; form++) {
        struct value into = of(0, 4), from = of(1, 4);
        const unsigned char *end = from.bytes + 16;
        const uint16_t as_it_stands = (uint16_t)form;
        struct ftc_block block;
        size_t at = 0;

        memcpy(from.bytes, &as_it_stands, sizeof as_it_stands);
        if (ftc_blocks_used_bytes(&from) == 16) {
            while (ftc_blocks_next(&from, &at, &block))
                ck_assert(block.exposed || block.data + block.bytes <= end);
        }
        ftc_blocks_join(&limit, &into, &from);
        ck_assert_uint_le(ftc_blocks_used_bytes(&into), ftc_blocks_room(&limit));
    }
}
END_TEST

/* A name that nobody shows under: the data are no longer than what there is. */
START_TEST(an_exposed_block_without_a_name_has_no_data)
{
    struct value v, into = of(0, 4);
    struct ftc_block block;
    const uint32_t no_name = 0;
    size_t at = 0;

    ftc_blocks_begin(&v);
    ck_assert(ftc_blocks_add(&v, &limit, 1, DATA - 8, 3));
    memcpy(v.bytes + 8, &no_name, sizeof no_name);
    ck_assert(ftc_blocks_find(&v, 1, &at, &block));
    ck_assert_uint_eq(block.bytes, 0);
    ftc_blocks_join(&limit, &into, &v);
    at = 0;
    ck_assert(ftc_blocks_find(&into, 1, &at, &block));
    ck_assert_uint_eq(block.bytes, 0);
}
END_TEST

START_TEST(blocks_that_are_not_whole_are_not_found)
{
    static const uint64_t too_long[] = {5000, ((uint64_t)1 << 48) - 1};

    for (int i = 0; i < 2; i++) {
        struct value v = of(1, 20);
        const uint64_t of_rank_1 = too_long[i] | (uint64_t)1 << 48;
        struct ftc_block block;
        size_t at = 0;

        ck_assert(ftc_blocks_find(&v, 1, &at, &block));
        memcpy(v.bytes + 16, &of_rank_1, sizeof of_rank_1);
        at = 0;
        ck_assert(!ftc_blocks_find(&v, 1, &at, &block));
    }
}
END_TEST

/* Of memory that is not touched. */
START_TEST(a_block_may_be_longer_than_4_gib)
{
    struct ftc_blocks_limit whole = {.ranks = 1, .data_bytes = ((size_t)5 << 30) + 3};
    void *v = mmap(NULL, ftc_blocks_room(&whole), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct ftc_block block;
    size_t at = 0;

    ck_assert_ptr_ne(v, MAP_FAILED);
    ftc_blocks_begin(v);
    ck_assert_ptr_nonnull(ftc_blocks_add(v, &whole, 2, whole.data_bytes, 0));
    ck_assert_ptr_null(ftc_blocks_add(v, &whole, 1, 1, 0));
    ftc_blocks_begin(v);
    ck_assert_ptr_nonnull(ftc_blocks_add(v, &whole, 2, whole.data_bytes, 0));
    ck_assert(ftc_blocks_find(v, 2, &at, &block));
    ck_assert_uint_eq(block.bytes, whole.data_bytes);
    ck_assert_uint_gt(ftc_blocks_used_bytes(v), whole.data_bytes);
    munmap(v, ftc_blocks_room(&whole));
}
END_TEST

/* ---- exposed elsewhere ---- */

START_TEST(the_head_of_an_exposed_block_travels)
{
    enum { OTHERS = 8 };
    struct value all, other = of(0, OTHERS);
    struct ftc_block block;
    size_t at = 0;

    ftc_blocks_begin(&all);
    ck_assert(ftc_blocks_add(&all, &limit, 1, DATA - OTHERS, 3));
    ck_assert_uint_eq(ftc_blocks_used_bytes(&all), 16);
    ftc_blocks_join(&limit, &all, &other);
    ck_assert_uint_eq(ftc_blocks_used_bytes(&all), 16 + 16 + 16 + 16);
    check_block(&all, 0, OTHERS);
    ck_assert(ftc_blocks_find(&all, 1, &at, &block));
    ck_assert_uint_eq(block.exposed, 3);
    ck_assert_uint_eq(block.bytes, DATA - OTHERS);
}
END_TEST

START_TEST(exposed_data_count_as_others_do)
{
    struct value v, other = of(0, 8);

    ftc_blocks_begin(&v);
    ck_assert(!ftc_blocks_add(&v, &limit, 1, limit.data_bytes + 1, 3));
    ck_assert(ftc_blocks_are_too_large(&v));
    ftc_blocks_begin(&v);
    ck_assert(ftc_blocks_add(&v, &limit, 1, limit.data_bytes, 3));
    ftc_blocks_join(&limit, &v, &other);
    ck_assert(ftc_blocks_are_too_large(&v));
}
END_TEST

/* With one block it is a value of 16 bytes, with more it is not. */
START_TEST(exposed_data_need_not_count)
{
    const struct ftc_blocks_limit apart = {.ranks = RANKS, .data_bytes = 8, .exposed_apart = true};
    struct value v, other, small = of(2, 8);

    ftc_blocks_begin(&v);
    ck_assert(ftc_blocks_add(&v, &apart, 0, 1000, 3));
    ftc_blocks_begin(&other);
    ck_assert(ftc_blocks_add(&other, &apart, 1, 1000, 1));
    ftc_blocks_join(&apart, &v, &other);
    ftc_blocks_join(&apart, &v, &small);
    ck_assert(!ftc_blocks_are_too_large(&v));
    ck_assert_int_eq(count(&v), 3);
    check_block(&v, 2, 8);
    small = of(3, 1);
    ftc_blocks_join(&apart, &v, &small); /* data that travel count */
    ck_assert(ftc_blocks_are_too_large(&v));
}
END_TEST

/* A head of 16 bytes has 32 bits for them. */
START_TEST(more_than_4_gib_may_be_exposed)
{
    const struct ftc_blocks_limit whole = {.ranks = 2, .data_bytes = ((size_t)5 << 30) + 3};
    struct ftc_block block;
    struct value v;
    size_t at = 0;

    ftc_blocks_begin(&v);
    ck_assert(ftc_blocks_add(&v, &whole, 1, whole.data_bytes, 3));
    ck_assert(ftc_blocks_find(&v, 1, &at, &block));
    ck_assert_uint_eq(block.exposed, 3);
    ck_assert_uint_eq(block.bytes, whole.data_bytes);
}
END_TEST

/* ---- a broadcast's ---- */

/* As with one small block. */
START_TEST(a_broadcast_of_8_bytes_is_a_value_of_16)
{
    ck_assert_uint_eq(ftc_broadcast_value_bytes(8), 16);
}
END_TEST

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

START_TEST(the_head_of_an_exposed_broadcast_travels)
{
    struct value none, all;
    struct ftc_broadcast_value *exposed = (void *)&all;
    const size_t whole = ftc_broadcast_value_bytes(DATA);

    ftc_broadcast_begin((void *)&none, false, DATA);
    ftc_broadcast_begin(exposed, true, DATA);
    exposed->exposed = 2;
    ck_assert_uint_eq(ftc_broadcast_used_bytes(&all), sizeof *exposed);
    ftc_broadcast_combine((void *)&whole, &none, &all);
    ck_assert_mem_eq(&none, &all, sizeof *exposed);
    exposed->bytes++;
    ftc_broadcast_begin((void *)&none, false, DATA);
    ftc_broadcast_combine((void *)&whole, &none, &all);
    ck_assert_uint_eq(((struct ftc_broadcast_value *)(void *)&none)->has_data, 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("blocks");
    UNIT_TEST(a_value_is_as_long_as_its_blocks);
    UNIT_TEST(one_small_block_is_a_value_of_16_bytes);
    UNIT_TEST(two_small_blocks_are_there_in_any_order);
    UNIT_TEST(what_is_between_blocks_is_zero);
    UNIT_TEST(several_blocks_are_added_one_after_the_other);
    UNIT_TEST(a_note_stays_with_its_block);
    UNIT_TEST(to_combine_is_to_have_the_blocks_of_both);
    UNIT_TEST(whoever_gave_nothing_is_not_found);
    UNIT_TEST(there_is_room_for_the_most_that_is_allowed);
    UNIT_TEST(one_byte_more_is_too_large_in_any_order);
    UNIT_TEST(a_small_block_may_be_too_large_as_well);
    UNIT_TEST(a_block_that_is_too_large_alone_is_no_block);
    UNIT_TEST(heads_that_lie_lead_nowhere);
    UNIT_TEST(what_is_joined_to_a_head_that_lies_stays_in_its_room);
    UNIT_TEST(a_value_that_says_that_it_is_longer_than_its_room_is_none);
    UNIT_TEST(forms_that_lie_lead_nowhere);
    UNIT_TEST(an_exposed_block_without_a_name_has_no_data);
    UNIT_TEST(blocks_that_are_not_whole_are_not_found);
    UNIT_TEST(a_block_may_be_longer_than_4_gib);
    UNIT_TEST(the_head_of_an_exposed_block_travels);
    UNIT_TEST(exposed_data_count_as_others_do);
    UNIT_TEST(exposed_data_need_not_count);
    UNIT_TEST(more_than_4_gib_may_be_exposed);
    UNIT_TEST(a_broadcast_of_8_bytes_is_a_value_of_16);
    UNIT_TEST(the_head_of_an_exposed_broadcast_travels);
    UNIT_TEST(a_broadcast_without_data_is_its_head);
    UNIT_TEST(a_broadcast_of_another_length_is_none);
    UNIT_END();
}
