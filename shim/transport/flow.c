#include "flow.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES_KEPT = 8, /* of the longest, and not less in all than */
    ROOM_MIN = 32768,
};

/* A frame's kind is the bytes of its message, or that it has none. */
#define KIND_TAKEN  UINT32_MAX
#define KIND_LEAVES (UINT32_MAX - 1)
#define KIND_LANE   (UINT32_MAX - 2)
#define KIND_BACK   (UINT32_MAX - 3)
_Static_assert(KIND_BACK > FTC_FLOW_KIND_MAX, "kinds");

_Static_assert(sizeof(struct ftc_frame) == sizeof((struct ftc_flow *)0)->saying, "no body");

int ftc_flow_open(struct ftc_flow *f, size_t frame_max)
{
    size_t room = FRAMES_KEPT * frame_max;

    *f = (struct ftc_flow){.room = room > ROOM_MIN ? room : ROOM_MIN};
    f->kept = aligned_alloc(FTC_FRAME_ALIGNMENT, f->room);
    return f->kept ? 0 : -ENOMEM;
}

void ftc_flow_close(struct ftc_flow *f)
{
    free(f->kept);
    *f = (struct ftc_flow){0};
}

size_t ftc_flow_room_to_hear(const struct ftc_flow *f)
{
    return f->room + 2 * sizeof f->saying; /* one that has come in part, and room for one byte */
}

/* ---- connections ---- */

void ftc_flow_break(struct ftc_flow *f)
{
    f->unsent = f->begin;
    f->due = FTC_SAYS_NOTHING;
    f->saying_unsent = 0;
    f->has_said = f->is_met = false;
    f->wants_lane = f->said_lane = f->is_in_lane = f->wants_back = f->was_back = false;
    f->comes_again = false;
}

void ftc_flow_connect(struct ftc_flow *f)
{
    ftc_flow_break(f);
    f->came = f->taken;
    f->due = FTC_SAYS_TAKEN;
}

/* ---- to the other ---- */

static struct ftc_frame *frame_at(const struct ftc_flow *f, size_t offset)
{
    return (struct ftc_frame *)(void *)(f->kept + offset);
}

/* How far this one has come, and a message's own number. */
static uint64_t both(struct ftc_flow *f, uint32_t number)
{
    f->taken_bytes = 0;
    return (uint64_t)f->taken << 32 | number;
}

static void move_to_front(struct ftc_flow *f)
{
    memmove(f->kept, f->kept + f->begin, f->end - f->begin);
    f->unsent -= f->begin;
    f->shown -= f->begin;
    f->end -= f->begin;
    f->begin = 0;
}

/* All that is kept, with how far this one has come by now. */
static void send_again(struct ftc_flow *f)
{
    uint32_t number = f->first;

    f->unsent = f->begin;
    for (size_t at = f->begin; at < f->end; at += frame_at(f, at)->bytes)
        frame_at(f, at)->number = both(f, number++);
}

struct ftc_frame *ftc_flow_begin(struct ftc_flow *f, uint32_t bytes, size_t body_bytes)
{
    size_t frame_bytes = ftc_frame_bytes(body_bytes);
    struct ftc_frame *frame;

    assert(bytes < FTC_FLOW_KIND_OTHERS && frame_bytes <= f->room / 2);
    if (!f->is_met || f->room - (f->end - f->begin) < frame_bytes)
        return NULL;
    if (f->room - f->end < frame_bytes)
        move_to_front(f);
    frame = frame_at(f, f->end);
    ftc_frame_begin(frame, bytes, both(f, f->next++), body_bytes);
    f->end += frame_bytes;
    if (f->due == FTC_SAYS_TAKEN && f->has_said)
        f->due = FTC_SAYS_NOTHING; /* the message says it */
    return frame;
}

void ftc_flow_leave(struct ftc_flow *f)
{
    f->due = FTC_SAYS_LEAVES;
}

void ftc_flow_take_lane(struct ftc_flow *f)
{
    f->wants_lane = !f->said_lane && !f->was_back;
}

/* A statement that was under way on the lane is part of this one. */
void ftc_flow_go_back(struct ftc_flow *f)
{
    f->wants_lane = false;
    f->wants_back = f->wants_back || !f->was_back;
    f->was_back = true;
    if (f->is_in_lane)
        f->saying_unsent = 0;
    f->is_in_lane = false;
}

/* Some of what is sent may go a second time. */
static bool is_again(const struct ftc_flow *f)
{
    return f->said_lane && f->was_back;
}

static struct ftc_frame *saying(struct ftc_flow *f)
{
    return (struct ftc_frame *)(void *)f->saying;
}

static void say(struct ftc_flow *f, uint32_t kind)
{
    ftc_frame_begin(saying(f), kind, both(f, 0), 0);
    f->saying_unsent = sizeof f->saying;
    f->has_said = true;
}

/* A statement without a message goes first on a connection, and later between messages. After the
 * other end was sent to the lane, the connection brings nothing before the call back. */
