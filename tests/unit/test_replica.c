/* What a host's board shows of the ranks of another host. */
#include "board/announcement.h"
#include "board/death.h"
#include "board/end_of_job.h"
#include "board/lease.h"
#include "board/presence.h"
#include "board/recovery_record.h"
#include "board/replica.h"
#include "board/require_all.h"
#include "unit_board.h"

#include <string.h>

enum { RANKS = 4, HERE = 0, THERE = 1, VALUE_BYTES = 8, MS = 1000000 };
#define S 1000000000ull

/* Ranks 0 and 2 are on host 0, 1 and 3 on host 1. */
static struct ftc_board board_of(uint32_t host)
{
    return unit_board_of(host, 2, RANKS, VALUE_BYTES);
}

static bool tell(struct ftc_board *to, const struct ftc_board *from, uint32_t rank, uint64_t now_ns)
{
    struct ftc_replica r = ftc_replica_take(from, rank, now_ns);

    return ftc_replica_enter(to, from->geometry.host, &r, now_ns);
}

START_TEST(how_far_a_rank_has_come_is_known_elsewhere)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);

    ftc_board_introduce(&there, 1, 4711);
    ftc_board_advance(&there, 1, FTC_RANK_RUNNING);
    ftc_presence_count(&there, 1, true);
    ck_assert(!tell(&here, &there, 1, S));
    ck_assert(!tell(&here, &there, 1, S)); /* twice counts once */
    ck_assert_int_eq(ftc_board_state(&here, 1), FTC_RANK_RUNNING);
    ck_assert_int_eq(ftc_presence_counted(&here, 1), FTC_COUNTED_PREPARED);
    ck_assert(!ftc_presence_are_all_ready(&here));
    ck_assert_int_eq(ftc_board_pid(&here, 1), 0); /* not a process of this host */
    ck_assert_int_eq(ftc_board_pid_there(&here, 1), 4711);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        ftc_presence_count(&here, rank, true);
    ck_assert(ftc_presence_are_all_ready(&here));
}
END_TEST

START_TEST(that_a_rank_waits_is_news)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);
    struct ftc_replica before = ftc_replica_take(&there, 1, S), r;

    there.shared->rank[1].waiting = 7;
    r = ftc_replica_take(&there, 1, S);
    ck_assert(ftc_replica_differs(&r, &before));
    ftc_replica_enter(&here, THERE, &r, S);
    ck_assert_uint_eq(here.shared->rank[1].waiting, 7);
    ftc_replica_enter(&here, THERE, &before, S);
    ck_assert_uint_eq(here.shared->rank[1].waiting, 0);
}
END_TEST

/* Without it another host learns of that when something else changes. */
START_TEST(what_is_sent_to_other_hosts_counts_as_an_update_when_it_changes)
{
    struct ftc_board here = board_of(HERE);
    uint32_t updates = ftc_board_updates(&here);

    ftc_require_all_add(&here, 5);
    ck_assert_uint_eq(ftc_board_updates(&here), updates + 1);
    ftc_require_all_add(&here, 4);
    ck_assert_uint_eq(ftc_board_updates(&here), updates + 1);
    ftc_board_set_exhausted(&here, 0);
    ck_assert_uint_eq(ftc_board_updates(&here), updates + 2);
}
END_TEST

START_TEST(a_death_is_entered_once_with_its_age)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);
    struct ftc_replica r;

    ftc_board_advance(&there, 3, FTC_RANK_RUNNING);
    ck_assert(ftc_board_mark_failed(&there, 3, FTC_DEATH_SIGNAL, 9));
    r = ftc_replica_take(&there, 3, ftc_death_time_ns(&there, 3) + 5 * MS);
    ck_assert_uint_eq(r.death_age_ns, 5 * MS);
    ck_assert(ftc_replica_enter(&here, THERE, &r, S));
    ck_assert(!ftc_replica_enter(&here, THERE, &r, S));
    ck_assert(ftc_board_is_dead(&here, 3));
    ck_assert_uint_eq(ftc_board_deaths(&here), 1);
}
END_TEST

