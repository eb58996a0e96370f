/* clock: what happens when, in ticks. Events of one tick happen in the order in which they were
 * scheduled, so that a run is the same each time. */
#ifndef SCALE_CLOCK_H
#define SCALE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct message;

enum event_kind {
    EVENT_START,         /* @rank enters the operation */
    EVENT_READY,         /* @rank may have something to do */
    EVENT_SEND_END,      /* @rank has put @message on the wire */
    EVENT_ARRIVAL,       /* @message is at @rank's door */
    EVENT_RECEPTION_END, /* @rank has taken @message in */
    EVENT_NEWS,          /* @rank learns that @peer is dead */
};

struct event {
    enum event_kind kind;
    int rank, peer;
    struct message *message;
    int32_t next; /* in the same tick */
};

struct tick {
    int32_t first, last;
};

/* A queue a tick: everything is at most a few latencies ahead, so ticks are dense. */
struct clock {
    int64_t now;
    struct tick *tick;
    int64_t ticks;
    struct event *event;
    int32_t events, capacity, unused;
};

void clock_init(struct clock *c);
void clock_free(struct clock *c);

/* @at is not before now. */
void clock_schedule(struct clock *c, int64_t at, struct event event);

/* The next event, and its tick in now; false when nothing is left. */
bool clock_next(struct clock *c, struct event *event);

#endif
