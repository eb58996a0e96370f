/* Marks of unprotected calls: who waits for whom, and what a rank may write there without harm. */
#include "board/activity.h"
#include "board/mark.h"
#include "board/rank_state.h"
#include "unit_board.h"

#include <string.h>

enum { SLOTS = 70, SELF = 2, DEAD = 66, PLACE = 5, MARK = 1, GAP = 100, VALUE_BYTES = 8 };

static struct ftc_board board;
static struct ftc_board_mark *own;
static struct ftc_mark_watch watch;
static struct ftc_mark mark;

static void setup(void)
{
    board = unit_board(unit_geometry(SLOTS, VALUE_BYTES));
    for (uint32_t i = 0; i < SLOTS; i++)
        ftc_board_advance(&board, i, FTC_RANK_RUNNING);
    own = &board.shared->rank[SELF].mark[MARK];
    watch = (struct ftc_mark_watch){0};
}

static void teardown(void)
{
    ftc_board_close(&board);
}

static void die(uint32_t rank)
{
    ftc_board_mark_failed(&board, rank, FTC_DEATH_SIGNAL, 9);
}

static void add_member(uint32_t rank)
{
    ftc_board_set(&board, SELF, PLACE)[rank / 64] |= 1ull << rank % 64;
}

static void enter(enum ftc_call_kind kind, int32_t peer)
{
    own->call = kind;
    own->peer = peer;
    own->set = PLACE;
    own->return_address = 4711;
    own->version++;
}

/* @rank is making an intercommunicator, and needs @member for that. */
static void add_need(uint32_t rank, uint32_t place, uint32_t member)
{
    struct ftc_board_mark *theirs = &board.shared->rank[rank].mark[0];

    ftc_board_set(&board, rank, place)[member / 64] |= 1ull << member % 64;
    theirs->call = FTC_CALL_INTERCOMM_CREATE;
    theirs->peer = FTC_BOARD_ALL;
    theirs->set = place;
    theirs->version++;
}

static void leave(void)
{
    own->version++;
}

static struct ftc_mark_time at(uint64_t now_ns)
{
    return (struct ftc_mark_time){.now_ns = now_ns, .poll_gap_ns = GAP};
}

static bool look(uint64_t now_ns)
{
    return ftc_mark_look(&watch, &board, SELF, MARK, at(now_ns), &mark);
}

START_TEST(all_members_are_needed)
{
    add_member(3);
    add_member(DEAD);
    enter(FTC_CALL_GATHER, FTC_BOARD_ALL);
    ck_assert(!look(100)); /* nobody is dead */
    die(4);
    ck_assert(!look(200)); /* nobody whom the call needs */
    die(DEAD);
    ck_assert(look(300));
    ck_assert(look(400));
    ck_assert_int_eq(mark.kind, FTC_CALL_GATHER);
    ck_assert_uint_eq(mark.return_address, 4711);
    ck_assert_uint_eq(mark.since_ns, 300);
    ck_assert_uint_eq(mark.dead, DEAD);
    ck_assert_uint_eq(mark.dead_count, 1);
    ck_assert(mark.is_certain);
}
END_TEST

/* SELF and its leader 3 are one group, 4 leads the other one, of which a member is dead. */
START_TEST(an_intercommunicator_is_made_by_both_groups)
{
    enum { LEADER = 3, OTHER = 4, THEIR_PLACE = 1 };

    add_member(LEADER);
    enter(FTC_CALL_INTERCOMM_CREATE, FTC_BOARD_ALL);
    die(DEAD);
    ck_assert(!look(100));
    add_need(LEADER, THEIR_PLACE, OTHER);
    ck_assert(!look(200));
    add_need(OTHER, THEIR_PLACE, DEAD);
    ck_assert(look(300));
    ck_assert_uint_eq(mark.dead, DEAD);
    ck_assert(mark.is_certain);
    own->call = FTC_CALL_GATHER; /* of its own group alone */
    ck_assert(!look(400));
}
END_TEST

/* SELF, 3 and 4, by their first marks. */
static void all_enter(enum ftc_call_kind kind)
{
    static const uint32_t member[] = {SELF, 3, 4};

    for (int i = 0; i < 3; i++) {
        struct ftc_board_mark *m = &board.shared->rank[member[i]].mark[0];

        for (int k = 0; k < 3; k++)
            ftc_board_set(&board, member[i], i)[member[k] / 64] |= 1ull << member[k] % 64;
        m->call = kind;
        m->peer = FTC_BOARD_ALL;
        m->set = (uint32_t)i;
        m->version++;
    }
}

