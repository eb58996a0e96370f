/* Failure information, messages on the wire, whom an exchange awaits, and the policy. */
#include "call/policy.h"
#include "engine/failure_info.h"
#include "engine/message.h"
#include "engine/operation.h"
#include "unit.h"

#include <string.h>

static struct ftc_topology topology_of(int n, int f, void *storage)
{
    struct ftc_topology t;

    ftc_topology_init(&t, n, f, &(struct ftc_tree_shape){.kind = FTC_TREE_BINOMIAL}, storage);
    return t;
}

/* ---- failure information ---- */

START_TEST(list_counts_each_rank_once)
{
    struct ftc_failure_info a = {0}, b = {0};

    ftc_failure_info_note(&a, FTC_FAILURE_LIST, 3, false);
    ftc_failure_info_note(&a, FTC_FAILURE_LIST, 3, true);
    ftc_failure_info_note(&b, FTC_FAILURE_LIST, 3, true);
    ftc_failure_info_note(&b, FTC_FAILURE_LIST, 5, true);
    ftc_failure_info_merge(&a, FTC_FAILURE_LIST, &b);
    ck_assert_int_eq(a.count, 2);
    ck_assert_int_eq(a.id[0], 3);
    ck_assert_int_eq(a.id[1], 5);
}
END_TEST

START_TEST(list_rejects_only_the_subtree_it_names)
{
    int32_t storage[64];
    struct ftc_topology t = topology_of(3, 1, storage); /* subtrees {1} and {2} */
    struct ftc_failure_info info = {0};

    ftc_failure_info_note(&info, FTC_FAILURE_LIST, 1, false);
    ck_assert(ftc_failure_info_is_unusable(&info, FTC_FAILURE_LIST, &t, 0, 1));
    ck_assert(!ftc_failure_info_is_unusable(&info, FTC_FAILURE_LIST, &t, 0, 2));
}
END_TEST

START_TEST(list_names_ranks_not_vranks)
{
    int32_t storage[64];
    struct ftc_topology t = topology_of(3, 1, storage);
    struct ftc_failure_info info = {0};

    ftc_failure_info_note(&info, FTC_FAILURE_LIST, 0, false); /* with root 2: rank 0 is vrank 2 */
    ck_assert(!ftc_failure_info_is_unusable(&info, FTC_FAILURE_LIST, &t, 2, 1));
    ck_assert(ftc_failure_info_is_unusable(&info, FTC_FAILURE_LIST, &t, 2, 2));
}
END_TEST

/* A lost host may be more ranks than a list has room for: then it counts that a child is missing.
 */
START_TEST(a_list_that_is_too_long_rejects_what_a_child_is_missing_of)
{
    int32_t storage[64];
    struct ftc_topology t = topology_of(3, 1, storage);
    struct ftc_failure_info info = {0};

    for (int i = 0; i <= FTC_FAILED_MAX; i++)
        ftc_failure_info_note(&info, FTC_FAILURE_LIST, 1000 + i, false);
    ck_assert_int_eq(info.count, FTC_FAILED_MAX);
    ck_assert(info.overflow);
    ck_assert(!ftc_failure_info_is_unusable(&info, FTC_FAILURE_LIST, &t, 0, 2));
    ftc_failure_info_note(&info, FTC_FAILURE_LIST, 2, true);
    ck_assert(ftc_failure_info_is_unusable(&info, FTC_FAILURE_LIST, &t, 0, 2));
}
END_TEST

START_TEST(bit_is_set_by_children_only)
{
    static const enum ftc_failure_scheme schemes[] = {FTC_FAILURE_COUNT, FTC_FAILURE_BIT};
    int32_t storage[64];
    struct ftc_topology t = topology_of(3, 1, storage);

    for (int i = 0; i < 2; i++) {
        struct ftc_failure_info info = {0}, child = {0};

        ftc_failure_info_note(&info, schemes[i], 1, false);
        ck_assert(!ftc_failure_info_is_unusable(&info, schemes[i], &t, 0, 1));
        ftc_failure_info_note(&child, schemes[i], 1, true);
        ftc_failure_info_merge(&info, schemes[i], &child);
        ck_assert(ftc_failure_info_is_unusable(&info, schemes[i], &t, 0, 1));
        ck_assert_int_eq(info.count, schemes[i] == FTC_FAILURE_COUNT ? 2 : 0);
    }
}
END_TEST

/* ---- messages ---- */

static const struct ftc_envelope envelope = {
    .communicator_id = 0x1122334455667788, .seq = 77, .signature = 99};

static const struct ftc_failure_info two_failed = {.count = 2, .id = {4, 9}};

struct decoded {
    struct ftc_envelope envelope;
    size_t value_bytes;
    struct ftc_message message;
    struct ftc_failure_info info;
};

/* The result points into @d: it stays where it is. */
static int decode(struct decoded *d, const void *wire, size_t bytes, enum ftc_failure_scheme scheme)
{
    memset(d, 0xee, sizeof *d);
    return ftc_message_decode(wire, bytes, scheme, &d->envelope, &d->value_bytes, &d->message,
                              &d->info);
}

