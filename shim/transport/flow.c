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

struct ftc_frame *ftc_flow_begin(struct ftc_flow *f, uint32_t bytes, size_t body_bytes)
{
    size_t frame_bytes = ftc_frame_bytes(body_bytes);
    struct ftc_frame *frame;

    assert(bytes < KIND_LEAVES && frame_bytes <= f->room / 2);
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

static void begin_to_say(struct ftc_flow *f)
{
    ftc_frame_begin((struct ftc_frame *)(void *)f->saying,
                    f->due == FTC_SAYS_LEAVES ? KIND_LEAVES : KIND_TAKEN, both(f, 0), 0);
    f->saying_unsent = sizeof f->saying;
    f->due = FTC_SAYS_NOTHING;
    f->has_said = true;
}

/* What is said alone goes first on a connection, and later between messages. */
size_t ftc_flow_to_send(struct ftc_flow *f, const void **bytes)
{
    if (f->saying_unsent == 0 && f->due != FTC_SAYS_NOTHING &&
        (!f->has_said || f->unsent == f->end))
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
        return;
    }
    assert(bytes <= f->end - f->unsent);
    f->unsent += bytes;
    if (f->shown < f->unsent)
        f->shown = f->unsent;
}

/* ---- from the other ---- */

/* Where the message @number begins, up to which all are to be dropped; false if the other cannot
 * have them: it has them whole, from this connection or, when it says so first, from any. */
static bool find(const struct ftc_flow *f, uint32_t number, size_t *offset)
{
    size_t limit = f->is_met ? f->unsent : f->shown;
    uint32_t count = number - f->first;

    *offset = f->begin;
    if (count > f->next - f->first)
        return false;
    for (; count > 0; count--) {
        if (*offset == limit || frame_at(f, *offset)->bytes > limit - *offset)
            return false;
        *offset += frame_at(f, *offset)->bytes;
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

/* What follows was not got, and goes out again. */
static void meet(struct ftc_flow *f)
{
    uint32_t number = f->first;

    f->is_met = true;
    f->unsent = f->begin;
    for (size_t at = f->begin; at < f->end; at += frame_at(f, at)->bytes)
        frame_at(f, at)->number = both(f, number++);
}

static void see_off(struct ftc_flow *f)
{
    f->has_left = true;
    drop_up_to(f, f->next, f->end);
}

enum ftc_heard ftc_flow_hear(struct ftc_flow *f, const struct ftc_frame *frame)
{
    uint32_t taken = (uint32_t)(frame->number >> 32), number = (uint32_t)frame->number;
    bool is_message = frame->kind < KIND_LEAVES;
    size_t offset;

    if (f->has_left || (is_message && (!f->is_met || number != f->came)) ||
        !find(f, taken, &offset))
        return FTC_HEARD_WRONG;
    drop_up_to(f, taken, offset);
    if (!f->is_met)
        meet(f);
    if (frame->kind == KIND_LEAVES)
        see_off(f);
    if (is_message)
        f->came++;
    return is_message ? FTC_HEARD_MESSAGE : FTC_HEARD_SAYING;
}

void ftc_flow_release(struct ftc_flow *f, size_t bytes)
{
    assert(f->taken != f->came);
    f->taken++;
    f->taken_bytes += bytes;
    if (f->taken_bytes >= f->room / 2 && f->due == FTC_SAYS_NOTHING && f->is_met)
        f->due = FTC_SAYS_TAKEN;
}