/* Broken: who takes over finds it entered, and those who wait look at the number alone. */
START_TEST(a_death_that_an_agent_has_not_come_to_count_is_counted_by_the_next)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);

    ftc_board_advance(&there, 3, FTC_RANK_RUNNING);
    ck_assert(ftc_board_mark_failed(&there, 3, FTC_DEATH_SIGNAL, 9));
    atomic_store(&here.shared->rank[3].state, FTC_RANK_FAILED); /* and here it was killed */
    ck_assert(tell(&here, &there, 3, S));
    ck_assert_uint_eq(ftc_board_deaths(&here), 1);
    ck_assert(!tell(&here, &there, 3, S));
    ck_assert_uint_eq(ftc_board_deaths(&here), 1);
}
END_TEST

START_TEST(nobody_speaks_for_another_host)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);
    struct ftc_replica r;

    ck_assert(ftc_board_mark_failed(&there, 1, FTC_DEATH_SIGNAL, 9));
    r = ftc_replica_take(&there, 1, S);
    r.rank = 2; /* of this host */
    ck_assert(!ftc_replica_enter(&here, THERE, &r, S));
    r.rank = RANKS;
    ck_assert(!ftc_replica_enter(&here, THERE, &r, S));
    r.rank = 1;
    ck_assert(!ftc_replica_enter(&here, HERE, &r, S));
    r.state = 99;
    ck_assert(!ftc_replica_enter(&here, THERE, &r, S));
    r.state = FTC_RANK_FAILED;
    r.cause = 99;
    ck_assert(!ftc_replica_enter(&here, THERE, &r, S));
    ck_assert_uint_eq(ftc_board_deaths(&here), 0);
    r.cause = FTC_DEATH_EXIT;
    ck_assert(ftc_replica_enter(&here, THERE, &r, S));
}
END_TEST

START_TEST(ages_are_no_news)
{
    struct ftc_board there = board_of(THERE);
    struct ftc_replica before = ftc_replica_take(&there, 1, S), r;

    ftc_recovery_record_settle(&there, 1, 1, S);
    r = ftc_replica_take(&there, 1, 2 * S);
    ck_assert(ftc_replica_differs(&r, &before));
    before = r;
    r = ftc_replica_take(&there, 1, 3 * S);
    ck_assert_uint_eq(r.settled_age_ns, before.settled_age_ns + S);
    ck_assert(!ftc_replica_differs(&r, &before));
}
END_TEST

/* The line on a death is its own host's, and the report is one for the job. */
START_TEST(what_was_told_there_is_told)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);
    struct ftc_announcement death = {.kind = FTC_ANNOUNCEMENT_DEATH, .rank = 1, .number = 1};
    struct ftc_announcement report = {.kind = FTC_ANNOUNCEMENT_REPORT, .number = 1};
    struct ftc_announcer teller = {.rank = 1, .is_rank = true};

    ftc_board_mark_failed(&there, 1, FTC_DEATH_SIGNAL, 9);
    tell(&here, &there, 1, S);
    ck_assert(!ftc_announcement_is_done(&here, &death));
    teller.rank = 3;
    ck_assert(ftc_announcement_claim(&there, &death, &teller));
    ftc_announcement_end(&there, &death, &teller);
    ck_assert(ftc_announcement_claim(&there, &report, &teller));
    ftc_announcement_end(&there, &report, &teller);
    tell(&here, &there, 1, S);
    ck_assert(ftc_announcement_is_done(&here, &death));
    ck_assert(ftc_announcement_is_done(&here, &report));
}
END_TEST

