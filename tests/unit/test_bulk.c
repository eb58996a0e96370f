/* shim/board/bulk: memory of each rank for large data. */
#include "board/bulk.h"
#include "board/publication.h"
#include "transport/transport.h"

#include "unit.h"

#include <stdint.h>
#include <string.h>

enum { RANKS = 2, BYTES = 64, ID = 7, OTHER = 8 };

static struct ftc_board board = {.fd = -1};

static struct ftc_board_geometry geometry(void)
{
    return (struct ftc_board_geometry){
        .ranks = RANKS,
        .entries = 1,
        .entry_stride_bytes = ftc_publication_stride(BYTES),
        .ring_depth = 1,
        .message_stride_bytes = ftc_transport_message_stride(BYTES),
        .sites_bytes = 64,
        .bulk_bytes = ftc_bulk_bytes(),
    };
}

static void open_board(void)
{
    struct ftc_board_geometry g = geometry();

    ck_assert_int_eq(ftc_board_create(&board, &g), 0);
}

START_TEST(an_operation_is_found_by_communicator_and_number)
{
    int place;

    open_board();
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 3), -1);
    place = ftc_bulk_take(&board, 1, ID, BYTES);
    ck_assert_int_ge(place, 0);
    ftc_bulk_show(&board, 1, place, 3, 0);
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

/* Whoever has no memory can still tell the others. */
START_TEST(without_memory_there_are_places_without_slots)
{
    int place = 0;

    open_board();
    for (int i = 0; i < FTC_BULK_PLACES; i++)
        ck_assert_int_eq(ftc_bulk_take(&board, 0, ID + (uint64_t)i, BYTES), i);
    for (int i = FTC_BULK_PLACES; i < FTC_BULK_WORDS; i++) {
        place = ftc_bulk_take(&board, 0, ID + (uint64_t)i, BYTES);
        ck_assert_int_ge(place, FTC_BULK_PLACES);
        ftc_bulk_show(&board, 0, place, 1, 0);
        ck_assert_int_eq(ftc_bulk_find(&board, 0, ID + (uint64_t)i, 1), place);
    }
    ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, BYTES), -1);
    ftc_bulk_give_back(&board, 0, 5);
    ck_assert_int_eq(ftc_bulk_take(&board, 0, OTHER, BYTES), 5);
    ftc_board_close(&board);
}
END_TEST

/* A slot more would be the next rank's, or beyond the segment. */
START_TEST(slots_are_apart_and_inside_the_segment)
{
    unsigned char *last;

    open_board();
    last = (unsigned char *)board.shared + board.size_bytes - FTC_BULK_SLOT_BYTES;
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (int place = 0; place < FTC_BULK_PLACES; place++)
            for (int slot = 0; slot < FTC_BULK_SLOTS; slot++)
                memset(ftc_bulk_slot(&board, rank, place, slot), (int)rank + 1, BYTES);
    ck_assert_ptr_eq(ftc_bulk_slot(&board, RANKS - 1, FTC_BULK_PLACES - 1, FTC_BULK_SLOTS - 1),
                     last);
    ck_assert_uint_eq((uintptr_t)ftc_bulk_slot(&board, 1, 0, 1) % 4096, 0);
    ck_assert_int_eq(ftc_bulk_slot(&board, 0, FTC_BULK_PLACES - 1, FTC_BULK_SLOTS - 1)[0], 1);
    ck_assert_int_eq(ftc_bulk_find(&board, 1, ID, 0), -1); /* the words are elsewhere */
    ftc_board_close(&board);
}
END_TEST

START_TEST(a_part_of_a_page_is_no_geometry)
{
    struct ftc_board_geometry g = geometry();

    g.bulk_bytes += 64;
    ck_assert_int_lt(ftc_board_create(&board, &g), 0);
    g.bulk_bytes = UINT32_MAX & ~4095u;
    ck_assert_int_lt(ftc_board_create(&board, &g), 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("bulk");
    UNIT_TEST(an_operation_is_found_by_communicator_and_number);
    UNIT_TEST(without_memory_there_are_places_without_slots);
    UNIT_TEST(slots_are_apart_and_inside_the_segment);
    UNIT_TEST(a_part_of_a_page_is_no_geometry);
    UNIT_END();
}
