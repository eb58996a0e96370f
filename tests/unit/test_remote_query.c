/* Queries to the monitor process of another host, on a network whose answers take longer than
 * somebody waits before the query is put again. The file under test is part of this one. */
#include "transport/remote_query.c"

#include "unit.h"

#include <sys/socket.h>
#include <unistd.h>

enum { RANKS = 4, ASKS = 1, ANSWERS = 2, FRAME_MAX = 256, ATTEMPT = 1 };

static struct ftc_connection answers;

/* Both sides have recognised each other. */
static void open_up(struct ftc_connection *c, int fd)
{
    static const uint64_t key[2];

    ftc_connection_accept(c, fd, key);
    c->state = FTC_CONNECTION_ASKS;
    ftc_connection_answer(c, FTC_WELCOME, FRAME_MAX);
    ck_assert_int_eq(c->state, FTC_CONNECTION_OPEN);
}

static struct asked connected(void)
{
    struct asked a = {0};
    struct ftc_reply reply;
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    open_up(&a.c, pair[0]);
    open_up(&answers, pair[1]);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(recv(pair[i], &reply, sizeof reply, 0), sizeof reply);
    return a;
}

static void leave(struct asked *a)
{
    ftc_connection_close(&a->c);
    ftc_connection_close(&answers);
}

static struct ftc_query query_of(uint32_t seq)
{
    return (struct ftc_query){.kind = FTC_QUERY_ATTEMPT, .rank = ANSWERS, .seq = seq};
}

/* To the oldest query that has no answer: yes, or no. */
static void answer(bool is_yes)
{
    const struct ftc_frame *asked;
    struct ftc_frame *frame;
    uint32_t body[8] = {is_yes, ATTEMPT};

    ftc_connection_progress(&answers, ANSWERS, RANKS);
    asked = ftc_connection_next(&answers);
    ck_assert_ptr_nonnull(asked);
    frame = ftc_connection_begin(&answers, asked->kind, asked->number, sizeof body);
    memcpy(frame->body, body, sizeof body);
    ftc_connection_drop(&answers);
    ftc_connection_send(&answers);
}

static bool has_come(struct asked *a)
{
    struct ftc_query_reply answer = {0};

    ftc_connection_progress(&a->c, ASKS, RANKS);
    return take(a, &answer) && answer.attempt == ATTEMPT;
}

START_TEST(an_answer_counts_though_it_was_asked_again_meanwhile)
{
    struct asked a = connected();
    struct ftc_query q = query_of(7);

    put(&a, &q, ATTEMPT);
    put(&a, &q, ATTEMPT);
    put(&a, &q, ATTEMPT);
    ck_assert_uint_eq(a.number, 3);
    answer(true);
    ck_assert(has_come(&a));
    leave(&a);
}
END_TEST

/* Of another operation, or asked in another attempt: the rank may have died meanwhile. */
START_TEST(an_answer_to_another_question_does_not_count)
{
    struct asked a = connected();
    struct ftc_query before = query_of(6), q = query_of(7);

    put(&a, &before, ATTEMPT);
    put(&a, &q, ATTEMPT);
    answer(true);
    ck_assert(!has_come(&a));
    ck_assert(a.is_under_way);
    put(&a, &q, ATTEMPT + 1);
    answer(true);
    ck_assert(!has_come(&a));
    ck_assert(a.is_under_way);
    answer(true);
    ck_assert(has_come(&a));
    leave(&a);
}
END_TEST

START_TEST(a_no_is_followed_by_a_pause)
{
    struct asked a = connected();
    struct ftc_query q = query_of(7);

    put(&a, &q, ATTEMPT);
    answer(false);
    ck_assert(!has_come(&a));
    ck_assert(!a.is_under_way);
    ck_assert_uint_gt(a.again_ns, a.asked_ns);
    leave(&a);
}
END_TEST

START_TEST(what_has_no_answer_is_never_answered)
{
    struct ftc_query q = {.kind = FTC_QUERY_KILL, .rank = ANSWERS};
    struct ftc_query_reply none = {0};
    uint32_t body[8] = {1};

    ck_assert(!ftc_query_reply_read(&q, body, sizeof body, &none));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("remote_query");
    UNIT_TEST(an_answer_counts_though_it_was_asked_again_meanwhile);
    UNIT_TEST(an_answer_to_another_question_does_not_count);
    UNIT_TEST(a_no_is_followed_by_a_pause);
    UNIT_TEST(what_has_no_answer_is_never_answered);
    UNIT_END();
}