/* Of rank 2, on a third host. Its loss may be known here later. */
START_TEST(what_was_told_there_of_a_lost_host_is_told)
{
    struct ftc_board here = unit_board_of(HERE, 3, RANKS, VALUE_BYTES);
    struct ftc_board there = unit_board_of(THERE, 3, RANKS, VALUE_BYTES);
    struct ftc_announcement death = {.kind = FTC_ANNOUNCEMENT_DEATH, .rank = 2, .number = 1};
    struct ftc_replica before = ftc_replica_take(&there, 1, S), r;

    ftc_lease_announce_loss(&there, 2);
    r = ftc_replica_take(&there, 1, S);
    ck_assert(ftc_replica_differs(&r, &before));
    ftc_replica_enter(&here, THERE, &r, S);
    ck_assert(ftc_announcement_is_done(&here, &death));
    death.rank = 3; /* of this host */
    ck_assert(!ftc_announcement_is_done(&here, &death));
    death.rank = 1;
    ck_assert(!ftc_announcement_is_done(&here, &death));
}
END_TEST

START_TEST(the_end_of_the_job_that_another_host_says_counts_until_it_is_lost)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);

    ck_assert(ftc_end_of_job_claim(&there, 1));
    tell(&here, &there, 3, S);
    ck_assert(ftc_end_of_job_is_said(&here) && !ftc_end_of_job_is_said_here(&here));
    ck_assert(!ftc_end_of_job_claim(&here, 0));
    ftc_lease_lose_host(&here, THERE, FTC_HOST_ENDED);
    ck_assert(!ftc_end_of_job_is_said(&here));
    ck_assert(ftc_end_of_job_claim(&here, 0));
    ck_assert(ftc_end_of_job_is_said_here(&here));
}
END_TEST

/* Whoever did there has been killed. */
START_TEST(the_end_of_the_job_that_another_host_says_no_more_does_not_count)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);

    ck_assert(ftc_end_of_job_claim(&here, 0));
    tell(&here, &there, 1, S);
    ck_assert(ftc_end_of_job_is_said(&here)); /* of this one it says nothing */
    ftc_end_of_job_is_not_said_on(&here, HERE);
    ck_assert(ftc_end_of_job_claim(&there, 1));
    tell(&here, &there, 1, S);
    ck_assert(ftc_end_of_job_is_said(&here));
    ftc_end_of_job_is_not_said_on(&there, THERE);
    tell(&here, &there, 1, S);
    ck_assert(!ftc_end_of_job_is_said(&here));
    ftc_end_of_job_begin(&there);
    tell(&here, &there, 1, S);
    ck_assert(ftc_end_of_job_is_now(&here));
}
END_TEST

/* Also where another one, of more deaths, is being told. */
START_TEST(a_recovery_that_was_told_there_is_told)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);
    struct ftc_announcement two = {.kind = FTC_ANNOUNCEMENT_RECOVERY, .number = 2}, three = two;
    struct ftc_announcer monitor_there = {.rank = 1}, monitor_here = {.rank = 0};

    three.number = 3;
    ck_assert(ftc_announcement_claim(&there, &two, &monitor_there));
    tell(&here, &there, 1, S);
    ck_assert(!ftc_announcement_is_done(&here, &two));
    ck_assert(ftc_announcement_claim(&here, &three, &monitor_here));
    ftc_announcement_end(&there, &two, &monitor_there);
    tell(&here, &there, 1, S);
    ck_assert(ftc_announcement_is_done(&here, &two));
    ck_assert(!ftc_announcement_is_done(&here, &three));
    ftc_announcement_end(&here, &three, &monitor_here);
    tell(&here, &there, 1, S);
    ck_assert(ftc_announcement_is_done(&here, &three));
}
END_TEST

/* Who tells of the first here has to look up names meanwhile. */
START_TEST(a_recovery_that_was_told_there_stays_told_after_one_of_fewer_deaths)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);
    struct ftc_announcement one = {.kind = FTC_ANNOUNCEMENT_RECOVERY, .number = 1}, two = one;
    struct ftc_announcer monitor_there = {.rank = 1}, monitor_here = {.rank = 0};

    two.number = 2;
    ck_assert(ftc_announcement_claim(&here, &one, &monitor_here));
    ck_assert(ftc_announcement_claim(&there, &two, &monitor_there));
    ftc_announcement_end(&there, &two, &monitor_there);
    tell(&here, &there, 1, S);
    ftc_announcement_end(&here, &one, &monitor_here);
    ck_assert(ftc_announcement_is_done(&here, &two));
    ck_assert(!ftc_announcement_claim(&here, &two, &monitor_here));
}
END_TEST