static void begin_to_say(struct ftc_flow *f)
{
    bool is_between = !f->has_said || f->unsent == f->end;

    if (f->wants_back && f->has_said && (is_between || is_again(f))) {
        f->wants_back = false;
        say(f, KIND_BACK);
        if (is_again(f))
            send_again(f);
    } else if (f->due != FTC_SAYS_NOTHING && is_between) {
        say(f, f->due == FTC_SAYS_LEAVES ? KIND_LEAVES : KIND_TAKEN);
        f->due = FTC_SAYS_NOTHING;
    } else if (f->wants_lane && f->is_met && is_between) {
        f->wants_lane = false;
        f->said_lane = true;
        say(f, KIND_LANE);
    }
}

size_t ftc_flow_to_send(struct ftc_flow *f, const void **bytes)
{
    if (f->saying_unsent == 0)
        begin_to_say(f);
    if (f->saying_unsent > 0) {
        *bytes = (const unsigned char *)f->saying + (sizeof f->saying - f->saying_unsent);
        return f->saying_unsent;
    }
    *bytes = f->kept + f->unsent;
    return f->is_met && f->has_said ? f->end - f->unsent : 0;
}

void ftc_flow_sent(struct ftc_flow *f, size_t bytes)
{
    if (f->saying_unsent > 0) {
        assert(bytes <= f->saying_unsent);
        f->saying_unsent -= bytes;
        f->is_in_lane |= f->saying_unsent == 0 && saying(f)->kind == KIND_LANE && !f->was_back;
        return;
    }
    assert(bytes <= f->end - f->unsent);
    f->unsent += bytes;
    if (f->shown < f->unsent)
        f->shown = f->unsent;
}

/* ---- from the other ---- */

/* Where the message *@number begins, up to which all are to be dropped; false if the other cannot
 * have them: it has them whole, from this connection or, when it says so first, from any. What goes
 * a second time is kept until it is out again, and *@number is less then. */
static bool find(const struct ftc_flow *f, uint32_t *number, size_t *offset)
{
    size_t limit = f->is_met && !is_again(f) ? f->unsent : f->shown, at = f->begin;
    size_t most = is_again(f) ? f->unsent : limit;
    uint32_t count = *number - f->first;

    *number = f->first;
    *offset = at;
    if (count > f->next - f->first)
        return false;
    for (uint32_t i = 1; i <= count; i++) {
        if (at == limit || frame_at(f, at)->bytes > limit - at)
            return false;
        at += frame_at(f, at)->bytes;
        if (at <= most) {
            *number = f->first + i;
            *offset = at;
        }
    }
    return true;
}

static void drop_up_to(struct ftc_flow *f, uint32_t number, size_t offset)
{
    f->first = number;
    f->begin = offset;
    if (f->begin == f->end)
        f->begin = f->unsent = f->shown = f->end = 0;
}

/* The other end has not got what follows. */
static void meet(struct ftc_flow *f)
{
    f->is_met = true;
    send_again(f);
}

static void see_off(struct ftc_flow *f)
{
    f->has_left = true;
    drop_up_to(f, f->next, f->end);
}

/* Messages may come a second time, as far back as the other end keeps them. */
static bool has_come_before(const struct ftc_flow *f, uint32_t number)
{
    return f->comes_again && f->came - number - 1 < f->room;
}

static enum ftc_heard heard_of(uint32_t kind)
{
    return kind == KIND_LANE   ? FTC_HEARD_LANE
           : kind == KIND_BACK ? FTC_HEARD_BACK
                               : FTC_HEARD_SAYING;
}

enum ftc_heard ftc_flow_hear(struct ftc_flow *f, const struct ftc_frame *frame)
{
    uint32_t taken = (uint32_t)(frame->number >> 32), number = (uint32_t)frame->number;
    bool is_message = frame->kind < FTC_FLOW_KIND_OTHERS;
    bool is_old = is_message && has_come_before(f, number);
    size_t offset;

    if (f->has_left || (is_message && !is_old && (!f->is_met || number != f->came)) ||
        (!is_message && frame->kind <= FTC_FLOW_KIND_MAX) || !find(f, &taken, &offset))
        return FTC_HEARD_WRONG;
    drop_up_to(f, taken, offset);
    if (!f->is_met)
        meet(f);
    if (frame->kind == KIND_LEAVES)
        see_off(f);
    if (frame->kind == KIND_BACK)
        f->comes_again = true;
    if (is_message && !is_old)
        f->came++;
    if (is_old && number + 1 == f->came && f->due == FTC_SAYS_NOTHING)
        f->due = FTC_SAYS_TAKEN; /* while it sent these the other could not drop them */
    return is_message && !is_old ? FTC_HEARD_MESSAGE : heard_of(frame->kind);
}

bool ftc_flow_is_back(const struct ftc_frame *frame)
{
    return frame->kind == KIND_BACK;
}

void ftc_flow_release(struct ftc_flow *f, size_t bytes)
{
    assert(f->taken != f->came);
    f->taken++;
    f->taken_bytes += bytes;
    if (f->taken_bytes >= f->room / 2 && f->due == FTC_SAYS_NOTHING && f->is_met)
        f->due = FTC_SAYS_TAKEN;
}
