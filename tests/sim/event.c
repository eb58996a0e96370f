/* The events that are possible now: an array for choosers, and for each event its place in it. */
#include "internal.h"

#include <assert.h>
#include <stdlib.h>

static int32_t *place(const struct sim *s, struct sim_event e)
{
    if (e.kind == SIM_EVENT_DELIVER)
        return &s->message[e.message].event;
    return &s->position[(e.kind * s->scenario.n + e.process) * s->scenario.n + e.peer];
}

static void add(struct sim *s, struct sim_event e)
{
    if (s->event_count == s->event_capacity) {
        s->event_capacity = 2 * s->event_capacity + 64;
        s->event = realloc(s->event, (size_t)s->event_capacity * sizeof *s->event);
        assert(s->event);
    }
    e.since = s->steps;
    *place(s, e) = s->event_count;
    s->event[s->event_count++] = e;
    s->crash_event_count += e.kind == SIM_EVENT_CRASH;
}

static void remove_at(struct sim *s, int32_t i)
{
    struct sim_event gone = s->event[i], last = s->event[s->event_count - 1];

    s->crash_event_count -= gone.kind == SIM_EVENT_CRASH;
    s->event[i] = last;
    *place(s, last) = i;
    *place(s, gone) = -1;
    s->event_count--;
}

void sim_event_allow(struct sim *s, enum sim_event_kind kind, int process, int peer)
{
    if (!sim_event_is_allowed(s, kind, process, peer))
        add(s, (struct sim_event){
                   .kind = (uint8_t)kind, .process = (uint8_t)process, .peer = (uint8_t)peer});
}

void sim_event_forbid(struct sim *s, enum sim_event_kind kind, int process, int peer)
{
    int32_t i = s->position[((int)kind * s->scenario.n + process) * s->scenario.n + peer];

    if (i >= 0)
        remove_at(s, i);
}

void sim_event_allow_delivery(struct sim *s, int32_t message)
{
    const struct sim_message *m = &s->message[message];

    add(s, (struct sim_event){
               .kind = SIM_EVENT_DELIVER, .process = m->to, .peer = m->from, .message = message});
}

void sim_event_forbid_delivery(struct sim *s, int32_t message)
{
    if (s->message[message].event >= 0)
        remove_at(s, s->message[message].event);
}
