/* shim/engine/schedule: who moves which part of large data, and when. */
#include "engine/schedule.h"

#include "unit.h"

static struct ftc_schedule allreduce(int n, uint64_t units, uint64_t block_units)
{
    return (struct ftc_schedule){.n = n, .units = units, .block_units = block_units};
}

static uint64_t count_blocks(const struct ftc_schedule *s, enum ftc_stage stage)
{
    uint64_t count = 0, block;

    for (uint32_t step = 0; step < ftc_schedule_steps(s); step++)
        if (ftc_schedule_block(s, step, stage, &block)) {
            ck_assert_uint_eq(block, count); /* one after the other */
            count++;
        }
    return count;
}

START_TEST(every_block_goes_through_every_stage)
{
    struct ftc_schedule s = allreduce(3, 7, 2);

    ck_assert_uint_eq(ftc_schedule_steps(&s), 6);
    for (int stage = 0; stage < FTC_STAGES; stage++)
        ck_assert_uint_eq(count_blocks(&s, (enum ftc_stage)stage), 4);
}
END_TEST

START_TEST(nothing_takes_no_step)
{
    struct ftc_schedule s = allreduce(3, 0, 2);

    ck_assert_uint_eq(ftc_schedule_steps(&s), 0);
}
END_TEST

START_TEST(blocks_of_one_step_are_in_different_slots)
{
    struct ftc_schedule s = allreduce(2, 10, 1);
    uint64_t block[FTC_STAGES];

    for (uint32_t step = 2; step < 10; step++) {
        for (int stage = 0; stage < FTC_STAGES; stage++)
            ck_assert(ftc_schedule_block(&s, step, (enum ftc_stage)stage, &block[stage]));
        ck_assert_int_ne(ftc_schedule_slot(block[0]), ftc_schedule_slot(block[1]));
        ck_assert_int_ne(ftc_schedule_slot(block[0]), ftc_schedule_slot(block[2]));
        ck_assert_int_ne(ftc_schedule_slot(block[1]), ftc_schedule_slot(block[2]));
    }
}
END_TEST

/* Each unit once, whatever the sizes are. */
static void parts_make_a_block(const struct ftc_schedule *s, uint64_t block)
{
    struct ftc_units whole = ftc_schedule_units(s, block);
    uint64_t next = whole.first;

    for (int member = 0; member < s->n; member++) {
        struct ftc_units part = ftc_schedule_part(s, block, member);

        ck_assert_uint_eq(part.first, next);
        next += part.count;
    }
    ck_assert_uint_eq(next, whole.first + whole.count);
}

START_TEST(parts_of_all_members_are_the_block)
{
    for (int n = 1; n <= 9; n++)
        for (uint64_t units = 1; units <= 40; units++) {
            struct ftc_schedule s = allreduce(n, units, 16);

            for (uint64_t block = 0; block * 16 < units; block++)
                parts_make_a_block(&s, block);
        }
}
END_TEST

START_TEST(counts_may_be_as_large_as_a_count_can_be)
{
    struct ftc_schedule s = allreduce(3, INT64_MAX, INT64_MAX / 2);

    ck_assert_uint_eq(ftc_schedule_steps(&s), 5);
    for (uint64_t block = 0; block < 3; block++)
        parts_make_a_block(&s, block);
    ck_assert_uint_eq(ftc_schedule_units(&s, 2).count, 1);
}
END_TEST

START_TEST(a_reduce_is_got_by_its_root_alone)
{
    struct ftc_schedule s = allreduce(3, 4, 2);

    s.kind = FTC_SCHEDULE_REDUCE;
    s.root = 1;
    ck_assert_uint_eq(count_blocks(&s, FTC_STAGE_GET), 0);
    ck_assert_uint_eq(count_blocks(&s, FTC_STAGE_COMBINE), 2);
    s.self = 1;
    ck_assert_uint_eq(count_blocks(&s, FTC_STAGE_GET), 2);
}
END_TEST

START_TEST(a_broadcast_has_two_stages_and_its_root_the_data)
{
    struct ftc_schedule s = allreduce(3, 4, 2);

    s.kind = FTC_SCHEDULE_BROADCAST;
    s.root = 2;
    ck_assert_uint_eq(ftc_schedule_steps(&s), 3);
    ck_assert_uint_eq(count_blocks(&s, FTC_STAGE_PUT), 0);
    ck_assert_uint_eq(count_blocks(&s, FTC_STAGE_GET), 2);
    ck_assert(ftc_schedule_awaits(&s, 2));
    ck_assert(!ftc_schedule_awaits(&s, 1));
    parts_make_a_block(&s, 1);
    s.self = 2;
    ck_assert_uint_eq(count_blocks(&s, FTC_STAGE_PUT), 2);
    ck_assert_uint_eq(count_blocks(&s, FTC_STAGE_GET), 0);
    ck_assert(ftc_schedule_awaits(&s, 0) && ftc_schedule_awaits(&s, 1));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("schedule");
    UNIT_TEST(every_block_goes_through_every_stage);
    UNIT_TEST(nothing_takes_no_step);
    UNIT_TEST(blocks_of_one_step_are_in_different_slots);
    UNIT_TEST(parts_of_all_members_are_the_block);
    UNIT_TEST(counts_may_be_as_large_as_a_count_can_be);
    UNIT_TEST(a_reduce_is_got_by_its_root_alone);
    UNIT_TEST(a_broadcast_has_two_stages_and_its_root_the_data);
    UNIT_END();
}