static bool look_complete(uint64_t now_ns)
{
    return ftc_mark_look_complete(&watch, &board, SELF, at(now_ns), &mark);
}

START_TEST(a_call_in_which_all_have_come_is_complete)
{
    struct ftc_board_mark *other = &board.shared->rank[4].mark[0];

    ck_assert(!look_complete(100));
    all_enter(FTC_CALL_COMM_CREATE_GROUP);
    ck_assert(look_complete(200));
    ck_assert(look_complete(300));
    ck_assert_uint_eq(mark.since_ns, 200);
    ck_assert_int_eq(mark.kind, FTC_CALL_COMM_CREATE_GROUP);
    other->version += 2; /* it has been out and in again */
    ck_assert(look_complete(400));
    ck_assert_uint_eq(mark.since_ns, 400);
    other->version++;
    ck_assert(!look_complete(500));
    other->version++;
    ck_assert(look_complete(600));
    ck_assert_uint_eq(mark.since_ns, 600);
    other->call = FTC_CALL_BARRIER;
    ck_assert(!look_complete(700));
    other->call = FTC_CALL_COMM_CREATE_GROUP;
    ftc_board_set(&board, 4, 2)[0] |= 1ull << 5; /* of one more */
    ck_assert(!look_complete(800));
    ftc_board_set(&board, 4, 2)[0] &= ~(1ull << 5);
    ck_assert(look_complete(900));
    die(3);
    ck_assert(!look_complete(1000));
}
END_TEST

/* Who waits for a message, or for whoever comes, is not in a call of all. */
START_TEST(only_calls_of_all_are_complete)
{
    all_enter(FTC_CALL_BCAST);
    ck_assert(!look_complete(100));
    all_enter(FTC_CALL_FILE_WRITE_ALL); /* enters and leaves, and enters */
    all_enter(FTC_CALL_FILE_WRITE_ALL);
    ck_assert(!look_complete(150));
    all_enter(FTC_CALL_COMM_DUP);
    all_enter(FTC_CALL_COMM_DUP);
    ck_assert(look_complete(160));
    for (uint32_t i = SELF; i < 5; i++)
        board.shared->rank[i].mark[0].peer = FTC_BOARD_SOME;
    ck_assert(!look_complete(200));
}
END_TEST

/* A file system may take minutes for each of these. */
START_TEST(what_moves_data_of_files_takes_its_time)
{
    static const enum ftc_call_kind slow[] = {
        FTC_CALL_FILE_WRITE_ALL,    FTC_CALL_FILE_IREAD_ALL,    FTC_CALL_FILE_SET_SIZE,
        FTC_CALL_FILE_PREALLOCATE,  FTC_CALL_FILE_SYNC,         FTC_CALL_FILE_WRITE_ALL_BEGIN,
        FTC_CALL_FILE_READ_ORDERED, FTC_CALL_FILE_WRITE_ALL_END};
    static const enum ftc_call_kind quick[] = {FTC_CALL_FILE_OPEN, FTC_CALL_FILE_CLOSE,
                                               FTC_CALL_FILE_SET_VIEW};
    uint64_t now = 100;

    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        all_enter(slow[i]);
        ck_assert(!look_complete(now += 10));
        all_enter(slow[i]);
    }
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++) {
        all_enter(quick[i]);
        ck_assert(look_complete(now += 10));
        all_enter(quick[i]);
    }
}
END_TEST

