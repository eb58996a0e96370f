/* Messages of another call than this rank's that arrive when the operation is over here. The next
 * operation reports them, unless the program has had that error already. */
#include "progress/mismatch.h"
#include "unit_comm.h"

enum { RANKS = 2, OTHER = 1, OWN_SIGNATURE = 1, OTHER_SIGNATURE = 3 };

static const struct ftc_call call = {.kind = FTC_CALL_BARRIER};
static const struct ftc_note note_of_other = {.kind = FTC_CALL_ALLREDUCE};

static struct ftc_comm *c;

static void setup(void)
{
    c = unit_comm(RANKS);
}

static void begin(void)
{
    ftc_mismatch_enter(&call, c, OWN_SIGNATURE);
    ftc_publish_call(&ftc_library.board, ftc_library.world_rank, c->entry, c->seq,
                     &c->running->note);
    c->running->mismatched = -1;
    c->running->active = true;
    ftc_mismatch_begin(c);
}

static void end(void)
{
    ftc_mismatch_leave();
    c->running->active = false;
    c->seq++;
}

static void end_with_an_error(void)
{
    const struct ftc_message m = {.kind = FTC_MESSAGE_TREE};

    ftc_mismatch_meet(c, OTHER, OTHER_SIGNATURE, &note_of_other, &m, 0);
    ftc_mismatch_spread(c);
    end();
}

static void meet_late(uint32_t seq)
{
    ftc_mismatch_meet_late(c, OTHER, seq, OTHER_SIGNATURE, &note_of_other);
}

static void expect_reported(uint32_t seq)
{
    ck_assert_int_eq(c->running->mismatched, OTHER);
    ck_assert_uint_eq(c->running->mismatched_seq, seq);
}

START_TEST(what_comes_between_two_operations_is_reported_in_the_next_one)
{
    uint32_t late = c->seq;

    begin();
    end();
    meet_late(late);
    begin();
    expect_reported(late);
}
END_TEST

START_TEST(what_comes_in_the_next_operation_is_reported_there)
{
    uint32_t late = c->seq;

    begin();
    end();
    begin();
    meet_late(late);
    expect_reported(late);
}
END_TEST

START_TEST(an_error_is_the_only_one_of_its_operation_and_of_those_before)
{
    uint32_t before = c->seq, told = before + 1;

    begin();
    end();
    begin();
    end_with_an_error();
    begin();
    meet_late(told);
    ck_assert_int_eq(c->running->mismatched, -1);
    meet_late(before);
    ck_assert_int_eq(c->running->mismatched, -1);
}
END_TEST

START_TEST(a_later_operation_has_an_error_of_its_own)
{
    uint32_t late;

    begin();
    end_with_an_error();
    late = c->seq;
    begin();
    end();
    begin();
    meet_late(late);
    expect_reported(late);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("mismatch");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(what_comes_between_two_operations_is_reported_in_the_next_one);
    UNIT_TEST(what_comes_in_the_next_operation_is_reported_there);
    UNIT_TEST(an_error_is_the_only_one_of_its_operation_and_of_those_before);
    UNIT_TEST(a_later_operation_has_an_error_of_its_own);
    UNIT_END();
}
