/* shim/board/bulk: memory of each rank for large data. */
#include "board/bulk.h"
#include "board/rank_state.h"
#include "engine/rounds.h"

#include "unit_board.h"
#include "unit_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RANKS = 2, BYTES = 64, ID = 7, OTHER = 8 };

static struct ftc_board board = {.fd = -1};

static struct ftc_board_geometry geometry(void)
{
    struct ftc_board_geometry g = unit_geometry(RANKS, BYTES);

    g.sites_bytes = 64;
    g.bulk_bytes = FTC_BULK_HEAD_BYTES;
    g.region_bytes = FTC_BULK_REGION_BYTES;
    return g;
}

static void open_board(void)
{
    board = unit_board(geometry());
}

/* A process has the places of one board: those of rank 0 are free for the next test, which may be
 * of the same process. */
static void close_board(void)
{
    for (int place = 0; place < FTC_BULK_WORDS; place++)
        ftc_bulk_give_back(&board, 0, place);
    ftc_board_close(&board);
}

START_TEST(an_operation_is_found_by_communicator_and_number)
{
    int place;

    open_board();
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 3), -1);
    place = ftc_bulk_take(&board, 1, ID, 3, BYTES);
    ck_assert_int_ge(place, 0);
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 3), place);
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 4), -1);
    ck_assert_int_eq(ftc_bulk_find(&board, 1, OTHER, 3), -1);
    ck_assert_int_eq(ftc_bulk_find(&board, 0, ID, 3), -1);
    ftc_bulk_show(&board, 1, place, 3, UINT32_MAX);
    ck_assert_uint_eq(ftc_bulk_read(&board, 1, place), UINT32_MAX);
    ftc_bulk_show(&board, 1, place, 4, 0); /* the next try */
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 3), -1);
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 4), place);
    ftc_bulk_give_back(&board, 1, place);
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 4), -1);
    ftc_board_close(&board);
}
END_TEST

/* The numbers of a communicator's operations begin with 0, and what is taken shows one from its
 * first moment on: whoever still looks for the first operation is not to find the place of the
 * second, in which the data of another communicator are. */
START_TEST(a_place_is_found_in_no_operation_but_its_own)
{
    int first, second;

    open_board();
    ftc_bulk_take(&board, 0, OTHER, 5, BYTES);
    first = ftc_bulk_take(&board, 0, ID, 0, BYTES);
    ftc_bulk_give_back(&board, 0, 0);
    second = ftc_bulk_take(&board, 0, ID, 1, BYTES); /* before the first, and that is still read */
    ck_assert_int_lt(second, first);
    ck_assert_int_eq(ftc_bulk_find(&board, 0, ID, 0), first);
    ck_assert_int_eq(ftc_bulk_find(&board, 0, ID, 1), second);
    close_board();
}
END_TEST

/* Whoever has no memory can still tell the others. */
START_TEST(without_memory_there_are_places_without_slots)
{
    int place = 0;

    open_board();
    for (int i = 0; i < FTC_BULK_REGIONS; i++) {
        ck_assert(!ftc_bulk_is_full());
        ck_assert_int_eq(ftc_bulk_take(&board, 0, ID + (uint64_t)i, 1, BYTES), i);
    }
    ck_assert(ftc_bulk_is_full());
    for (int i = FTC_BULK_REGIONS; i < FTC_BULK_WORDS; i++) {
        place = ftc_bulk_take(&board, 0, ID + (uint64_t)i, 1, BYTES);
        ck_assert_int_ge(place, FTC_BULK_REGIONS);
        ck_assert_int_eq(ftc_bulk_find(&board, 0, ID + (uint64_t)i, 1), place);
    }
    ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, 1, BYTES), -1);
    ftc_bulk_give_back(&board, 0, 5);
    ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, 1, BYTES), 5);
    close_board();
}
END_TEST

/* Rank 0 has left @place, the next that is free, in which rank 1 takes part, too. */
static void leave_to_reader(int place, int *its_place)
{
    uint32_t *readers = malloc(sizeof *readers);

    ck_assert_int_eq(ftc_bulk_take(&board, 0, ID, 3, 0), place);
    ftc_bulk_show(&board, 0, place, 3, FTC_ROUNDS_HAS_READ);
    *its_place = FTC_BULK_REGIONS - 1;
    atomic_store(&ftc_bulk_head(&board, 1)->words, FTC_BULK_REGIONS);
    atomic_store(&ftc_bulk_region(&board, 1, *its_place)->communicator_id, ID);
    ftc_bulk_show(&board, 1, *its_place, 3, 0);
    readers[0] = 1;
    ftc_bulk_leave(&board, 0, place, 3, readers, 1);
}

static void take_all_others(void)
{
    for (int i = 1; i < FTC_BULK_REGIONS; i++)
        ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, 1, 0), i);
    ck_assert(ftc_bulk_is_awaited(&board, 0));
}

START_TEST(a_place_is_free_when_all_have_read)
{
    int its_place;

    open_board();
    leave_to_reader(0, &its_place);
    take_all_others();
    ftc_bulk_show(&board, 1, its_place, 3, FTC_ROUNDS_HAS_READ);
    ck_assert(!ftc_bulk_is_awaited(&board, 0));
    ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, 1, 0), 0);
    close_board();
}
END_TEST