START_TEST(collective_call_of_exactly_these)
{
    static const uint32_t these[] = {SELF, DEAD, 3}, fewer[] = {SELF, DEAD},
                          others[] = {SELF, 3, 4}, more[] = {SELF, DEAD, 3, 4};
    struct ftc_mark_call call;

    own = &board.shared->rank[SELF].mark[0];
    add_member(3);
    add_member(SELF);
    add_member(DEAD);
    ck_assert(!ftc_mark_collective(&board, SELF, these, 3, &call)); /* it is in none */
    enter(FTC_CALL_GATHER, FTC_BOARD_ALL);
    ck_assert(ftc_mark_collective(&board, SELF, these, 3, &call));
    ck_assert_int_eq(call.kind, FTC_CALL_GATHER);
    ck_assert_uint_eq(call.return_address, 4711);
    ck_assert(!ftc_mark_collective(&board, SELF, fewer, 2, &call));
    ck_assert(!ftc_mark_collective(&board, SELF, others, 3, &call));
    ck_assert(!ftc_mark_collective(&board, SELF, more, 4, &call));
    own->call = FTC_CALL_RECV; /* from anyone */
    ck_assert(!ftc_mark_collective(&board, SELF, these, 3, &call));
    own->call = FTC_CALL_WIN_LOCK_ALL; /* not by all */
    ck_assert(!ftc_mark_collective(&board, SELF, these, 3, &call));
    own->call = FTC_CALL_ALLREDUCE;
    ck_assert(ftc_mark_collective(&board, SELF, these, 3, &call));
    leave();
    ck_assert(!ftc_mark_collective(&board, SELF, these, 3, &call));
}
END_TEST

START_TEST(one_rank_is_needed)
{
    add_member(3);
    add_member(4);
    enter(FTC_CALL_RECV, 3);
    die(4);
    ck_assert(!look(100));
    die(3);
    ck_assert(look(200));
    ck_assert_uint_eq(mark.dead, 3);
    ck_assert(mark.is_certain);
}
END_TEST

static void enter_sendrecv(uint32_t source, uint32_t destination)
{
    enter(FTC_CALL_SENDRECV, source);
    ftc_mark_also(own, destination);
}

START_TEST(what_is_sent_may_be_through)
{
    enter_sendrecv(3, 4);
    die(4);
    ck_assert(look(100));
    ck_assert_uint_eq(mark.dead, 4);
    ck_assert(!mark.is_certain);
    die(3);
    ck_assert(look(200));
    ck_assert(mark.is_certain);
    ck_assert_uint_eq(mark.dead_count, 2);
    leave();
    ftc_mark_begin(own, (struct ftc_mark_start){.kind = FTC_CALL_RECV, .set = PLACE, .peer = 5});
    ck_assert(!look(300));
    ftc_mark_also(own, SLOTS); /* nothing is believed */
    die(5);
    ck_assert(!look(400));
}
END_TEST

/* The dead rank's message may have come, and the message to the living one be under way. */
START_TEST(of_an_exchange_both_have_to_be_dead)
{
    enter_sendrecv(3, 4);
    die(3);
    ck_assert(look(100));
    ck_assert_uint_eq(mark.dead, 3);
    ck_assert(!mark.is_certain);
    die(4);
    ck_assert(look(200));
    ck_assert(mark.is_certain);
}
END_TEST

/* Of all members none lives but this rank. */
static void assert_may_end(enum ftc_call_kind kind)
{
    add_member(3);
    enter(kind, FTC_BOARD_ALL);
    die(3);
    ck_assert(look(100));
    ck_assert(!mark.is_certain);
}

START_TEST(a_call_on_a_file_may_end)
{
    assert_may_end(FTC_CALL_FILE_CLOSE); /* it may be writing */
}
END_TEST

START_TEST(a_wait_for_other_requests_may_end)
{
    assert_may_end(FTC_CALL_WAIT); /* nothing is known of them */
}
END_TEST

START_TEST(a_message_from_anyone_may_still_come)
{
    add_member(3);
    add_member(4);
    enter(FTC_CALL_RECV, FTC_BOARD_SOME);
    die(4);
    ck_assert(look(100));
    ck_assert(!mark.is_certain);
    die(3);
    ck_assert(look(200));
    ck_assert(mark.is_certain);
    ck_assert_uint_eq(mark.dead_count, 2);
}
END_TEST

START_TEST(each_call_has_its_own_time)
{
    add_member(3);
    die(3);
    enter(FTC_CALL_GATHER, FTC_BOARD_ALL);
    ck_assert(look(100));
    leave();
    enter(FTC_CALL_GATHER, FTC_BOARD_ALL);
    ck_assert(look(200));
    ck_assert_uint_eq(mark.since_ns, 200);
    leave();
    ck_assert(!look(300));
}
END_TEST

START_TEST(a_rank_is_not_its_own_need)
{
    add_member(SELF);
    enter(FTC_CALL_GATHER, FTC_BOARD_ALL);
    die(SELF);
    ck_assert(!look(100));
}
END_TEST

