/* Until when the ranks of a host may go on, and what becomes of those of a lost one. */
#include "board/death.h"
#include "board/lease.h"
#include "unit_board.h"
#include "unit_clock.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 6, HOSTS = 3, VALUE_BYTES = 8, U = 3000 };
#define S 1000000000ull

/* Ranks 0 and 3 are on host 0, 1 and 4 on host 1, 2 and 5 on host 2. */
static struct ftc_board board_of(uint32_t host, uint32_t hosts)
{
    struct ftc_board board = unit_board_of(host, hosts, RANKS, VALUE_BYTES);

    for (uint32_t rank = 0; rank < RANKS; rank++)
        ftc_board_advance(&board, rank, FTC_RANK_RUNNING);
    return board;
}

START_TEST(a_lease_counts_once_it_is_agreed_on)
{
    struct ftc_board b = board_of(0, HOSTS);

    ck_assert(!ftc_lease_is_held(&b));
    ck_assert(!ftc_lease_is_over(&b));
    ftc_lease_renew(&b, ftc_clock_boot_ns() + S * 1000, ftc_clock_ahead_ns());
    ck_assert(ftc_lease_is_held(&b));
    ftc_lease_agree(&b, true);
    ck_assert(!ftc_lease_is_over(&b));
    ftc_lease_end(&b);
    ck_assert(ftc_lease_is_over(&b) && ftc_lease_has_ended(&b));
}
END_TEST

START_TEST(a_lease_does_not_become_shorter)
{
    struct ftc_board b = board_of(0, HOSTS);

    ftc_lease_agree(&b, true);
    ftc_lease_renew(&b, ftc_clock_boot_ns() + S * 1000, ftc_clock_ahead_ns());
    ftc_lease_renew(&b, 1, ftc_clock_ahead_ns()); /* of an answer that came late */
    ck_assert(!ftc_lease_is_over(&b));
}
END_TEST

START_TEST(one_that_has_run_out_may_be_renewed_until_it_ends)
{
    struct ftc_board b = board_of(0, HOSTS);

    ftc_lease_agree(&b, true);
    ftc_lease_renew(&b, 1, ftc_clock_ahead_ns());
    ck_assert(ftc_lease_is_over(&b) && !ftc_lease_has_ended(&b));
    ftc_lease_renew(&b, ftc_clock_boot_ns() + S * 1000, ftc_clock_ahead_ns());
    ck_assert(!ftc_lease_is_over(&b));
    ftc_lease_end(&b);
    ftc_lease_renew(&b, ftc_clock_boot_ns() + S * 2000, ftc_clock_ahead_ns());
    ck_assert(ftc_lease_is_over(&b));
}
END_TEST

START_TEST(without_agreement_none_is_ever_over)
{
    struct ftc_board b = board_of(0, HOSTS), alone = board_of(0, 1);

    ftc_lease_agree(&b, false);
    ftc_lease_agree(&b, true); /* the first of this host has said it */
    ftc_lease_end(&b);
    ftc_lease_put_in_force(&b);
    ck_assert_int_eq(ftc_lease_terms(&b), FTC_LEASE_NONE);
    ck_assert(!ftc_lease_is_over(&b));
    ftc_lease_agree(&alone, true);
    ck_assert(!ftc_lease_is_over(&alone));
}
END_TEST

START_TEST(others_are_waited_for_until_they_must_be_lost)
{
    struct ftc_board b = board_of(0, HOSTS);

    ck_assert_int_eq(ftc_lease_patience_ms(&b, U), U);
    ftc_lease_agree(&b, true);
    ftc_lease_put_in_force(&b);
    ck_assert_int_eq(ftc_lease_terms(&b), FTC_LEASE_IN_FORCE);
    ck_assert_int_gt(ftc_lease_patience_ms(&b, U), 2 * U);
}
END_TEST

START_TEST(a_lost_host_is_the_death_of_its_ranks)
{
    struct ftc_board b = board_of(0, HOSTS);
    char text[128];

    ftc_board_advance(&b, 5, FTC_RANK_FINALIZED); /* owes nobody anything */
    ck_assert(ftc_lease_lose_host(&b, 2, FTC_HOST_ENDED));
    ck_assert(!ftc_lease_lose_host(&b, 2, FTC_HOST_ENDED));
    ck_assert(ftc_lease_is_lost(&b, 2) && !ftc_lease_is_lost(&b, 1));
    ck_assert_uint_eq(ftc_board_deaths(&b), 1);
    ck_assert(ftc_board_is_dead(&b, 2) && !ftc_board_is_dead(&b, 5) && !ftc_board_is_dead(&b, 1));
    ftc_death_describe(&b, 2, 1000, text, sizeof text);
    ck_assert_str_eq(text, "lost with its host, where all processes of the job have ended");
    ck_assert(ftc_lease_lose_host(&b, 1, FTC_HOST_SILENT));
    ftc_death_describe(&b, 4, 1000, text, sizeof text);
    ck_assert_ptr_nonnull(strstr(text, "mpiexec has not heard for more than unreachable_ms"));
}
END_TEST