/* It has gone on to another operation. */
START_TEST(who_is_not_in_the_operation_any_more_has_read)
{
    int its_place;

    open_board();
    leave_to_reader(0, &its_place);
    take_all_others();
    ftc_bulk_show(&board, 1, its_place, 4, 0);
    ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, 1, 0), 0);
    close_board();
}
END_TEST

START_TEST(the_dead_read_nothing)
{
    int its_place;

    open_board();
    leave_to_reader(0, &its_place);
    take_all_others();
    ftc_board_mark_failed(&board, 1, FTC_DEATH_SIGNAL, 9);
    ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, 1, 0), 0);
    close_board();
}
END_TEST

START_TEST(a_place_without_slots_is_free_when_all_have_read)
{
    int its_place;

    open_board();
    for (int i = 0; i < FTC_BULK_REGIONS; i++)
        ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, 1, 0), i);
    leave_to_reader(FTC_BULK_REGIONS, &its_place);
    ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, 1, 0), FTC_BULK_REGIONS + 1);
    ftc_bulk_show(&board, 1, its_place, 3, FTC_ROUNDS_HAS_READ);
    ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, 1, 0), FTC_BULK_REGIONS);
    close_board();
}
END_TEST

/* A slot more would be the next rank's, or beyond the segment. */
START_TEST(slots_are_apart_and_inside_the_segment)
{
    open_board();
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (int place = 0; place < FTC_BULK_REGIONS; place++)
            for (int slot = 0; slot < FTC_BULK_SLOTS; slot++) {
                unsigned char *s = ftc_bulk_slot(&board, rank, place, slot);

                memset(s, (int)rank + 1, BYTES);
                memset(s + FTC_BULK_SLOT_BYTES - BYTES, (int)rank + 1, BYTES);
            }
    ck_assert_uint_eq((uintptr_t)ftc_bulk_slot(&board, 1, 0, 1) % 4096, 0);
    ck_assert_int_eq(ftc_bulk_slot(&board, 0, FTC_BULK_REGIONS - 1, FTC_BULK_SLOTS - 1)[0], 1);
    ck_assert_int_eq(ftc_bulk_slot(&board, 1, 0, 0)[0], 2);
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 0), -1); /* the words are elsewhere */
    close_board();
}
END_TEST

/* ---- pages that are larger than what slots begin at ---- */

static uintptr_t asked_from, asked_to;

int __real_madvise(void *address, size_t bytes, int advice);
int __wrap_madvise(void *address, size_t bytes, int advice);

int __wrap_madvise(void *address, size_t bytes, int advice)
{
    if (unit_page_bytes == 0)
        return __real_madvise(address, bytes, advice);
    asked_from = (uintptr_t)address;
    asked_to = asked_from + bytes;
    return 0;
}

/* The kernel refuses an address within a page, and lack of memory would be a signal later. */
START_TEST(memory_is_asked_for_from_the_start_of_a_page)
{
    const char *fork = getenv("CK_FORK");
    uintptr_t slot;
    int place;

    if (fork && strcmp(fork, "no") == 0)
        return; /* in one process the tests before have had the memory */
    open_board();
    unit_page_bytes = UNIT_LARGE_PAGE;
    place = ftc_bulk_take(&board, 0, ID, 3, BYTES);
    slot = (uintptr_t)ftc_bulk_slot(&board, 0, place, FTC_BULK_SLOTS - 1);
    unit_page_bytes = 0;
    ck_assert_uint_eq(asked_from % UNIT_LARGE_PAGE, 0);
    ck_assert_uint_le(asked_from, slot);
    ck_assert_uint_eq(asked_to, slot + BYTES);
    close_board();
}
END_TEST

/* Any process may write to the board. */
START_TEST(more_words_than_there_are_are_not_looked_at)
{
    open_board();
    atomic_store(&ftc_bulk_head(&board, 1)->words, UINT32_MAX);
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 3), -1);
    close_board();
}
END_TEST

START_TEST(a_part_of_a_page_is_no_geometry)
{
    struct ftc_board_geometry g = geometry();

    g.region_bytes += 64;
    ck_assert_int_lt(ftc_board_create(&board, &g), 0);
    g.region_bytes = UINT32_MAX & ~4095u;
    ck_assert_int_lt(ftc_board_create(&board, &g), 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("bulk");
    UNIT_TEST(an_operation_is_found_by_communicator_and_number);
    UNIT_TEST(a_place_is_found_in_no_operation_but_its_own);
    UNIT_TEST(without_memory_there_are_places_without_slots);
    UNIT_TEST(a_place_is_free_when_all_have_read);
    UNIT_TEST(who_is_not_in_the_operation_any_more_has_read);
    UNIT_TEST(the_dead_read_nothing);
    UNIT_TEST(a_place_without_slots_is_free_when_all_have_read);
    UNIT_TEST(slots_are_apart_and_inside_the_segment);
    UNIT_TEST(memory_is_asked_for_from_the_start_of_a_page);
    UNIT_TEST(more_words_than_there_are_are_not_looked_at);
    UNIT_TEST(a_part_of_a_page_is_no_geometry);
    UNIT_END();
}
