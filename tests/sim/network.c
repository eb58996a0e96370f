/* Messages under way. They travel encoded, so that the code for the wire is under test too. */
#include "check.h"
#include "internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { COMMUNICATOR = 7 };

static struct sim_queue *channel(const struct sim *s, int from, int to)
{
    return &s->channel[from * s->scenario.n + to];
}

static int32_t allocate(struct sim *s)
{
    int32_t message = s->free_message;

    if (message >= 0) {
        s->free_message = s->message[message].next;
        return message;
    }
    if (s->message_count == s->message_capacity) {
        s->message_capacity = 2 * s->message_capacity + 64;
        s->message = realloc(s->message, (size_t)s->message_capacity * sizeof *s->message);
        s->wire = realloc(s->wire, (size_t)s->message_capacity * s->wire_stride);
        assert(s->message);
        assert(s->wire);
    }
    return s->message_count++;
}

void sim_network_free(struct sim *s, int32_t message)
{
    s->message[message].next = s->free_message;
    s->free_message = message;
}

void sim_queue_append(struct sim *s, struct sim_queue *q, int32_t message)
{
    s->message[message].next = -1;
    if (q->first < 0)
        q->first = message;
    else
        s->message[q->last].next = message;
    q->last = message;
}

/* Ranks call the same operation; the simulator has no other use for the signature. */
static uint32_t signature(int seq)
{
    return 1000u + (uint32_t)seq;
}

/* The first of a channel can be delivered, unless its way is cut. */
static void offer_first(struct sim *s, const struct sim_queue *q)
{
    const struct sim_message *m = &s->message[q->first];

    if (sim_lease_is_cut(s, s->host[m->from], s->host[m->to]))
        sim_event_forbid_delivery(s, q->first);
    else if (m->event < 0)
        sim_event_allow_delivery(s, q->first);
}

int32_t sim_network_send(struct sim *s, int from, int to, const struct ftc_message *m, int seq)
{
    const struct scenario *c = &s->scenario;
    struct ftc_envelope envelope = {
        .communicator_id = COMMUNICATOR, .seq = (uint32_t)seq, .signature = signature(seq)};
    size_t value_bytes = sim_used_bytes(s, m->value);
    size_t bytes = ftc_message_wire_bytes(m, c->scheme, value_bytes);
    struct sim_queue *q = channel(s, from, to);
    int32_t message;

    if (s->dead & sim_bit(to) || s->process[to].known_dead & sim_bit(from))
        return -1; /* of a host that is lost, and does not know it: the link is closed */
    assert(bytes <= s->wire_stride);
    message = allocate(s);
    s->message[message] = (struct sim_message){
        .event = -1, .from = (uint8_t)from, .to = (uint8_t)to, .bytes = (uint16_t)bytes};
    ftc_message_encode(m, &envelope, c->scheme, value_bytes, sim_network_wire(s, message));
    if (!c->overtaking)
        sim_queue_append(s, q, message);
    if (c->overtaking)
        sim_event_allow_delivery(s, message);
    else if (q->first == message)
        offer_first(s, q);
    return message;
}

void sim_network_take(struct sim *s, int32_t message)
{
    const struct sim_message *m = &s->message[message];
    struct sim_queue *q = channel(s, m->from, m->to);

    sim_event_forbid_delivery(s, message);
    if (s->scenario.overtaking)
        return;
    assert(q->first == message);
    q->first = m->next;
    if (q->first >= 0)
        offer_first(s, q);
}

void sim_network_refresh(struct sim *s)
{
    for (int i = 0; i < s->scenario.n * s->scenario.n; i++)
        if (s->channel[i].first >= 0)
            offer_first(s, &s->channel[i]);
}

static void drop_channel(struct sim *s, struct sim_queue *q)
{
    while (q->first >= 0) {
        int32_t message = q->first;

        sim_network_take(s, message);
        sim_network_free(s, message);
    }
}

bool sim_network_is_under_way(const struct sim *s, int from, int to)
{
    return !s->scenario.overtaking && channel(s, from, to)->first >= 0;
}

void sim_network_drop(struct sim *s, int from, int to)
{
    drop_channel(s, channel(s, from, to));
}

void sim_network_drop_to(struct sim *s, int rank)
{
    for (int from = 0; !s->scenario.overtaking && from < s->scenario.n; from++)
        drop_channel(s, channel(s, from, rank));
    for (int i = 0; s->scenario.overtaking && i < s->event_count; i++) {
        struct sim_event e = s->event[i];

        if (e.kind != SIM_EVENT_DELIVER || e.process != rank)
            continue;
        sim_event_forbid_delivery(s, e.message);
        sim_network_free(s, e.message);
        i--; /* the last event has taken its place */
    }
}

void sim_network_decode(struct sim *s, int32_t message, struct ftc_envelope *envelope,
                        struct ftc_message *m)
{
    size_t value_bytes;

    if (ftc_message_decode(sim_network_wire(s, message), s->message[message].bytes,
                           s->scenario.scheme, envelope, &value_bytes, m, &s->info) != 0)
        sim_violation(s, "every_message_decodes", "from p%d to p%d", s->message[message].from,
                      s->message[message].to);
    else if (envelope->communicator_id != COMMUNICATOR ||
             envelope->signature != signature((int)envelope->seq) ||
             (m->value && value_bytes != sim_used_bytes(s, m->value)))
        sim_violation(s, "every_message_decodes", "envelope or value size differs");
}