START_TEST(all_have_recovered_when_those_elsewhere_have)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);
    const struct ftc_operation_id in = {1, 1, 1}, later = {1, 1, 2};
    struct ftc_recovery_record a;
    uint64_t when;

    for (uint32_t rank = 0; rank < RANKS; rank++) {
        ftc_board_advance(&here, rank, FTC_RANK_RUNNING);
        ftc_board_advance(&there, rank, FTC_RANK_RUNNING);
    }
    ftc_board_mark_failed(&here, 0, FTC_DEATH_SIGNAL, 9);
    ftc_recovery_record_notice(&here, 0, 2, &in);
    ftc_recovery_record_settle(&here, 2, 1, S);
    ck_assert(!ftc_recovery_record_is_settled(&here, 1, &when));
    ftc_recovery_record_settle(&there, 1, 1, S);
    ftc_recovery_record_set_error(&there, 1, &later);
    ftc_recovery_record_set_error(&there, 3, &in);
    ftc_recovery_record_settle(&there, 3, 1, S);
    tell(&here, &there, 1, S);
    ck_assert(ftc_recovery_record_read(&here, 0, &a));
    ck_assert(!a.is_error); /* of rank 1, which met the death in a later operation */
    tell(&here, &there, 3, 2 * S);
    ck_assert(ftc_recovery_record_is_settled(&here, 1, &when));
    ck_assert(ftc_recovery_record_read(&here, 0, &a));
    ck_assert_uint_eq(a.recovered_ns, 2 * S);
    ck_assert(a.is_error); /* which rank 3 has said */
}
END_TEST

START_TEST(which_deaths_end_the_job_is_known_elsewhere)
{
    struct ftc_board here = board_of(HERE), there = board_of(THERE);

    for (uint32_t rank = 1; rank <= 3; rank += 2) {
        ftc_board_forbid(&there, rank, 1 << FTC_DEATH_EXIT);
        ftc_board_mark_failed(&there, rank, rank == 1 ? FTC_DEATH_EXIT : FTC_DEATH_SIGNAL, 9);
        tell(&here, &there, rank, S);
    }
    ck_assert(ftc_death_is_forbidden(&here, 1));
    ck_assert(!ftc_death_is_forbidden(&here, 3));
    ck_assert(!ftc_board_is_critical(&here, 1));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("replica");
    UNIT_TEST(how_far_a_rank_has_come_is_known_elsewhere);
    UNIT_TEST(which_deaths_end_the_job_is_known_elsewhere);
    UNIT_TEST(that_a_rank_waits_is_news);
    UNIT_TEST(what_is_sent_to_other_hosts_counts_as_an_update_when_it_changes);
    UNIT_TEST(a_death_is_entered_once_with_its_age);
    UNIT_TEST(a_death_that_an_agent_has_not_come_to_count_is_counted_by_the_next);
    UNIT_TEST(nobody_speaks_for_another_host);
    UNIT_TEST(ages_are_no_news);
    UNIT_TEST(what_was_told_there_is_told);
    UNIT_TEST(what_was_told_there_of_a_lost_host_is_told);
    UNIT_TEST(the_end_of_the_job_that_another_host_says_counts_until_it_is_lost);
    UNIT_TEST(the_end_of_the_job_that_another_host_says_no_more_does_not_count);
    UNIT_TEST(a_recovery_that_was_told_there_is_told);
    UNIT_TEST(a_recovery_that_was_told_there_stays_told_after_one_of_fewer_deaths);
    UNIT_TEST(all_have_recovered_when_those_elsewhere_have);
    UNIT_END();
}
