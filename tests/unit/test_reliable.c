/* What goes by a link: two reliable streams and the bytes between them, which are cut off anywhere.
 */
#include "transport/reliable.h"
#include "unit.h"

#include <string.h>

enum { FRAME_MAX = 256, BODY = 40, WIRE = 1 << 20 };

/* What one has written and the other has not read; frames, messages and sayings that it has read.
 */
struct way {
    _Alignas(FTC_FRAME_ALIGNMENT) unsigned char bytes[WIRE];
    size_t begin, end;
    uint32_t frames, messages;
};

static struct ftc_reliable stream[2];
static struct way way[2]; /* from 0 to 1 and back */
static struct way by_ucx[2];
static bool comes_by_ucx[2];
static uint32_t sent[2], came[2], released[2];

static void connect_both(void)
{
    for (int self = 0; self < 2; self++) {
        ftc_reliable_connect(&stream[self]);
        way[self].begin = way[self].end = 0;
        by_ucx[self].begin = by_ucx[self].end = 0;
        comes_by_ucx[self] = false;
        came[self] = released[self];
    }
}

static void break_both(void)
{
    ftc_reliable_break(&stream[0]);
    ftc_reliable_break(&stream[1]);
}

static void open_both(void)
{
    for (int self = 0; self < 2; self++) {
        ck_assert_int_eq(ftc_reliable_open(&stream[self], FRAME_MAX), 0);
        way[self].frames = way[self].messages = 0;
        sent[self] = came[self] = released[self] = 0;
    }
    connect_both();
}

static void close_both(void)
{
    ftc_reliable_close(&stream[0]);
    ftc_reliable_close(&stream[1]);
}

/* Up to @most bytes go out; returns how many. */
static size_t write_out(int self, size_t most)
{
    const void *bytes;
    size_t left = most, count;

    while (left > 0 && (count = ftc_reliable_to_send(&stream[self], &bytes)) > 0) {
        struct way *w = stream[self].is_by_ucx ? &by_ucx[self] : &way[self];

        count = count < left ? count : left;
        ck_assert_uint_le(w->end + count, WIRE);
        memcpy(w->bytes + w->end, bytes, count);
        w->end += count;
        ftc_reliable_sent(&stream[self], count);
        left -= count;
    }
    return most - left;
}

static const struct ftc_frame *frame_of(const struct way *w)
{
    struct ftc_frame head;

    if (w->end - w->begin < sizeof head)
        return NULL;
    memcpy(&head, w->bytes + w->begin, sizeof head);
    return head.bytes <= w->end - w->begin ? (const void *)(w->bytes + w->begin) : NULL;
}

/* As a link does. */
static void note(int self, struct way *w, enum ftc_heard heard)
{
    ck_assert(heard != FTC_HEARD_WRONG);
    ck_assert(heard < FTC_HEARD_UCX || w == &way[1 - self]);
    if (heard == FTC_HEARD_UCX)
        comes_by_ucx[self] = true;
    if (heard != FTC_HEARD_BACK)
        return;
    comes_by_ucx[self] = false;
    by_ucx[1 - self].begin = by_ucx[1 - self].end;
    ftc_reliable_switch_back(&stream[self]);
}

static void read_way(int self, struct way *w)
{
    const struct ftc_frame *frame;
    enum ftc_heard heard;

    for (; (frame = frame_of(w)); w->begin += frame->bytes) {
        ck_assert(w != &way[1 - self] || !comes_by_ucx[self] || ftc_reliable_is_back(frame));
        heard = ftc_reliable_hear(&stream[self], frame);
        note(self, w, heard);
        w->frames++;
        if (heard != FTC_HEARD_MESSAGE)
            continue;
        ck_assert_uint_eq(frame->body[0], (unsigned char)came[self]++);
        w->messages++;
    }
}

/* @self reads what is whole, and of that takes @most messages. */
static void read_in(int self, uint32_t most)
{
    read_way(self, &way[1 - self]);
    if (comes_by_ucx[self])
        read_way(self, &by_ucx[1 - self]);
    for (; most > 0 && released[self] < came[self]; most--, released[self]++)
        ftc_reliable_release(&stream[self], ftc_frame_bytes(BODY));
}

static bool send_one(int self)
{
    struct ftc_frame *frame = ftc_reliable_begin(&stream[self], BODY, BODY);

    if (!frame)
        return false;
    memset(frame->body, (unsigned char)sent[self]++, BODY);
    return true;
}

