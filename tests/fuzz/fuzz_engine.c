/* Whatever arrives, the decoder and the engine stay within their memory, answer each event, and
 * send only to ranks there are. The input is a small job: its shape, then events. */
#include "engine/operation.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VALUE_BYTES = 24, MAX_RANKS = 12, STORAGE = 1 << 16, MAX_SENDS = 512, RING_DISTANCE = 2 };

struct input {
    const uint8_t *next;
    size_t left;
};

static unsigned take(struct input *in)
{
    if (in->left == 0)
        return 0;
    in->left--;
    return *in->next++;
}

static void combine(void *context, void *into, const void *from)
{
    (void)context;
    for (int i = 0; i < VALUE_BYTES; i++)
        ((unsigned char *)into)[i] ^= ((const unsigned char *)from)[i];
}

static void carry_out(const struct ftc_op *op, struct ftc_actions *actions)
{
    unsigned char wire[4096];

    for (int i = 0; i < actions->count; i++) {
        const struct ftc_send *s = &actions->send[i];
        struct ftc_envelope envelope = {0};

        if (s->to < 0 || s->to >= op->config.topology->n || s->to == op->config.rank ||
            ftc_message_wire_bytes(&s->message, op->config.failure_scheme, VALUE_BYTES) >
                ftc_message_max_wire_bytes(VALUE_BYTES))
            abort();
        ftc_message_encode(&s->message, &envelope, op->config.failure_scheme, VALUE_BYTES, wire);
    }
    actions->count = 0;
}

static void message(struct ftc_op *op, struct input *in, struct ftc_actions *actions)
{
    static struct ftc_failure_info info;
    _Alignas(16) unsigned char wire[256];
    struct ftc_event event = {.kind = FTC_EVENT_MESSAGE};
    struct ftc_envelope envelope;
    struct ftc_message m;
    size_t bytes = take(in), value_bytes;

    event.peer = (int)(take(in) % (unsigned)op->config.topology->n);
    if (bytes > in->left)
        bytes = in->left;
    memcpy(wire, in->next, bytes);
    in->next += bytes;
    in->left -= bytes;
    if (event.peer == op->config.rank ||
        ftc_message_decode(wire, bytes, op->config.failure_scheme, &envelope, &value_bytes, &m,
                           &info) != 0 ||
        (m.value && value_bytes != VALUE_BYTES)) /* the caller of the engine checks this */
        return;
    event.message = &m;
    ftc_op_step(op, &event, actions);
}

static void published(struct ftc_op *op, struct input *in, struct ftc_actions *actions)
{
    static struct ftc_failure_info failed;
    unsigned char value[VALUE_BYTES] = {1};
    struct ftc_result result = {.attempt = take(in) % 4, .failed = &failed};
    struct ftc_event event = {.kind = FTC_EVENT_PUBLISHED, .published = &result};

    event.peer = (int)(take(in) % (unsigned)op->config.topology->n);
    failed.count = (int)(take(in) % 3);
    for (int i = 0; i < failed.count; i++)
        failed.id[i] = (int32_t)take(in) - 2;
    result.verdict = take(in) % 2 ? FTC_VERDICT_VALUE : FTC_VERDICT_EXCESS;
    result.value = result.verdict == FTC_VERDICT_VALUE ? value : NULL;
    if (event.peer != op->config.rank && ftc_op_awaits(op, event.peer))
        ftc_op_step(op, &event, actions);
}

static void news(struct ftc_op *op, struct input *in, struct ftc_actions *actions)
{
    struct ftc_event event = {.kind = take(in) % 2 ? FTC_EVENT_PEER_FAILED : FTC_EVENT_JOINED};

    event.peer = (int)(take(in) % (unsigned)op->config.topology->n);
    event.attempt = take(in) % 4;
    if (event.peer == op->config.rank ||
        (event.kind == FTC_EVENT_JOINED && !ftc_op_confirms(op, event.peer)))
        return;
    ftc_op_step(op, &event, actions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static _Alignas(16) unsigned char topology_storage[4096], storage[STORAGE];
    static struct ftc_send sends[MAX_SENDS];
    static const unsigned char original[VALUE_BYTES] = {1};
    struct input in = {.next = data, .left = size};
    struct ftc_actions actions = {.send = sends};
    struct ftc_event start = {.kind = FTC_EVENT_START};
    struct ftc_topology t;
    struct ftc_exchange_plan plan;
    struct ftc_op op;
    int n = 1 + (int)(take(&in) % MAX_RANKS), f = (int)(take(&in) % 4);
    int hosts = 1 + (int)(take(&in) % 5);
    enum ftc_exchange_manner manner = take(&in) % FTC_EXCHANGE_MANNERS;
    int32_t host[MAX_RANKS];
    struct ftc_tree_shape shape = {.kind = take(&in) % 4, .k = 2, .logp = {.L = 2, .o = 1, .g = 1}};
    struct ftc_op_config config = {
        .kind = take(&in) % 2,
        .algorithm = take(&in) % 2,
        .failure_scheme = take(&in) % 3,
        .correction = take(&in) % 2,
        .ring_distance = RING_DISTANCE,
        .deterministic = take(&in) % 2,
        .topology = &t,
        .exchange_plan = &plan,
        .rank = (int)(take(&in) % (unsigned)n),
        .root = (int)(take(&in) % (unsigned)n),
        .value_bytes = VALUE_BYTES,
        .original = original,
        .combine = combine,
    };

    config.direct = config.kind == FTC_OP_REDUCE && n <= FTC_DIRECT_MOST && take(&in) % 2;
    if (ftc_topology_storage_bytes(n, f) > sizeof topology_storage)
        abort();
    ftc_topology_init(&t, n, f, &shape, topology_storage);
    for (int rank = 0; rank < n; rank++)
        host[rank] = rank % hosts;
    t.hosts =
        (struct ftc_hosts){.count = n < hosts ? n : hosts, .are_far = take(&in) % 2, .of = host};
    ftc_exchange_plan_make(&plan, &t.hosts, manner, n, config.rank);
    actions.capacity = ftc_op_actions_capacity(&t, RING_DISTANCE);
    if (ftc_op_storage_bytes(&t, plan.count, VALUE_BYTES) > sizeof storage ||
        actions.capacity > MAX_SENDS)
        abort();
    ftc_op_init(&op, &config, storage);
    ftc_op_step(&op, &start, &actions);
    carry_out(&op, &actions);
    while (in.left > 0) {
        switch (take(&in) % 4) {
        case 0:
        case 1:
            message(&op, &in, &actions);
            break;
        case 2:
            published(&op, &in, &actions);
            break;
        default:
            news(&op, &in, &actions);
        }
        carry_out(&op, &actions);
    }
    return 0;
}