/* Its own last news, that they are dead, may come before mpiexec's: somebody is to tell of them. */
START_TEST(a_host_is_newly_lost_although_its_ranks_are_dead)
{
    struct ftc_board b = board_of(0, HOSTS);

    for (uint32_t i = 2; i < 6; i += HOSTS)
        ck_assert(ftc_board_mark_failed(&b, i, FTC_DEATH_SIGNAL, SIGKILL));
    ck_assert(ftc_lease_lose_host(&b, 2, FTC_HOST_ENDED));
    ck_assert(!ftc_lease_lose_host(&b, 2, FTC_HOST_ENDED));
}
END_TEST

START_TEST(an_agent_goes_on_with_what_the_last_has_begun)
{
    struct ftc_board b = board_of(0, HOSTS);

    ftc_lease_lose_host(&b, 2, FTC_HOST_ENDED);
    ftc_board_advance(&b, 4, FTC_RANK_FINALIZED);
    b.shared->lost_hosts |= 2; /* it had come so far with host 1 when it died */
    ck_assert(ftc_lease_lose_host(&b, 1, FTC_HOST_ENDED));
    ck_assert(ftc_board_is_dead(&b, 1));
}
END_TEST

START_TEST(no_host_loses_itself_or_one_that_is_not)
{
    struct ftc_board b = board_of(1, HOSTS);

    ck_assert(!ftc_lease_lose_host(&b, 1, FTC_HOST_ENDED));
    ck_assert(!ftc_lease_lose_host(&b, HOSTS, FTC_HOST_ENDED));
    ck_assert_uint_eq(ftc_board_deaths(&b), 0);
}
END_TEST

START_TEST(the_first_that_is_left_tells_of_a_lost_host)
{
    struct ftc_board first = board_of(0, HOSTS), second = board_of(1, HOSTS);

    ck_assert(ftc_lease_is_first_left(&first) && !ftc_lease_is_first_left(&second));
    ck_assert(ftc_lease_is_announced_here(&second, 4));
    ck_assert(!ftc_lease_is_announced_here(&first, 5));
    ftc_lease_lose_host(&first, 2, FTC_HOST_ENDED);
    ftc_lease_lose_host(&second, 2, FTC_HOST_ENDED);
    ck_assert(ftc_lease_is_announced_here(&first, 5));
    ck_assert(!ftc_lease_is_announced_here(&second, 5));
    ftc_lease_lose_host(&second, 0, FTC_HOST_ENDED);
    ck_assert(ftc_lease_is_first_left(&second));
    ck_assert(ftc_lease_is_announced_here(&second, 5) && ftc_lease_is_announced_here(&second, 0));
}
END_TEST

START_TEST(the_last_words_of_a_host_are_said_once)
{
    struct ftc_board b = board_of(0, HOSTS);

    ck_assert(ftc_lease_claim_last_words(&b));
    ck_assert(!ftc_lease_claim_last_words(&b));
}
END_TEST

/* ---- clocks ---- */

static struct ftc_board agreed(void)
{
    struct ftc_board b = board_of(0, HOSTS);

    ftc_lease_renew(&b, ftc_clock_boot_ns() + S * 1000, ftc_clock_ahead_ns());
    ftc_lease_agree(&b, true);
    ck_assert(!ftc_lease_is_over(&b));
    return b;
}

START_TEST(time_in_which_a_host_is_suspended_counts)
{
    struct ftc_board b = agreed();

    suspended_ns = (int64_t)S * 999;
    ck_assert(!ftc_lease_is_over(&b));
    suspended_ns = (int64_t)S * 1001;
    ck_assert(ftc_lease_is_over(&b));
    suspended_ns = 0;
    ftc_board_close(&b);
}
END_TEST

START_TEST(a_lease_does_not_count_after_a_jump_of_the_time)
{
    struct ftc_board b = agreed();

    for (int i = 0; i < 2; i++) {
        set_ns += i == 0 ? (int64_t)S : -(int64_t)S * 2;
        ck_assert(ftc_lease_is_over(&b));
        ftc_lease_renew(&b, ftc_clock_boot_ns() + S, ftc_clock_ahead_ns());
        ck_assert(!ftc_lease_is_over(&b));
    }
    set_ns += (int64_t)S / 10; /* as clocks are adjusted */
    ck_assert(!ftc_lease_is_over(&b));
    set_ns = 0;
    ftc_board_close(&b);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("lease");
    UNIT_TEST(a_lease_counts_once_it_is_agreed_on);
    UNIT_TEST(a_lease_does_not_become_shorter);
    UNIT_TEST(one_that_has_run_out_may_be_renewed_until_it_ends);
    UNIT_TEST(without_agreement_none_is_ever_over);
    UNIT_TEST(others_are_waited_for_until_they_must_be_lost);
    UNIT_TEST(a_lost_host_is_the_death_of_its_ranks);
    UNIT_TEST(a_host_is_newly_lost_although_its_ranks_are_dead);
    UNIT_TEST(an_agent_goes_on_with_what_the_last_has_begun);
    UNIT_TEST(no_host_loses_itself_or_one_that_is_not);
    UNIT_TEST(the_first_that_is_left_tells_of_a_lost_host);
    UNIT_TEST(the_last_words_of_a_host_are_said_once);
    UNIT_TEST(time_in_which_a_host_is_suspended_counts);
    UNIT_TEST(a_lease_does_not_count_after_a_jump_of_the_time);
    UNIT_END();
}
