/* shim/protocols/segments: those for others are taken out, however the parts come. */
#include "protocols/segments.h"
#include "unit.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { RANKS = 3, OWN = 1, LETTERS = 40, ROOM = LETTERS * 64 };

/* From 0 to 32 bytes, each of them the segment's number, to ranks in no order. */
static size_t bytes_of(int number)
{
    return (size_t)(number * 7 % 33);
}

static int receiver_of(int number)
{
    return number * number / 2 % RANKS;
}

static size_t write_all(unsigned char *data)
{
    unsigned char *at = data;

    for (int i = 0; i < LETTERS; i++) {
        void *to = ftc_segment_write(&at, receiver_of(i), bytes_of(i));

        memset(to, i, bytes_of(i));
    }
    return (size_t)(at - data);
}

static void check_own(struct ftc_piece block)
{
    int before = 0;

    for (int i = 0; i < LETTERS; i++) {
        struct ftc_piece piece;

        if (receiver_of(i) != OWN)
            continue;
        piece = ftc_segment_find(block, OWN, before++);
        ck_assert_ptr_nonnull(piece.data);
        ck_assert_uint_eq(piece.bytes, bytes_of(i));
        for (size_t k = 0; k < piece.bytes; k++)
            ck_assert_int_eq(((const unsigned char *)piece.data)[k], i);
    }
    ck_assert_ptr_null(ftc_segment_find(block, OWN, before).data);
}

START_TEST(own_segments_are_kept_of_parts_of_any_size)
{
    _Alignas(8) unsigned char all[ROOM], kept[ROOM];
    size_t in_all = write_all(all), own = 0;

    memset(kept, 0, sizeof kept);
    for (int i = 0; i < LETTERS; i++)
        own += receiver_of(i) == OWN ? ftc_segment_bytes(bytes_of(i)) : 0;
    for (size_t part = 1; part <= in_all; part = part < 80 ? part + 1 : part * 2) {
        size_t bytes = 0, looked_at = 0;

        for (size_t come = 0, some; come < in_all; come += some) {
            some = in_all - come < part ? in_all - come : part;
            memcpy(kept + bytes, all + come, some);
            bytes += some;
            looked_at = ftc_segments_keep(kept, &bytes, looked_at, OWN);
            ck_assert_uint_le(looked_at, bytes);
        }
        ck_assert_uint_eq(bytes, own);
        ck_assert_uint_eq(looked_at, own);
        check_own((struct ftc_piece){.data = kept, .bytes = bytes});
    }
}
END_TEST

/* Of memory that is not touched. */
START_TEST(segments_may_be_longer_than_4_gib)
{
    static const size_t lengths[] = {((size_t)5 << 30) + 3, 8};
    size_t room = ftc_segment_bytes(lengths[0]) + ftc_segment_bytes(lengths[1]);
    unsigned char *all = mmap(NULL, room, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    unsigned char *at = all;

    ck_assert_ptr_ne(all, MAP_FAILED);
    for (int i = 0; i < 2; i++)
        ftc_segment_write(&at, OWN, lengths[i]);
    ck_assert_ptr_eq(at, all + room);
    for (int i = 0; i < 2; i++)
        ck_assert_uint_eq(
            ftc_segment_find((struct ftc_piece){.data = all, .bytes = room}, OWN, i).bytes,
            lengths[i]);
    munmap(all, room);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("segments");
    UNIT_TEST(own_segments_are_kept_of_parts_of_any_size);
    UNIT_TEST(segments_may_be_longer_than_4_gib);
    UNIT_END();
}
