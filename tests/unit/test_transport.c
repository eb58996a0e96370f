/* The transport: rings between two ranks, the inbox that finds who has sent something, and messages
 * to all. */
#include "unit_board.h"
#include "unit_messages.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { FEW = 5, MANY = 200, MOST = 600, DEPTH = 4 };

static struct ftc_board board_of(uint32_t ranks)
{
    struct ftc_board_geometry g = unit_geometry(ranks, UNIT_VALUE_BYTES);

    g.ring_depth = DEPTH;
    return unit_board(g);
}

static struct ftc_transport transport_of(const struct ftc_board *board, uint32_t rank)
{
    struct ftc_transport t;

    ck_assert_int_eq(ftc_transport_open(&t, board, rank), 0);
    return t;
}

/* As any rank that opens its inbox for the one message. */
static void send_once(const struct ftc_board *board, uint32_t from, uint32_t to, uint32_t number)
{
    struct ftc_transport t = transport_of(board, from);

    t.ring[to].sent = number;
    ck_assert(unit_send_number(&t, to, number));
    ftc_transport_close(&t);
}

/* The number of the next message, or -1. */
static int receive_number(struct ftc_transport *t, uint32_t from)
{
    struct ftc_arrival a;
    int number;

    if (!ftc_transport_next_from(t, from, &a))
        return -1;
    ck_assert_int_eq(a.from, from);
    number = unit_number_of(&a);
    ftc_transport_release(t, &a);
    return number;
}

/* A pass that releases all it finds, which are messages of @from[] in this order. */
static void check_pass(struct ftc_transport *t, const uint32_t *from, int count)
{
    struct ftc_arrival a = {0};
    int found = 0;

    for (; ftc_transport_next(t, &a); found++) {
        ck_assert_int_lt(found, count);
        ck_assert_int_eq(a.from, from[found]);
        ftc_transport_release(t, &a);
    }
    ck_assert_int_eq(found, count);
}

/* ---- rings ---- */

START_TEST(messages_arrive_in_order_and_a_full_ring_takes_none)
{
    struct ftc_board board = board_of(FEW);
    struct ftc_transport one = transport_of(&board, 0), two = transport_of(&board, 2);
    uint32_t sent = 0, received = 0;

    ck_assert_int_eq(receive_number(&two, 0), -1);
    for (int round = 0; round < 10; round++) {
        while (unit_send_number(&one, 2, sent))
            sent++;
        ck_assert_int_eq(sent - received, DEPTH);
        for (int i = 0; i < 3; i++)
            ck_assert_int_eq(receive_number(&two, 0), received++);
    }
    ck_assert_int_eq(receive_number(&two, 1), -1); /* each pair has a ring of its own */
    ftc_transport_close(&one);
    ftc_transport_close(&two);
    ftc_board_close(&board);
}
END_TEST

START_TEST(a_length_beyond_the_slot_is_cut)
{
    struct ftc_board board = board_of(FEW);
    struct ftc_transport one = transport_of(&board, 0), two = transport_of(&board, 1);
    struct ftc_arrival a;

    unit_send_number(&one, 1, 0);
    /* the length follows the stamp, which follows the reader's count and its padding */
    *(uint32_t *)((char *)ftc_board_ring(&board, 1, 0) + 64 + 8) = UINT32_MAX;
    ck_assert(ftc_transport_next_from(&two, 0, &a));
    ck_assert_int_eq(a.bytes, 0);
    ftc_transport_close(&one);
    ftc_transport_close(&two);
    ftc_board_close(&board);
}
END_TEST

/* ---- the inbox ---- */

static const uint32_t ranks_of[] = {FEW, MANY, MOST}; /* without and with pending senders */

START_TEST(a_pass_finds_all_who_have_sent_and_nobody_else)
{
    uint32_t n = ranks_of[_i], from[] = {0, n / 2 + 1, n - 1};
    struct ftc_board board = board_of(n);
    struct ftc_transport t = transport_of(&board, 1);

    check_pass(&t, NULL, 0);
    for (uint32_t number = 0; number < 2 * DEPTH; number++) {
        for (int i = 2; i >= 0; i--)
            send_once(&board, from[i], 1, number);
        check_pass(&t, from, 3);
        check_pass(&t, NULL, 0);
    }
    ftc_transport_close(&t);
    ftc_board_close(&board);
}
END_TEST

