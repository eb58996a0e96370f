#include "clock.h"
#include "memory.h"

#include <assert.h>
#include <stdlib.h>

enum { NONE = -1 };

void clock_init(struct clock *c)
{
    *c = (struct clock){.unused = NONE};
}

void clock_free(struct clock *c)
{
    free(c->tick);
    free(c->event);
}

static void reach(struct clock *c, int64_t at)
{
    int64_t ticks = 2 * at + 64;

    if (at < c->ticks)
        return;
    c->tick = memory_resize(c->tick, (size_t)ticks * sizeof *c->tick);
    for (int64_t t = c->ticks; t < ticks; t++)
        c->tick[t] = (struct tick){NONE, NONE};
    c->ticks = ticks;
}

static int32_t new_event(struct clock *c)
{
    int32_t i = c->unused;

    if (i != NONE) {
        c->unused = c->event[i].next;
        return i;
    }
    if (c->events == c->capacity) {
        c->capacity = 2 * c->capacity + 1024;
        c->event = memory_resize(c->event, (size_t)c->capacity * sizeof *c->event);
    }
    return c->events++;
}

void clock_schedule(struct clock *c, int64_t at, struct event event)
{
    int32_t i = new_event(c);
    struct tick *t;

    assert(at >= c->now);
    reach(c, at);
    t = &c->tick[at];
    event.next = NONE;
    c->event[i] = event;
    if (t->first == NONE)
        t->first = i;
    else
        c->event[t->last].next = i;
    t->last = i;
}

bool clock_next(struct clock *c, struct event *event)
{
    int32_t i;

    while (c->now < c->ticks && c->tick[c->now].first == NONE)
        c->now++;
    if (c->now >= c->ticks)
        return false;
    i = c->tick[c->now].first;
    *event = c->event[i];
    c->tick[c->now].first = event->next;
    c->event[i].next = c->unused;
    c->unused = i;
    return true;
}