START_TEST(a_message_survives_the_wire)
{
    _Alignas(16) unsigned char wire[1024];
    const char value[] = "0123456789";
    struct ftc_message m = {
        .kind = FTC_MESSAGE_TREE, .attempt = 3, .info = &two_failed, .value = value};
    size_t bytes = ftc_message_wire_bytes(&m, FTC_FAILURE_LIST, sizeof value);
    struct decoded d;

    ftc_message_encode(&m, &envelope, FTC_FAILURE_LIST, sizeof value, wire);
    ck_assert_int_eq(decode(&d, wire, bytes, FTC_FAILURE_LIST), 0);
    ck_assert_mem_eq(&d.envelope, &envelope, sizeof envelope);
    ck_assert_int_eq(d.message.kind, FTC_MESSAGE_TREE);
    ck_assert_uint_eq(d.message.attempt, 3);
    ck_assert_uint_eq(d.value_bytes, sizeof value);
    ck_assert_mem_eq(d.message.value, value, sizeof value);
    ck_assert_int_eq(d.message.info->count, 2);
    ck_assert_int_eq(d.message.info->id[1], 9);
}
END_TEST

START_TEST(other_schemes_send_no_ids)
{
    _Alignas(16) unsigned char wire[1024];
    struct ftc_failure_info info = {.count = 5, .subtree_failed = true};
    struct ftc_message m = {.kind = FTC_MESSAGE_TREE, .info = &info, .value = "x"};
    size_t bytes = ftc_message_wire_bytes(&m, FTC_FAILURE_COUNT, 1);
    struct decoded d;

    ck_assert_uint_eq(bytes, sizeof(struct ftc_message_header) + 1);
    ftc_message_encode(&m, &envelope, FTC_FAILURE_COUNT, 1, wire);
    ck_assert_int_eq(decode(&d, wire, bytes, FTC_FAILURE_COUNT), 0);
    ck_assert_int_eq(d.message.info->count, 5);
    ck_assert(d.message.info->subtree_failed);
}
END_TEST

START_TEST(a_result_lists_the_failed_in_every_scheme)
{
    _Alignas(16) unsigned char wire[1024];
    struct ftc_message m = {.kind = FTC_MESSAGE_BROADCAST,
                            .verdict = FTC_VERDICT_EXCESS,
                            .attempt = 2,
                            .decided = 1,
                            .info = &two_failed};
    size_t bytes = ftc_message_wire_bytes(&m, FTC_FAILURE_BIT, 8);
    struct decoded d;

    ftc_message_encode(&m, &envelope, FTC_FAILURE_BIT, 8, wire);
    ck_assert_int_eq(decode(&d, wire, bytes, FTC_FAILURE_BIT), 0);
    ck_assert_ptr_null(d.message.value);
    ck_assert_uint_eq(d.value_bytes, 0);
    ck_assert_int_eq(d.message.info->id[0], 4);
}
END_TEST

/* Whatever one byte of a message becomes, decoding stays inside of it. */
START_TEST(broken_messages_are_refused_or_harmless)
{
    _Alignas(16) unsigned char wire[256], broken[256];
    struct ftc_message m = {.kind = FTC_MESSAGE_TREE, .info = &two_failed, .value = "12345678"};
    size_t bytes = ftc_message_wire_bytes(&m, FTC_FAILURE_LIST, 8);
    struct decoded d;

    ftc_message_encode(&m, &envelope, FTC_FAILURE_LIST, 8, wire);
    for (size_t cut = 0; cut < bytes; cut++)
        ck_assert_int_ne(decode(&d, wire, cut, FTC_FAILURE_LIST), 0);
    ck_assert_int_ne(decode(&d, wire, bytes + 1, FTC_FAILURE_LIST), 0);
    ck_assert_int_ne(decode(&d, wire, bytes, FTC_FAILURE_BIT), 0);
    for (size_t i = 0; i < sizeof(struct ftc_message_header); i++)
        for (int value = 0; value < 256; value++) {
            memcpy(broken, wire, bytes);
            broken[i] = (unsigned char)value;
            if (decode(&d, broken, bytes, FTC_FAILURE_LIST) != 0)
                continue;
            ck_assert_uint_eq(
                (size_t)((const unsigned char *)d.message.value - broken) + d.value_bytes, bytes);
            if (d.message.info)
                ck_assert_int_le(d.message.info->count, FTC_FAILED_MAX);
        }
}
END_TEST

/* ---- policy ---- */

static const struct ftc_policy_facts good = {
    .intercepted = true, .valid = true, .commutative = true, .value_bytes = 8};

static enum ftc_fallback decide(const struct ftc_policy_facts *facts)
{
    return ftc_policy(facts, 8);
}

/* ---- whom an exchange awaits ---- */

static void add_one(void *context, void *into, const void *from)
{
    (void)context;
    *(uint64_t *)into += *(const uint64_t *)from;
}