START_TEST(nothing_is_believed)
{
    static const uint32_t calls[] = {FTC_CALL_NONE, FTC_CALL_COUNT, 0xffffffff};
    static const int32_t peers[] = {-3, SLOTS, 0x7fffffff, -0x7fffffff - 1};
    static const uint32_t sets[] = {FTC_BOARD_SETS, 0xffffffff};

    for (uint32_t i = 0; i < SLOTS; i++)
        die(i);
    add_member(3);
    enter(FTC_CALL_GATHER, FTC_BOARD_ALL);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        own->call = calls[i];
        ck_assert(!look(100));
    }
    own->call = FTC_CALL_GATHER;
    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++) {
        own->peer = peers[i];
        ck_assert(!look(100));
    }
    own->peer = FTC_BOARD_ALL;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        own->set = sets[i];
        ck_assert(!look(100));
    }
    own->set = PLACE;
    ck_assert(look(100));
    /* members beyond the last rank */
    memset((void *)ftc_board_set(&board, SELF, PLACE), 0xff, 2 * sizeof(uint64_t));
    ck_assert(look(200));
    ck_assert_uint_eq(mark.dead_count, SLOTS - 1);
}
END_TEST

/* Another mark, of calls that only look: @polled_ns is when it looked last. */
static void poll(uint64_t polled_ns)
{
    own->polled_ns = polled_ns;
}

static bool look_at_polls(uint64_t now_ns)
{
    return ftc_mark_look(&watch, &board, SELF, FTC_BOARD_POLL, at(now_ns), &mark);
}

START_TEST(who_polls_does_so_until_it_stops)
{
    own = &board.shared->rank[SELF].mark[FTC_BOARD_POLL];
    add_member(3);
    die(3);
    enter(FTC_CALL_TEST, FTC_BOARD_ALL);
    poll(1000);
    ck_assert(look_at_polls(1000));
    poll(1150);
    ck_assert(look_at_polls(1200));
    ck_assert(mark.is_poll);
    ck_assert(!mark.is_certain);
    ck_assert_uint_eq(mark.since_ns, 1000);
    ck_assert(!look_at_polls(1300)); /* it computes */
    poll(1400);
    ck_assert(look_at_polls(1400));
    ck_assert_uint_eq(mark.since_ns, 1400);
    board.shared->rank[SELF].mark[0].version += 2; /* another call has come to its end */
    ck_assert(look_at_polls(1450));
    ck_assert_uint_eq(mark.since_ns, 1450);
}
END_TEST

START_TEST(who_has_been_told_needs_nobody_for_certain)
{
    add_member(3);
    add_member(4);
    die(3);
    enter(FTC_CALL_RECV, FTC_BOARD_SOME);
    ck_assert(look(100));
    ck_assert(mark.is_reported);
    ck_assert(!mark.is_certain);
}
END_TEST

static const struct ftc_still_sight quiet = {.share = FTC_STILL_WHOLE};

static void see_all(uint64_t now_ns)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        ftc_still_see(&board, i, at(now_ns), quiet);
}

static uint64_t look_at_all(struct ftc_still_watch *still, uint64_t now_ns)
{
    see_all(now_ns);
    return ftc_still_look(still, &board, at(now_ns));
}

START_TEST(the_job_stands_still_when_all_wait)
{
    struct ftc_still_watch still = {0};

    for (uint32_t i = 0; i < SLOTS; i++)
        if (i % 2 == 0)
            board.shared->rank[i].mark[i % FTC_BOARD_CALLS].version = 7;
        else
            board.shared->rank[i].activity.inside = 1;
    ck_assert_uint_eq(look_at_all(&still, 100), 0);
    ck_assert_uint_eq(look_at_all(&still, 150), 50);
    board.shared->rank[4].mark[0].version = 9; /* the next call */
    ck_assert_uint_eq(look_at_all(&still, 200), 0);
    board.shared->rank[5].activity.inside = 0; /* computes */
    ck_assert_uint_eq(look_at_all(&still, 250), 0);
    ck_assert_uint_eq(look_at_all(&still, 300), 0);
    die(5);
    ck_assert_uint_eq(look_at_all(&still, 350), 50);
    board.shared->rank[7].activity.inside = 0;
    own = &board.shared->rank[7].mark[FTC_BOARD_POLL];
    own->version = 1;
    poll(400);
    ck_assert_uint_eq(look_at_all(&still, 400), 0);
    ck_assert_uint_eq(look_at_all(&still, 450), 50);
    ck_assert_uint_eq(look_at_all(&still, 501), 0); /* it computes again */
}
END_TEST