static void talk(uint32_t most)
{
    for (int i = 0; i < 4; i++)
        for (int self = 0; self < 2; self++) {
            write_out(self, WIRE);
            read_in(1 - self, most);
        }
}

START_TEST(nothing_is_lost_or_doubled_wherever_it_breaks)
{
    enum { MESSAGES = 4 };
    size_t all = 2 * MESSAGES * ftc_frame_bytes(BODY);

    for (uint32_t taken = 0; taken <= MESSAGES; taken++)
        for (size_t first = 0; first < all; first += 5)
            for (size_t second = 0; second < all; second += 61) {
                open_both();
                talk(0);
                for (int cut = 0; cut < 2; cut++) {
                    for (int i = 0; i < MESSAGES; i++)
                        for (int self = 0; self < 2; self++)
                            ck_assert(send_one(self) || cut > 0);
                    for (int self = 0; self < 2; self++) {
                        write_out(self, self == cut ? first : second);
                        read_in(1 - self, taken);
                    }
                    break_both();
                    connect_both();
                }
                talk(UINT32_MAX);
                for (int self = 0; self < 2; self++) {
                    ck_assert_uint_ge(sent[self], MESSAGES);
                    ck_assert_uint_eq(released[1 - self], sent[self]);
                    ck_assert(!ftc_reliable_has_unsent(&stream[self]));
                }
                close_both();
            }
}
END_TEST

START_TEST(what_is_kept_has_a_bound)
{
    open_both();
    talk(0);
    while (send_one(0))
        write_out(0, WIRE);
    ck_assert_uint_le(stream[0].end, stream[0].room);
    ck_assert_uint_ge(sent[0], 8);
    ck_assert_uint_le(way[0].end - way[0].begin, ftc_reliable_room_to_hear(&stream[1]));
    talk(0); /* all have come, and none is taken */
    ck_assert(!send_one(0));
    talk(UINT32_MAX);
    ck_assert(send_one(0));
    talk(UINT32_MAX);
    ck_assert_uint_eq(released[1], sent[0]);
}
END_TEST

START_TEST(two_who_answer_each_other_say_nothing_else)
{
    enum { ROUNDS = 10000 };

    open_both();
    talk(0);
    for (int i = 0; i < ROUNDS; i++)
        for (int self = 0; self < 2; self++) {
            ck_assert(send_one(self));
            write_out(self, WIRE);
            read_in(1 - self, 1);
            way[self].begin = way[self].end = 0;
            ck_assert_uint_le(stream[self].end, 2 * ftc_frame_bytes(BODY));
        }
    for (int self = 0; self < 2; self++) {
        ck_assert_uint_eq(way[self].messages, ROUNDS);
        ck_assert_uint_eq(way[self].frames, ROUNDS + 1);
    }
}
END_TEST

START_TEST(who_only_listens_speaks_now_and_then)
{
    enum { ROUNDS = 100000 };
    uint32_t messages_of_room, sayings;

    open_both();
    talk(0);
    messages_of_room = (uint32_t)(stream[0].room / ftc_frame_bytes(BODY));
    for (int i = 0; i < ROUNDS; i++) {
        ck_assert(send_one(0));
        write_out(0, WIRE);
        read_in(1, 1);
        write_out(1, WIRE);
        read_in(0, 0);
        way[0].begin = way[0].end = way[1].begin = way[1].end = 0;
    }
    sayings = way[1].frames - 1;
    ck_assert_uint_eq(way[1].messages, 0);
    ck_assert_uint_gt(sayings, 0);
    ck_assert_uint_le(sayings, 2 * ROUNDS / messages_of_room + 1);
}
END_TEST

static enum ftc_heard hear(int self, uint32_t kind, uint32_t taken, uint32_t number)
{
    struct ftc_frame frame;

    ftc_frame_begin(&frame, kind, (uint64_t)taken << 32 | number, 0);
    return ftc_reliable_hear(&stream[self], &frame);
}

/* That of the frame by which a stream says how far it has come. */
static uint32_t kind_of_saying(void)
{
    const void *bytes;
    struct ftc_frame frame;

    ck_assert_uint_eq(ftc_reliable_to_send(&stream[0], &bytes), sizeof frame);
    memcpy(&frame, bytes, sizeof frame);
    return frame.kind;
}