START_TEST(all_of_a_rank_are_found_in_one_pass)
{
    uint32_t n = ranks_of[_i], from[] = {n - 1, n - 1, n - 1};
    struct ftc_board board = board_of(n);
    struct ftc_transport t = transport_of(&board, 1);

    for (uint32_t number = 0; number < 3; number++)
        send_once(&board, n - 1, 1, number);
    check_pass(&t, from, 3);
    ftc_transport_close(&t);
    ftc_board_close(&board);
}
END_TEST

START_TEST(a_message_that_stays_hides_no_other_and_comes_again)
{
    uint32_t n = ranks_of[_i], from[] = {0, n - 1};
    struct ftc_board board = board_of(n);
    struct ftc_transport t = transport_of(&board, 1);

    send_once(&board, 0, 1, 0);
    send_once(&board, n - 1, 1, 0);
    for (int pass = 0; pass < 3; pass++) {
        struct ftc_arrival a = {0};

        ck_assert(ftc_transport_next(&t, &a));
        ck_assert_int_eq(a.from, 0);
        ck_assert(ftc_transport_next(&t, &a));
        ck_assert_int_eq(a.from, n - 1);
        ck_assert(!ftc_transport_next(&t, &a));
    }
    check_pass(&t, from, 2);
    ftc_transport_close(&t);
    ftc_board_close(&board);
}
END_TEST

/* It would fail by reading at address 0. */
START_TEST(a_turn_in_which_nobody_talks_looks_at_no_ring)
{
    struct ftc_board board = board_of(MANY);
    struct ftc_transport t = transport_of(&board, 1);
    struct ftc_ring *ring = t.ring;
    uint32_t from[] = {MANY - 1};

    for (uint32_t number = 0; number < 3; number++) {
        struct ftc_arrival a = {0};

        t.ring = NULL;
        ck_assert(!ftc_transport_next(&t, &a));
        t.ring = ring;
        send_once(&board, MANY - 1, 1, number);
        check_pass(&t, from, 1);
    }
    ftc_transport_close(&t);
    ftc_board_close(&board);
}
END_TEST

START_TEST(pending_senders_that_lie_bring_no_message_and_hide_none)
{
    struct ftc_board board = board_of(MANY);
    struct ftc_transport t = transport_of(&board, 1), next = transport_of(&board, 2);
    uint32_t from[] = {MANY - 1};

    for (uint32_t number = 0; number < 3; number++) {
        send_once(&board, MANY - 1, 2, number);
        for (uint32_t word = 0; word <= ftc_board_set_words(&board.geometry); word++)
            atomic_store(&ftc_board_pending_senders(&board, 1)[word], UINT64_MAX);
        check_pass(&t, NULL, 0);
        send_once(&board, MANY - 1, 1, number);
        check_pass(&t, from, 1);
        check_pass(&next, from, 1); /* nor one of the rank whose pending senders lie behind it */
    }
    ftc_transport_close(&t);
    ftc_transport_close(&next);
    ftc_board_close(&board);
}
END_TEST

/* Who rings writes two words: a reader between the two hears of it once more. */
START_TEST(pending_senders_that_were_taken_hide_no_rank_behind_them)
{
    struct ftc_board board = board_of(MANY);
    struct ftc_transport t = transport_of(&board, 1);
    uint32_t from[] = {MANY - 1};

    atomic_fetch_or(&ftc_board_pending_senders(&board, 1)[0], 1);
    check_pass(&t, NULL, 0);
    ck_assert_uint_eq(t.waiting_words, 0);
    atomic_fetch_or(&ftc_board_pending_senders(&board, 1)[0], 1);
    send_once(&board, MANY - 1, 1, 0);
    check_pass(&t, from, 1);
    ftc_transport_close(&t);
    ftc_board_close(&board);
}
END_TEST

/* ---- to all members at once ---- */

enum { COMMUNICATOR = 7, SENDER = 1, READER = 0 };

/* Two ranks of @board that take part in COMMUNICATOR. */
struct pair {
    struct ftc_transport sender, reader;
    struct ftc_multicast from, to;
};

static void take_part(const struct ftc_board *board, uint64_t communicator_id)
{
    ftc_publication_open(board, SENDER, 0, communicator_id);
    ftc_publication_open(board, READER, 0, communicator_id);
}

static struct pair pair_of(const struct ftc_board *board)
{
    struct pair p = {.sender = transport_of(board, SENDER), .reader = transport_of(board, READER)};

    ck_assert_int_eq(ftc_multicast_open(&p.from, FEW), 0);
    ck_assert_int_eq(ftc_multicast_open(&p.to, FEW), 0);
    return p;
}

static void close_pair(struct pair *p)
{
    ftc_multicast_close(&p->from);
    ftc_multicast_close(&p->to);
    ftc_transport_close(&p->sender);
    ftc_transport_close(&p->reader);
}