START_TEST(a_rank_in_an_operation_of_the_program_computes)
{
    struct ftc_still_watch still = {0};

    for (uint32_t i = 0; i < SLOTS; i++)
        board.shared->rank[i].activity.inside = 1;
    ftc_activity_combine(&board, 3, 1);
    ck_assert_uint_eq(look_at_all(&still, 100), 0);
    ck_assert_uint_eq(look_at_all(&still, 150), 0);
    ftc_activity_combine(&board, 3, -1);
    ck_assert_uint_eq(look_at_all(&still, 200), 0);
    ck_assert_uint_eq(look_at_all(&still, 250), 50);
}
END_TEST

static void all_wait(void)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        board.shared->rank[i].mark[0].version = 7;
}

START_TEST(an_active_rank_does_not_stand_still)
{
    struct ftc_still_watch still = {0};

    all_wait();
    ck_assert_uint_eq(look_at_all(&still, 100), 0);
    ck_assert_uint_eq(look_at_all(&still, 150), 50);
    ftc_still_see(&board, 3, at(170), (struct ftc_still_sight){true, FTC_STILL_WHOLE});
    ck_assert_uint_eq(look_at_all(&still, 200), 0);
    ck_assert_uint_eq(look_at_all(&still, 250), 50);
}
END_TEST

START_TEST(time_counts_as_far_as_all_can_run)
{
    struct ftc_still_watch still = {0};

    all_wait();
    look_at_all(&still, 100);
    see_all(200);
    ftc_still_see(&board, 3, at(200), (struct ftc_still_sight){false, FTC_STILL_WHOLE / 10});
    ck_assert_uint_eq(ftc_still_look(&still, &board, at(200)), 10);
    ck_assert_uint_eq(look_at_all(&still, 300), 110);
}
END_TEST

START_TEST(a_rank_that_is_not_looked_at_does_not_stand_still)
{
    enum { LATE_NS = FTC_STILL_SIGHT_NS };
    struct ftc_still_watch still = {0};

    all_wait();
    look_at_all(&still, 100);
    ck_assert_uint_eq(ftc_still_look(&still, &board, at(200 + LATE_NS)), 100 + LATE_NS);
    ck_assert_uint_eq(ftc_still_look(&still, &board, at(201 + LATE_NS)), 0);
}
END_TEST

START_TEST(what_goes_on_beside_the_program_is_no_wait)
{
    struct ftc_still_watch still = {0};

    all_wait();
    board.shared->rank[3].mark[0].version = 8;
    board.shared->rank[3].activity.inside = 1;
    board.shared->rank[3].activity.beside = 1;
    look_at_all(&still, 100);
    ck_assert_uint_eq(look_at_all(&still, 200), 0);
    board.shared->rank[3].activity.inside = 2; /* and in another call, which waits */
    look_at_all(&still, 300);
    ck_assert_uint_eq(look_at_all(&still, 400), 100);
}
END_TEST

START_TEST(a_rank_may_wait_for_another_program)
{
    struct ftc_still_watch still = {0};

    all_wait();
    board.shared->rank[3].mark[0].call = FTC_CALL_COMM_ACCEPT;
    look_at_all(&still, 100);
    ck_assert_uint_eq(look_at_all(&still, 200), 0);
    board.shared->rank[3].mark[0].call = FTC_CALL_COMM_DUP;
    look_at_all(&still, 300);
    ck_assert_uint_eq(look_at_all(&still, 400), 100);
}
END_TEST

START_TEST(each_wait_has_a_name)
{
    struct ftc_mark_wait wait;

    ck_assert(!ftc_mark_wait_of(&board, SELF, at(100), &wait));
    board.shared->rank[SELF].activity.inside = 1;
    ck_assert(ftc_mark_wait_of(&board, SELF, at(100), &wait));
    ck_assert_int_eq(wait.kind, FTC_CALL_NONE);
    board.shared->rank[SELF].activity.is_last = 1;
    ck_assert(ftc_mark_wait_of(&board, SELF, at(100), &wait));
    ck_assert_int_eq(wait.kind, FTC_CALL_FINALIZE);
    enter(FTC_CALL_SEND, 3);
    ck_assert(ftc_mark_wait_of(&board, SELF, at(100), &wait));
    ck_assert_int_eq(wait.kind, FTC_CALL_SEND);
}
END_TEST