START_TEST(wrong_numbers_are_refused)
{
    uint32_t saying;
    struct ftc_reliable before;

    open_both();
    saying = kind_of_saying();
    ck_assert_int_eq(hear(0, BODY, 0, 0), FTC_HEARD_WRONG);   /* it has not said how far it is */
    ck_assert_int_eq(hear(0, saying, 1, 0), FTC_HEARD_WRONG); /* nothing was sent */
    talk(0);
    ck_assert(send_one(0) && send_one(0));
    write_out(0, ftc_frame_bytes(BODY) + 1);
    before = stream[0];
    ck_assert_int_eq(hear(0, saying, 2, 0), FTC_HEARD_WRONG); /* half of it was sent */
    ck_assert_int_eq(hear(0, saying, 3, 0), FTC_HEARD_WRONG);
    ck_assert_int_eq(hear(0, saying, UINT32_MAX, 0), FTC_HEARD_WRONG);
    ck_assert_int_eq(hear(0, BODY, 0, 1), FTC_HEARD_WRONG); /* one is missing */
    ck_assert_int_eq(memcmp(&before, &stream[0], sizeof before), 0);
    ck_assert_int_eq(hear(0, BODY, 1, 0), FTC_HEARD_MESSAGE);
    ck_assert_int_eq(hear(0, BODY, 1, 0), FTC_HEARD_WRONG);   /* again */
    ck_assert_int_eq(hear(0, saying, 0, 0), FTC_HEARD_WRONG); /* it had taken one */
}
END_TEST

/* By a connection on which it was not sent again, and is not there. */
START_TEST(what_was_not_sent_again_is_not_taken)
{
    uint32_t saying;

    open_both();
    saying = kind_of_saying();
    talk(0);
    ck_assert(send_one(0));
    write_out(0, WIRE);
    break_both();
    connect_both();
    ck_assert_int_eq(hear(0, saying, 0, 0), FTC_HEARD_SAYING);
    ck_assert_int_eq(hear(0, saying, 1, 0), FTC_HEARD_WRONG);
    break_both();
    connect_both();
    ck_assert_int_eq(hear(0, saying, 1, 0), FTC_HEARD_SAYING); /* it came by the first */
    ck_assert(stream[0].unsent == stream[0].end);
}
END_TEST

START_TEST(who_has_left_needs_nothing)
{
    open_both();
    talk(0);
    ck_assert(send_one(0) && send_one(1));
    write_out(0, WIRE);
    ftc_reliable_leave(&stream[1]);
    talk(UINT32_MAX);
    ck_assert(stream[0].has_left);
    ck_assert_uint_eq(released[0], 1);
    break_both();
    ck_assert(!ftc_reliable_has_unsent(&stream[0]));
}
END_TEST

START_TEST(numbers_go_round)
{
    open_both();
    for (int self = 0; self < 2; self++)
        stream[self].first = stream[self].next = stream[self].came = stream[self].taken =
            UINT32_MAX - 2;
    connect_both();
    talk(0);
    for (int i = 0; i < 20; i++) {
        ck_assert(send_one(0));
        write_out(0, WIRE);
        read_in(1, (uint32_t)i % 2);
        if (i % 5 == 4) {
            break_both();
            connect_both();
            talk(0);
        }
    }
    talk(UINT32_MAX);
    ck_assert_uint_eq(released[1], 20);
    ck_assert_uint_eq(stream[1].taken, 17);
}
END_TEST

/* The UCX path of @self ends with what has been read, or a bit more. */
static void go_back(int self, uint32_t *seed)
{
    struct way *w = &by_ucx[self];

    w->end = w->begin + unit_draw(seed, (uint32_t)(w->end - w->begin) + 1);
    ftc_reliable_switch_back(&stream[self]);
}

static void reuse(struct way *w)
{
    if (w->begin == w->end)
        w->begin = w->end = 0;
}

static void step(uint32_t *seed)
{
    int self = (int)unit_draw(seed, 2);

    switch (unit_draw(seed, 4)) {
    case 0:
        send_one(self);
        break;
    case 1:
        write_out(self, unit_draw(seed, 3 * (uint32_t)ftc_frame_bytes(BODY)));
        break;
    case 2:
        read_in(self, unit_draw(seed, 3));
        break;
    default:
        if (unit_draw(seed, 40) == 0)
            ftc_reliable_switch_to_ucx(&stream[self]);
        if (unit_draw(seed, 150) == 0)
            go_back(self, seed);
        if (unit_draw(seed, 500) == 0) {
            break_both();
            connect_both();
        }
    }
    for (int i = 0; i < 2; i++) {
        reuse(&way[i]);
        reuse(&by_ucx[i]);
    }
}