static void tell(struct pair *p, uint64_t communicator_id, uint32_t seq)
{
    unsigned char value[UNIT_VALUE_BYTES] = {(unsigned char)seq};
    struct ftc_message m = {.kind = FTC_MESSAGE_EXCHANGE, .value = value};
    struct ftc_envelope envelope = {.communicator_id = communicator_id, .seq = seq};
    struct ftc_note note = {.kind = 1, .count = seq};

    ftc_multicast_send(&p->from, &p->sender, 0, &m, &envelope, FTC_FAILURE_LIST, UNIT_VALUE_BYTES,
                       &note);
}

/* Whether the reader finds operation @seq, whole. */
static bool hears(struct pair *p, uint64_t communicator_id, uint32_t seq)
{
    struct ftc_envelope envelope = {.communicator_id = communicator_id, .seq = seq};
    struct ftc_arrival a;

    if (!ftc_multicast_find(&p->to, &p->reader, SENDER, SENDER, &envelope, &a))
        return false;
    ck_assert_int_eq(a.from, SENDER);
    ck_assert_int_eq(unit_number_of(&a), (int)seq);
    return true;
}

START_TEST(what_is_told_is_found_in_its_operation_alone)
{
    struct ftc_board board = board_of(FEW);
    struct pair p = pair_of(&board);

    ck_assert(!hears(&p, COMMUNICATOR, 0)); /* the sender does not take part yet */
    take_part(&board, COMMUNICATOR);
    ck_assert(!hears(&p, COMMUNICATOR, 0));
    tell(&p, COMMUNICATOR, 0);
    ck_assert(!hears(&p, COMMUNICATOR, 1));
    ck_assert(hears(&p, COMMUNICATOR, 0));
    ck_assert(hears(&p, COMMUNICATOR, 0));
    close_pair(&p);
    ftc_board_close(&board);
}
END_TEST

/* A sender may be in the next operation while somebody is in this one; however many they have sent
 * themselves, as those that know of a death do not tell. */
START_TEST(what_is_told_stays_until_the_next_but_one)
{
    for (uint32_t sent = 0; sent < 3; sent++) {
        struct ftc_board board = board_of(FEW);
        struct pair p = pair_of(&board);

        take_part(&board, COMMUNICATOR);
        p.to.sent = sent;
        for (uint32_t seq = 0; seq < 2 * MANY; seq += 3) {
            tell(&p, COMMUNICATOR, seq);
            tell(&p, COMMUNICATOR, seq + 1);
            ck_assert(hears(&p, COMMUNICATOR, seq));
            ck_assert(hears(&p, COMMUNICATOR, seq + 1));
            tell(&p, COMMUNICATOR, seq + 2);
            ck_assert(!hears(&p, COMMUNICATOR, seq));
            ck_assert(hears(&p, COMMUNICATOR, seq + 2));
        }
        close_pair(&p);
        ftc_board_close(&board);
    }
}
END_TEST

/* Of a message the second cache line begins with the stamp, which a reader looks at first. */
static _Atomic uint64_t *stamp_of_place(const struct ftc_board *board, uint32_t place)
{
    return (_Atomic uint64_t *)ftc_board_multicast(board, SENDER, 0, place) + 8;
}

/* An entry goes to another communicator, in which the operations have the same numbers. A reader
 * that has seen the stamp of the message before takes nothing of the one that is being written. */
START_TEST(what_was_told_to_another_communicator_is_not_found)
{
    struct ftc_board board = board_of(FEW);
    struct pair p = pair_of(&board), later;
    uint64_t stamp;

    take_part(&board, COMMUNICATOR);
    tell(&p, COMMUNICATOR, 0);
    later = pair_of(&board);
    take_part(&board, COMMUNICATOR + 1000);
    ck_assert(!hears(&later, COMMUNICATOR + 1000, 0));
    stamp = atomic_load(stamp_of_place(&board, 0));
    tell(&later, COMMUNICATOR + 1000, 0);
    ck_assert(hears(&later, COMMUNICATOR + 1000, 0));
    ck_assert(!hears(&p, COMMUNICATOR, 0));
    atomic_store(stamp_of_place(&board, 0), stamp);
    ck_assert(!hears(&later, COMMUNICATOR + 1000, 0));
    tell(&later, COMMUNICATOR + 999, 1); /* the sum is the same */
    ck_assert(!hears(&later, COMMUNICATOR + 1000, 0));
    close_pair(&p);
    close_pair(&later);
    ftc_board_close(&board);
}
END_TEST