START_TEST(all_living_ranks_report_before_the_end)
{
    die(3);
    for (uint32_t i = 0; i < SLOTS; i++) {
        ck_assert(i == 3 || !ftc_still_are_all_reported(&board));
        if (i != 3)
            ftc_still_report(&board, i, true);
    }
    ck_assert(ftc_still_are_all_reported(&board));
}
END_TEST

START_TEST(ranks_of_other_hosts_wait_if_they_say_so)
{
    enum { THERE = 5 };
    struct ftc_mark_time time = at(100);
    struct ftc_still_watch still = {0};

    board.shared->geometry.other_hosts = board.geometry.other_hosts = 1;
    ftc_directory_set_rank(&board, THERE, &(struct ftc_directory_rank){.host = 1});
    for (uint32_t i = 0; i < SLOTS; i++)
        board.shared->rank[i].mark[0].version = 7; /* of rank THERE that means nothing here */
    ck_assert_uint_eq(look_at_all(&still, 100), 0);
    ck_assert_uint_eq(look_at_all(&still, 150), 0);
    board.shared->rank[THERE].waiting = 3;
    ck_assert_uint_eq(look_at_all(&still, 200), 0);
    ck_assert_uint_eq(look_at_all(&still, 250), 50);
    board.shared->rank[THERE].waiting = 5; /* the next call */
    ck_assert_uint_eq(look_at_all(&still, 300), 0);

    ck_assert(ftc_still_show(&board, SELF, time));
    ck_assert(!ftc_still_show(&board, SELF, time));
    ck_assert_uint_ne(board.shared->rank[SELF].waiting, 0);
    board.shared->rank[SELF].mark[0].version = 9;
    ck_assert(ftc_still_show(&board, SELF, time));
    board.shared->rank[SELF].mark[0].version = 10; /* it is through */
    ck_assert(ftc_still_show(&board, SELF, time));
    ck_assert_uint_eq(board.shared->rank[SELF].waiting, 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("mark");
    tcase_add_checked_fixture(unit_case, setup, teardown);
    UNIT_TEST(all_members_are_needed);
    UNIT_TEST(an_intercommunicator_is_made_by_both_groups);
    UNIT_TEST(a_call_in_which_all_have_come_is_complete);
    UNIT_TEST(only_calls_of_all_are_complete);
    UNIT_TEST(what_moves_data_of_files_takes_its_time);
    UNIT_TEST(collective_call_of_exactly_these);
    UNIT_TEST(one_rank_is_needed);
    UNIT_TEST(what_is_sent_may_be_through);
    UNIT_TEST(of_an_exchange_both_have_to_be_dead);
    UNIT_TEST(a_call_on_a_file_may_end);
    UNIT_TEST(a_wait_for_other_requests_may_end);
    UNIT_TEST(a_message_from_anyone_may_still_come);
    UNIT_TEST(each_call_has_its_own_time);
    UNIT_TEST(a_rank_is_not_its_own_need);
    UNIT_TEST(nothing_is_believed);
    UNIT_TEST(who_polls_does_so_until_it_stops);
    UNIT_TEST(who_has_been_told_needs_nobody_for_certain);
    UNIT_TEST(the_job_stands_still_when_all_wait);
    UNIT_TEST(a_rank_in_an_operation_of_the_program_computes);
    UNIT_TEST(an_active_rank_does_not_stand_still);
    UNIT_TEST(time_counts_as_far_as_all_can_run);
    UNIT_TEST(a_rank_that_is_not_looked_at_does_not_stand_still);
    UNIT_TEST(what_goes_on_beside_the_program_is_no_wait);
    UNIT_TEST(a_rank_may_wait_for_another_program);
    UNIT_TEST(each_wait_has_a_name);
    UNIT_TEST(all_living_ranks_report_before_the_end);
    UNIT_TEST(ranks_of_other_hosts_wait_if_they_say_so);
    UNIT_END();
}
