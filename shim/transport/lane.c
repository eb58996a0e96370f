#include "lane.h"

#include <string.h>

/* On the connection, and on the lane. */
#define KIND_ADDRESS FTC_RELIABLE_KIND_OTHERS
#define KIND_TAG     (FTC_RELIABLE_KIND_OTHERS + 1)

enum {
    STUCK_NS = 500000000,
    LOOK_NS = 1000000,
};

void ftc_lane_offer(struct ftc_lane *lane, const struct ftc_fabric *fabric,
                    struct ftc_connection *c)
{
    const void *address;
    struct ftc_frame *frame;
    size_t bytes;

    if (!fabric || lane->state != FTC_LANE_NONE)
        return;
    address = ftc_fabric_address(fabric, &bytes);
    frame = ftc_connection_begin(c, KIND_ADDRESS, 0, bytes);
    if (!frame)
        return;
    memcpy(frame->body, address, bytes);
    ftc_connection_send(c);
    lane->state = FTC_LANE_OFFERED;
}

static void say_who(struct ftc_lane *lane, uint64_t tag)
{
    struct ftc_frame frame;

    ftc_frame_begin(&frame, KIND_TAG, tag, 0);
    if (ftc_connection_write(&lane->by, &frame, sizeof frame) != sizeof frame)
        ftc_lane_lose(lane);
}

static void open_lane(struct ftc_lane *lane, struct ftc_fabric *fabric,
                      const struct ftc_connection *c, const void *address, uint32_t self)
{
    const struct ftc_greeting *g = &c->handshake.greeting;
    struct ftc_stream *stream = ftc_stream_open(fabric, address);

    lane->state = FTC_LANE_OVER;
    if (!stream)
        return;
    ftc_connection_stream(&lane->by, stream, c->frame_max, c->in_size);
    if (lane->by.state != FTC_CONNECTION_OPEN)
        return;
    lane->state = FTC_LANE_OPENING;
    lane->other_tag = ftc_handshake_stream_tag(&c->handshake, g->from == self ? g->to : g->from);
    say_who(lane, ftc_handshake_stream_tag(&c->handshake, self));
}

bool ftc_lane_hear_address(struct ftc_lane *lane, struct ftc_fabric *fabric,
                           const struct ftc_connection *c, const struct ftc_frame *frame,
                           uint32_t self)
{
    if (frame->kind != KIND_ADDRESS || frame->bytes == sizeof *frame)
        return false;
    if (lane->state == FTC_LANE_OFFERED)
        open_lane(lane, fabric, c, frame->body, self);
    return true;
}

bool ftc_lane_hear_tag(struct ftc_lane *lane, const struct ftc_frame *frame)
{
    if (frame->kind != KIND_TAG || frame->number != lane->other_tag || lane->is_proved)
        return false;
    lane->is_proved = true;
    return true;
}

bool ftc_lane_is_out(const struct ftc_lane *lane)
{
    return !lane->by.stream || ftc_stream_is_out(lane->by.stream);
}

bool ftc_lane_has_opened(struct ftc_lane *lane)
{
    if (lane->state == FTC_LANE_OPENING && ftc_lane_is_out(lane)) {
        lane->state = FTC_LANE_OPEN;
        if (ftc_stream_is_broken(lane->by.stream))
            ftc_lane_lose(lane);
    }
    return lane->state == FTC_LANE_OPEN;
}

bool ftc_lane_is_stuck(struct ftc_lane *lane)
{
    if (!lane->by.stream || ftc_stream_is_broken(lane->by.stream))
        return true;
    if (!ftc_lane_is_out(lane))
        return ftc_stopwatch_elapsed_ns(&lane->stuck, LOOK_NS) > STUCK_NS;
    lane->stuck = (struct ftc_stopwatch){0};
    return false;
}

void ftc_lane_lose(struct ftc_lane *lane)
{
    lane->state = lane->state <= FTC_LANE_OFFERED ? FTC_LANE_NONE : FTC_LANE_OVER;
    if (lane->by.state == FTC_CONNECTION_OPEN)
        ftc_connection_refuse(&lane->by);
}

void ftc_lane_close(struct ftc_lane *lane)
{
    ftc_lane_lose(lane);
    ftc_connection_close(&lane->by);
}