/* Nothing is written over what somebody may still read: this rank has to know that all have ended
 * the operation. */
START_TEST(a_place_is_used_again_when_all_have_ended_its_operation)
{
    struct ftc_board board = board_of(FEW);
    struct pair p = pair_of(&board);

    take_part(&board, COMMUNICATOR);
    for (uint32_t seq = 0; seq < FTC_BOARD_MULTICASTS; seq++) {
        ck_assert(ftc_multicast_has_room(&p.from, 0));
        tell(&p, COMMUNICATOR, seq);
    }
    ck_assert(!ftc_multicast_has_room(&p.from, 0));
    ck_assert(ftc_multicast_has_room(&p.from, 1));
    tell(&p, COMMUNICATOR, UINT32_MAX - 1); /* operations are counted on from 0 */
    tell(&p, COMMUNICATOR, UINT32_MAX);
    ck_assert(!ftc_multicast_has_room(&p.from, UINT32_MAX - 1));
    ck_assert(ftc_multicast_has_room(&p.from, UINT32_MAX));
    ck_assert(ftc_multicast_has_room(&p.from, 0));
    close_pair(&p);
    ftc_board_close(&board);
}
END_TEST

/* ---- at the same time ---- */

enum { SENDERS = 3, MESSAGES = 3000, MESSAGES_OF_PART = 300 };

static uint32_t messages(void)
{
    return (uint32_t)unit_most(MESSAGES, MESSAGES_OF_PART);
}

struct sender {
    const struct ftc_board *board;
    uint32_t rank;
    pthread_t thread;
};

static void *send_all(void *sender)
{
    const struct sender *s = sender;
    struct ftc_transport t;

    if (ftc_transport_open(&t, s->board, s->rank) != 0)
        return NULL;
    for (uint32_t i = 0; i < messages();)
        if (unit_send_number(&t, 1, i))
            i++;
        else
            sched_yield();
    ftc_transport_close(&t);
    return NULL;
}

/* Threads, so that the order of the stores matters, and the thread sanitizer sees them. */
START_TEST(messages_cross_while_all_sides_work)
{
    uint32_t n = ranks_of[_i], senders = n == FEW ? 2 : SENDERS;
    struct ftc_board board = board_of(n);
    struct ftc_transport t = transport_of(&board, 1);
    struct sender sender[SENDERS] = {{.rank = 0}, {.rank = n - 1}, {.rank = 2}};
    int expected[MOST] = {0};

    for (uint32_t i = 0; i < senders; i++) {
        sender[i].board = &board;
        ck_assert_int_eq(pthread_create(&sender[i].thread, NULL, send_all, &sender[i]), 0);
    }
    for (uint32_t received = 0; received < senders * messages(); sched_yield()) {
        struct ftc_arrival a = {0};

        for (; ftc_transport_next(&t, &a); received++) {
            ck_assert_int_eq(unit_number_of(&a), expected[a.from]++);
            ftc_transport_release(&t, &a);
        }
    }
    for (uint32_t i = 0; i < senders; i++)
        pthread_join(sender[i].thread, NULL);
    check_pass(&t, NULL, 0);
    ftc_transport_close(&t);
    ftc_board_close(&board);
}
END_TEST

#define TEST_WITH_EACH(test)                                                                       \
    tcase_add_loop_test(unit_case, test, 0, (int)(sizeof ranks_of / sizeof *ranks_of))

int main(void)
{
    UNIT_BEGIN("transport");
    UNIT_TEST(messages_arrive_in_order_and_a_full_ring_takes_none);
    UNIT_TEST(a_length_beyond_the_slot_is_cut);
    TEST_WITH_EACH(a_pass_finds_all_who_have_sent_and_nobody_else);
    TEST_WITH_EACH(all_of_a_rank_are_found_in_one_pass);
    TEST_WITH_EACH(a_message_that_stays_hides_no_other_and_comes_again);
    UNIT_TEST(a_turn_in_which_nobody_talks_looks_at_no_ring);
    UNIT_TEST(pending_senders_that_lie_bring_no_message_and_hide_none);
    UNIT_TEST(pending_senders_that_were_taken_hide_no_rank_behind_them);
    UNIT_TEST(what_is_told_is_found_in_its_operation_alone);
    UNIT_TEST(what_is_told_stays_until_the_next_but_one);
    UNIT_TEST(what_was_told_to_another_communicator_is_not_found);
    UNIT_TEST(a_place_is_used_again_when_all_have_ended_its_operation);
    TEST_WITH_EACH(messages_cross_while_all_sides_work);
    UNIT_END();
}
