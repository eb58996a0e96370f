/* unit_messages: messages that are told from each other by a number. */
#ifndef FTC_TESTS_UNIT_MESSAGES_H
#define FTC_TESTS_UNIT_MESSAGES_H

#include "transport/transport.h"
#include "unit.h"

enum { UNIT_VALUE_BYTES = 24 };

/* False: there is no room for it. */
static inline bool unit_send_number(struct ftc_transport *t, uint32_t to, uint32_t number)
{
    unsigned char value[UNIT_VALUE_BYTES] = {(unsigned char)number};
    struct ftc_message m = {.kind = FTC_MESSAGE_UP_CORRECTION, .value = value};
    struct ftc_envelope envelope = {.communicator_id = 1, .seq = number};
    struct ftc_note note = {.kind = 1, .count = number};

    return ftc_transport_send(t, to, &m, &envelope, FTC_FAILURE_LIST, UNIT_VALUE_BYTES, &note);
}

/* Of one that has arrived, which is whole. */
static inline int unit_number_of(const struct ftc_arrival *a)
{
    struct ftc_failure_info info;
    struct ftc_envelope envelope;
    struct ftc_message m;
    size_t value_bytes;

    ck_assert_int_eq(
        ftc_message_decode(a->wire, a->bytes, FTC_FAILURE_LIST, &envelope, &value_bytes, &m, &info),
        0);
    ck_assert_int_eq(value_bytes, UNIT_VALUE_BYTES);
    ck_assert_int_eq(*(const unsigned char *)m.value, (unsigned char)envelope.seq);
    ck_assert_int_eq(a->note->count, envelope.seq);
    return (int)envelope.seq;
}

#endif