/* Three ranks that tell each other: this one awaits both, then the one that has said nothing yet.
 */
START_TEST(an_exchange_awaits_all_that_it_keeps)
{
    static _Alignas(16) unsigned char op_storage[8192];
    int32_t storage[64];
    struct ftc_topology t = topology_of(3, 1, storage);
    struct ftc_exchange_plan plan;
    uint64_t original = 1;
    struct ftc_op op;
    struct ftc_send sends[128];
    struct ftc_actions actions = {.send = sends, .capacity = 128};
    struct ftc_message value = {.kind = FTC_MESSAGE_EXCHANGE,
                                .value = (const unsigned char *)&original};

    ftc_exchange_plan_make(&plan, &t.hosts, FTC_EXCHANGE_MULTICAST, t.n, 0);
    ck_assert_uint_le(ftc_op_storage_bytes(&t, plan.count, sizeof original), sizeof op_storage);
    ftc_op_init(&op,
                &(struct ftc_op_config){.kind = FTC_OP_ALLREDUCE,
                                        .algorithm = FTC_ALGORITHM_OPTIMISTIC,
                                        .topology = &t,
                                        .exchange_plan = &plan,
                                        .value_bytes = sizeof original,
                                        .original = &original,
                                        .combine = add_one},
                op_storage);
    ftc_op_step(&op, &(struct ftc_event){.kind = FTC_EVENT_START}, &actions);
    ck_assert_int_eq(actions.count, 2);
    ck_assert(ftc_op_expects(&op, 1));
    ck_assert(ftc_op_expects(&op, 2));
    for (int peer = 1; peer <= 2; peer++) {
        for (int i = 0; i < plan.count; i++)
            if (plan.step[i].act == FTC_EXCHANGE_KEEP && plan.step[i].peer == peer)
                value.step = plan.step[i].number;
        ck_assert_int_eq(
            ftc_op_step(
                &op,
                &(struct ftc_event){.kind = FTC_EVENT_MESSAGE, .peer = peer, .message = &value},
                &actions),
            FTC_STEP_OK);
        ck_assert(!ftc_op_expects(&op, peer));
        ck_assert_int_eq(ftc_op_expects(&op, 2), peer == 1);
    }
    ck_assert(ftc_op_is_done(&op));
    ck_assert_uint_eq(*(const uint64_t *)op.result.value, 3);
}
END_TEST

START_TEST(a_small_commutative_call_is_protected)
{
    ck_assert_int_eq(decide(&good), FTC_FALLBACK_NONE);
}
END_TEST

/* As a rank that gives nothing is in an operation with others that give something. */
START_TEST(a_call_without_data_is_protected)
{
    struct ftc_policy_facts x = good;

    x.value_bytes = 0;
    ck_assert_int_eq(decide(&x), FTC_FALLBACK_NONE);
}
END_TEST

START_TEST(each_fallback_has_its_name)
{
    struct ftc_policy_facts x = good;

    x.intercepted = false;
    ck_assert_int_eq(decide(&x), FTC_FALLBACK_NOT_INTERCEPTED);
    x = good;
    x.communicator = FTC_FALLBACK_INTERCOMM;
    ck_assert_int_eq(decide(&x), FTC_FALLBACK_INTERCOMM);
    x = good;
    x.valid = false;
    ck_assert_int_eq(decide(&x), FTC_FALLBACK_INVALID);
    x = good;
    x.has_addresses = true;
    ck_assert_int_eq(decide(&x), FTC_FALLBACK_ADDRESSES);
    x = good;
    x.commutative = false;
    ck_assert_int_eq(decide(&x), FTC_FALLBACK_NON_COMMUTATIVE);
    x = good;
    x.value_bytes = 9;
    ck_assert_int_eq(decide(&x), FTC_FALLBACK_TOO_LARGE);
}
END_TEST

START_TEST(every_reason_has_a_text)
{
    for (int fallback = 0; fallback < FTC_FALLBACK_COUNT; fallback++)
        ck_assert_uint_gt(strlen(ftc_fallback_text((enum ftc_fallback)fallback)), 5);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("engine");
    UNIT_TEST(list_counts_each_rank_once);
    UNIT_TEST(list_rejects_only_the_subtree_it_names);
    UNIT_TEST(list_names_ranks_not_vranks);
    UNIT_TEST(a_list_that_is_too_long_rejects_what_a_child_is_missing_of);
    UNIT_TEST(bit_is_set_by_children_only);
    UNIT_TEST(a_message_survives_the_wire);
    UNIT_TEST(other_schemes_send_no_ids);
    UNIT_TEST(a_result_lists_the_failed_in_every_scheme);
    UNIT_TEST(broken_messages_are_refused_or_harmless);
    UNIT_TEST(an_exchange_awaits_all_that_it_keeps);
    UNIT_TEST(a_small_commutative_call_is_protected);
    UNIT_TEST(a_call_without_data_is_protected);
    UNIT_TEST(each_fallback_has_its_name);
    UNIT_TEST(every_reason_has_a_text);
    UNIT_END();
}
