/* Copies past the caches: all bytes of them, and no others. */
#include "system/copy.h"
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { FAR_BYTES = 64 * 1024, SMALL = 100, LARGE = 20000, AROUND = 64, ROUNDS = 4000 };

static unsigned char from[LARGE + AROUND], to[FAR_BYTES];

static void fill(uint32_t seed)
{
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)unit_draw(&seed, 256);
    memset(to, 0xee, sizeof to);
}

static bool has_nothing(size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (to[i] != 0xee)
            return false;
    return true;
}

static void expect(size_t at, const unsigned char *what, size_t bytes)
{
    ck_assert(has_nothing(0, at));
    ck_assert_mem_eq(to + at, what, bytes);
    ck_assert(has_nothing(at + bytes, sizeof to));
}

START_TEST(whatever_the_place_all_bytes_come_and_no_others)
{
    uint32_t seed = 7;

    for (int i = 0; i < 400; i++) {
        size_t at = unit_draw(&seed, AROUND), of = unit_draw(&seed, AROUND),
               bytes = LARGE - unit_draw(&seed, 2 * AROUND);

        ftc_copy_set_far(0, to, i % 4 == 0 ? 0 : sizeof to);
        fill(seed);
        ftc_copy(to + at, from + of, bytes);
        expect(at, from + of, bytes);
    }
}
END_TEST

/* Some are less than a line of memory. */
START_TEST(parts_of_a_large_copy_come_whole)
{
    ftc_copy_set_far(0, to, sizeof to);
    for (size_t bytes = 0; bytes < 3 * AROUND; bytes++)
        for (size_t at = 0; at < AROUND; at += 7) {
            fill((uint32_t)bytes);
            ftc_copy_some(to + at, from, bytes, LARGE);
            expect(at, from, bytes);
        }
}
END_TEST

START_TEST(small_ones_and_those_elsewhere_come_too)
{
    ftc_copy_set_far(0, to + FAR_BYTES / 2, FAR_BYTES / 2);
    fill(1);
    ftc_copy(to + FAR_BYTES / 2, from, SMALL);
    expect(FAR_BYTES / 2, from, SMALL);
    fill(2);
    ftc_copy(to + SMALL, from, LARGE);
    expect(SMALL, from, LARGE);
    fill(3);
    ftc_copy(to + FAR_BYTES / 2 - 1, from, LARGE); /* begins before them */
    expect(FAR_BYTES / 2 - 1, from, LARGE);
}
END_TEST

/* ---- order ---- */

static atomic_int shown, read_so_far;

static void *write_rounds(void *nothing)
{
    for (int round = 1; round <= ROUNDS; round++) {
        memset(from, round, sizeof from);
        while (atomic_load(&read_so_far) < round - 1)
            sched_yield();
        ftc_copy(to, from, LARGE);
        atomic_store_explicit(&shown, round, memory_order_release);
    }
    return nothing;
}

/* The last bytes first: they were written last. */
START_TEST(who_sees_the_store_behind_it_sees_the_copy)
{
    int wrong = 0;
    pthread_t writer;

    ftc_copy_set_far(0, to, sizeof to);
    pthread_create(&writer, NULL, write_rounds, NULL);
    for (int round = 1; round <= ROUNDS; round++) {
        while (atomic_load_explicit(&shown, memory_order_acquire) < round)
            sched_yield();
        for (int i = LARGE - 1; i >= 0; i--)
            wrong += to[i] != (unsigned char)round;
        atomic_store(&read_so_far, round);
    }
    pthread_join(writer, NULL);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("copy");
    UNIT_TEST(whatever_the_place_all_bytes_come_and_no_others);
    UNIT_TEST(parts_of_a_large_copy_come_whole);
    UNIT_TEST(small_ones_and_those_elsewhere_come_too);
    UNIT_TEST(who_sees_the_store_behind_it_sees_the_copy);
    UNIT_END();
}
