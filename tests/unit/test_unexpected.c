/* Messages of operations that this rank has not reached yet. They stay in their order of arrival,
 * whichever of them are released. */
#include "library.h"
#include "progress/unexpected.h"
#include "unit.h"

enum { ID = 7, MAX_BYTES = 256, RANKS = 2, SENDER = 1 };

struct ftc_library ftc_library;

static void keep(uint32_t seq)
{
    unsigned char wire[MAX_BYTES];
    struct ftc_message m = {.kind = FTC_MESSAGE_UP_CORRECTION};
    struct ftc_envelope envelope = {.communicator_id = ID, .seq = seq};
    struct ftc_note note = {.count = seq};
    struct ftc_arrival a = {
        .from = SENDER,
        .wire = wire,
        .bytes = ftc_message_wire_bytes(&m, FTC_FAILURE_LIST, 0),
        .note = &note,
    };

    ck_assert_uint_le(a.bytes, sizeof wire);
    ftc_message_encode(&m, &envelope, FTC_FAILURE_LIST, 0, wire);
    ck_assert(ftc_unexpected_keep(&a));
}

static uint32_t seq_of(const struct ftc_unexpected_message *m)
{
    struct ftc_envelope envelope;

    ck_assert(ftc_message_read_envelope(m->arrival.wire, m->arrival.bytes, &envelope));
    ck_assert_int_eq(m->arrival.note->count, envelope.seq);
    return envelope.seq;
}

static void release(uint32_t seq)
{
    struct ftc_unexpected_message **link = ftc_unexpected_first(ID);

    while (*link && seq_of(*link) != seq)
        link = &(*link)->next;
    ck_assert_ptr_nonnull(*link);
    ftc_unexpected_release(link);
}

static void expect(int count, const uint32_t seq[])
{
    const struct ftc_unexpected_message *m = *ftc_unexpected_first(ID);

    for (int i = 0; i < count; i++, m = m->next) {
        ck_assert_ptr_nonnull(m);
        ck_assert_uint_eq(seq_of(m), seq[i]);
    }
    ck_assert_ptr_null(m);
}

#define EXPECT(...)                                                                                \
    expect(sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

static void keep_three(void)
{
    ck_assert_int_eq(ftc_unexpected_open(RANKS, MAX_BYTES), 0);
    for (uint32_t seq = 1; seq <= 3; seq++)
        keep(seq);
    EXPECT(1, 2, 3);
}

START_TEST(the_next_one_comes_after_the_last_that_is_left)
{
    keep_three();
    release(3);
    keep(4);
    EXPECT(1, 2, 4);
    release(2);
    release(4);
    keep(5);
    keep(6);
    EXPECT(1, 5, 6);
}
END_TEST

START_TEST(the_next_one_comes_after_the_last_when_others_are_released)
{
    keep_three();
    release(1);
    keep(4);
    release(3);
    EXPECT(2, 4);
}
END_TEST

START_TEST(the_next_one_is_the_first_when_all_were_released)
{
    keep_three();
    ftc_unexpected_drop(ID);
    ck_assert_ptr_null(*ftc_unexpected_first(ID));
    keep(4);
    keep(5);
    EXPECT(4, 5);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("unexpected");
    UNIT_TEST(the_next_one_comes_after_the_last_that_is_left);
    UNIT_TEST(the_next_one_comes_after_the_last_when_others_are_released);
    UNIT_TEST(the_next_one_is_the_first_when_all_were_released);
    UNIT_END();
}