START_TEST(a_ucx_path_that_loses_its_tail_loses_nothing_and_doubles_nothing)
{
    enum { SEEDS = 15, STEPS = 3000 };
    uint32_t sent_by_ucx = 0, again = 0;

    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t random = seed;

        open_both();
        by_ucx[0].messages = by_ucx[1].messages = 0;
        for (int i = 0; i < STEPS; i++) {
            step(&random);
            again += stream[0].said_ucx && stream[0].was_back;
        }
        talk(UINT32_MAX);
        talk(UINT32_MAX);
        for (int self = 0; self < 2; self++) {
            ck_assert_uint_eq(released[1 - self], sent[self]);
            ck_assert(!ftc_reliable_has_unsent(&stream[self]));
            sent_by_ucx += by_ucx[self].messages;
        }
        close_both();
    }
    ck_assert_uint_gt(sent_by_ucx, SEEDS * 50);
    ck_assert_uint_gt(again, 0);
}
END_TEST

/* Whatever part of what goes by the UCX path is lost, and of what goes again is out. */
/* While something goes a second time, what is said of it counts only as far as it is out. */
START_TEST(who_goes_back_has_room_again)
{
    for (size_t part = 0; part < 5000; part += 331) {
        open_both();
        talk(0);
        ftc_reliable_switch_to_ucx(&stream[0]);
        ftc_reliable_switch_to_ucx(&stream[1]);
        talk(0);
        while (send_one(0))
            write_out(0, WIRE);
        read_in(1, UINT32_MAX);
        write_out(1, WIRE);
        ck_assert(by_ucx[1].end > by_ucx[1].begin); /* that it has taken all, which is lost */
        by_ucx[1].end = by_ucx[1].begin;
        ftc_reliable_switch_back(&stream[0]);
        write_out(0, part);
        read_in(1, 0);
        write_out(1, WIRE);
        read_in(0, 0);
        talk(0);
        ck_assert_uint_eq(stream[0].begin, stream[0].end);
        talk(UINT32_MAX);
        ck_assert_uint_eq(released[1], sent[0]);
        close_both();
    }
    open_both();
}
END_TEST

START_TEST(who_goes_back_says_so_before_all_else)
{
    size_t all = 4 * ftc_frame_bytes(BODY);

    for (size_t first = 0; first < all; first += 29)
        for (size_t second = 0; second < all; second += 23)
            for (uint32_t taken = 0; taken < 4; taken++) {
                open_both();
                talk(0);
                ftc_reliable_switch_to_ucx(&stream[0]);
                talk(0);
                ck_assert(stream[0].is_by_ucx && comes_by_ucx[1]);
                for (int i = 0; i < 3; i++)
                    ck_assert(send_one(0));
                write_out(0, first);
                read_in(1, taken);
                by_ucx[0].end = by_ucx[0].begin; /* what is there in part */
                ftc_reliable_switch_back(&stream[0]);
                ck_assert(ftc_reliable_has_unsent(&stream[0]));
                ftc_reliable_leave(&stream[0]);
                ck_assert(send_one(1));
                write_out(0, second);
                read_in(1, taken);
                write_out(1, WIRE);
                read_in(0, 0);
                talk(UINT32_MAX);
                ck_assert(stream[1].has_left);
                ck_assert_uint_eq(released[1], 3);
                close_both();
            }
    open_both();
}
END_TEST

int main(void)
{
    UNIT_BEGIN("reliable");
    tcase_add_checked_fixture(unit_case, NULL, close_both);
    UNIT_TEST(nothing_is_lost_or_doubled_wherever_it_breaks);
    UNIT_TEST(what_is_kept_has_a_bound);
    UNIT_TEST(two_who_answer_each_other_say_nothing_else);
    UNIT_TEST(who_only_listens_speaks_now_and_then);
    UNIT_TEST(wrong_numbers_are_refused);
    UNIT_TEST(what_was_not_sent_again_is_not_taken);
    UNIT_TEST(who_has_left_needs_nothing);
    UNIT_TEST(numbers_go_round);
    UNIT_TEST(a_ucx_path_that_loses_its_tail_loses_nothing_and_doubles_nothing);
    UNIT_TEST(who_goes_back_has_room_again);
    UNIT_TEST(who_goes_back_says_so_before_all_else);
    UNIT_END();
}
