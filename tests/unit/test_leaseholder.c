/* Which answers of mpiexec's renew the lease of a host, whose clocks jump. The file under test is
 * part of this one. */
#include "monitor/leaseholder.c"

#include "unit_board.h"
#include "unit_clock.h"

enum { RANKS = 4, HOSTS = 2, VALUE_BYTES = 8, U_MS = 3000 };
#define MS 1000000ll

static struct ftc_monitored rank;

/* The agent has been awake for long. Without fork() the test before this one has left its clocks.
 */
static void set_up(void)
{
    suspended_ns = set_ns = 0;
    holder = (struct holder){.c.fd = -1, .spare.fd = -1, .wakeup = -1};
    rank.board = unit_board_of(0, HOSTS, RANKS, VALUE_BYTES);
    rank.options.settings.unreachable_ms = U_MS;
    ftc_lease_agree(&rank.board, true);
    holder.ahead_ns = ftc_clock_ahead_ns();
}

static void tear_down(void)
{
    ftc_board_close(&rank.board);
}

/* mpiexec grants what was asked at @asked_ns. */
static void hear_answer(uint64_t asked_ns)
{
    _Alignas(FTC_FRAME_ALIGNMENT) unsigned char bytes[FTC_LEASE_FRAME_MAX];
    struct ftc_frame *frame = (struct ftc_frame *)(void *)bytes;
    struct ftc_lease_reply r = {.answer = FTC_LEASE_GRANTED};

    ftc_frame_begin(frame, FTC_PURPOSE_LEASE, asked_ns, sizeof r);
    memcpy(frame->body, &r, sizeof r);
    enter(&holder, &rank.board, frame, U_MS);
}

START_TEST(a_lease_counts_from_when_it_was_asked_for)
{
    uint64_t asked_ns = ftc_clock_boot_ns();

    hear_answer(asked_ns);
    ck_assert(!ftc_lease_is_over(&rank.board));
    suspended_ns = (U_MS + 1) * MS;
    ck_assert(ftc_lease_is_over(&rank.board));
    hear_answer(asked_ns);
    ck_assert(ftc_lease_is_over(&rank.board));
    hear_answer(ftc_clock_boot_ns());
    ck_assert(!ftc_lease_is_over(&rank.board));
}
END_TEST

START_TEST(what_was_asked_before_a_jump_of_the_time_does_not_count)
{
    uint64_t asked_ns = ftc_clock_boot_ns();

    hear_answer(asked_ns);
    set_ns = 1000 * MS;
    ck_assert(ftc_lease_is_over(&rank.board));
    hear_answer(asked_ns);
    ck_assert(ftc_lease_is_over(&rank.board));
    hear_answer(ftc_clock_boot_ns());
    ck_assert(!ftc_lease_is_over(&rank.board));
}
END_TEST

/* The time may have been set, no more. */
START_TEST(after_a_jump_there_is_a_whole_lease_to_ask_again)
{
    hear_answer(ftc_clock_boot_ns());
    ck_assert(!ftc_leaseholder_has_failed(&rank));
    set_ns = -1000 * MS;
    ck_assert(!ftc_leaseholder_has_failed(&rank));
    ck_assert_uint_eq(holder.asked_ns, 0); /* it asks at once */
    suspended_ns = (U_MS + 1) * MS;
    ck_assert(ftc_leaseholder_has_failed(&rank));
}
END_TEST

START_TEST(after_a_suspension_too)
{
    hear_answer(ftc_clock_boot_ns());
    note_turn(&holder, &rank);
    suspended_ns = 10 * U_MS * MS;
    note_turn(&holder, &rank);
    ck_assert(ftc_lease_is_over(&rank.board));
    ck_assert(!ftc_leaseholder_has_failed(&rank));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("leaseholder");
    tcase_add_checked_fixture(unit_case, set_up, tear_down);
    UNIT_TEST(a_lease_counts_from_when_it_was_asked_for);
    UNIT_TEST(what_was_asked_before_a_jump_of_the_time_does_not_count);
    UNIT_TEST(after_a_jump_there_is_a_whole_lease_to_ask_again);
    UNIT_TEST(after_a_suspension_too);
    UNIT_END();
}
