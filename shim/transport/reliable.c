#include "reliable.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES_KEPT = 8,  /* room for kept messages: frames of the largest size */
    ROOM_MIN = 32768, /* and at least these bytes */
};

/* Kinds of frames without a message; other frames have the bytes of their message as their kind. */
#define KIND_TAKEN  UINT32_MAX
#define KIND_LEAVES (UINT32_MAX - 1)
#define KIND_UCX    (UINT32_MAX - 2)
#define KIND_BACK   (UINT32_MAX - 3)
_Static_assert(KIND_BACK > FTC_RELIABLE_KIND_MAX, "kinds");

_Static_assert(sizeof(struct ftc_frame) == sizeof((struct ftc_reliable *)0)->saying, "no body");

int ftc_reliable_open(struct ftc_reliable *r, size_t frame_max)
{
    size_t room = FRAMES_KEPT * frame_max;

    *r = (struct ftc_reliable){.room = room > ROOM_MIN ? room : ROOM_MIN};
    r->kept = aligned_alloc(FTC_FRAME_ALIGNMENT, r->room);
    return r->kept ? 0 : -ENOMEM;
}

void ftc_reliable_close(struct ftc_reliable *r)
{
    free(r->kept);
    *r = (struct ftc_reliable){0};
}

size_t ftc_reliable_room_to_hear(const struct ftc_reliable *r)
{
    return r->room + 2 * sizeof r->saying; /* a statement that has come in part, and a byte more */
}

/* ---- connections ---- */

void ftc_reliable_break(struct ftc_reliable *r)
{
    r->unsent = r->begin;
    r->due = FTC_SAYS_NOTHING;
    r->saying_unsent = 0;
    r->has_said = r->is_met = false;
    r->wants_ucx = r->said_ucx = r->is_by_ucx = r->wants_back = r->was_back = false;
    r->comes_again = false;
}

void ftc_reliable_connect(struct ftc_reliable *r)
{
    ftc_reliable_break(r);
    r->came = r->taken;
    r->due = FTC_SAYS_TAKEN;
}

/* ---- to the peer ---- */

static struct ftc_frame *frame_at(const struct ftc_reliable *r, size_t offset)
{
    return (struct ftc_frame *)(void *)(r->kept + offset);
}

/* Returns an acknowledgement and a message's @number, as a frame carries both. The acknowledgement
 * counts as sent. */
static uint64_t both(struct ftc_reliable *r, uint32_t number)
{
    r->taken_bytes = 0;
    return (uint64_t)r->taken << 32 | number;
}

static void move_to_front(struct ftc_reliable *r)
{
    memmove(r->kept, r->kept + r->begin, r->end - r->begin);
    r->unsent -= r->begin;
    r->shown -= r->begin;
    r->end -= r->begin;
    r->begin = 0;
}

/* Sends all kept messages again, with the present acknowledgement. */
static void send_again(struct ftc_reliable *r)
{
    uint32_t number = r->first;

    r->unsent = r->begin;
    for (size_t at = r->begin; at < r->end; at += frame_at(r, at)->bytes)
        frame_at(r, at)->number = both(r, number++);
}

struct ftc_frame *ftc_reliable_begin(struct ftc_reliable *r, uint32_t bytes, size_t body_bytes)
{
    size_t frame_bytes = ftc_frame_bytes(body_bytes);
    struct ftc_frame *frame;

    assert(bytes < FTC_RELIABLE_KIND_OTHERS && frame_bytes <= r->room / 2);
    if (!r->is_met || r->room - (r->end - r->begin) < frame_bytes)
        return NULL;
    if (r->room - r->end < frame_bytes)
        move_to_front(r);
    frame = frame_at(r, r->end);
    ftc_frame_begin(frame, bytes, both(r, r->next++), body_bytes);
    r->end += frame_bytes;
    if (r->due == FTC_SAYS_TAKEN && r->has_said)
        r->due = FTC_SAYS_NOTHING; /* the message carries it */
    return frame;
}

void ftc_reliable_leave(struct ftc_reliable *r)
{
    r->due = FTC_SAYS_LEAVES;
}

void ftc_reliable_switch_to_ucx(struct ftc_reliable *r)
{
    r->wants_ucx = !r->said_ucx && !r->was_back;
}

/* Drops a statement that was being sent by UCX: the announcement of the change says the same. */
void ftc_reliable_switch_back(struct ftc_reliable *r)
{
    r->wants_ucx = false;
    r->wants_back = r->wants_back || !r->was_back;
    r->was_back = true;
    if (r->is_by_ucx)
        r->saying_unsent = 0;
    r->is_by_ucx = false;
}

/* Returns whether messages of this connection may be sent a second time. */
static bool is_again(const struct ftc_reliable *r)
{
    return r->said_ucx && r->was_back;
}

static struct ftc_frame *saying(struct ftc_reliable *r)
{
    return (struct ftc_frame *)(void *)r->saying;
}

static void say(struct ftc_reliable *r, uint32_t kind)
{
    ftc_frame_begin(saying(r), kind, both(r, 0), 0);
    r->saying_unsent = sizeof r->saying;
    r->has_said = true;
}

/* Begins the statement that is due. The first frame of a connection is a statement; later ones go
 * between messages. While messages go by UCX, the connection carries only the change back. */
static void begin_to_say(struct ftc_reliable *r)
{
    bool is_between = !r->has_said || r->unsent == r->end;

    if (r->wants_back && r->has_said && (is_between || is_again(r))) {
        r->wants_back = false;
        say(r, KIND_BACK);
        if (is_again(r))
            send_again(r);
    } else if (r->due != FTC_SAYS_NOTHING && is_between) {
        say(r, r->due == FTC_SAYS_LEAVES ? KIND_LEAVES : KIND_TAKEN);
        r->due = FTC_SAYS_NOTHING;
    } else if (r->wants_ucx && r->is_met && is_between) {
        r->wants_ucx = false;
        r->said_ucx = true;
        say(r, KIND_UCX);
    }
}

size_t ftc_reliable_to_send(struct ftc_reliable *r, const void **bytes)
{
    if (r->saying_unsent == 0)
        begin_to_say(r);
    if (r->saying_unsent > 0) {
        *bytes = (const unsigned char *)r->saying + (sizeof r->saying - r->saying_unsent);
        return r->saying_unsent;
    }
    *bytes = r->kept + r->unsent;
    return r->is_met && r->has_said ? r->end - r->unsent : 0;
}

void ftc_reliable_sent(struct ftc_reliable *r, size_t bytes)
{
    if (r->saying_unsent > 0) {
        assert(bytes <= r->saying_unsent);
        r->saying_unsent -= bytes;
        r->is_by_ucx |= r->saying_unsent == 0 && saying(r)->kind == KIND_UCX && !r->was_back;
        return;
    }
    assert(bytes <= r->end - r->unsent);
    r->unsent += bytes;
    if (r->shown < r->unsent)
        r->shown = r->unsent;
}

/* ---- from the peer ---- */

/* Finds the *@offset of message *@number, before which all messages are to be dropped. Returns
 * false if the peer cannot have those messages: this connection has not carried them whole. For the
 * first acknowledgement on a connection, and while messages are being sent a second time, any
 * connection may have carried them. Messages that are being sent a second time stay until they are
 * out again. *@number is then lowered. */
static bool find(const struct ftc_reliable *r, uint32_t *number, size_t *offset)
{
    size_t limit = r->is_met && !is_again(r) ? r->unsent : r->shown, at = r->begin;
    size_t most = is_again(r) ? r->unsent : limit;
    uint32_t count = *number - r->first;

    *number = r->first;
    *offset = at;
    if (count > r->next - r->first)
        return false;
    for (uint32_t i = 1; i <= count; i++) {
        if (at == limit || frame_at(r, at)->bytes > limit - at)
            return false;
        at += frame_at(r, at)->bytes;
        if (at <= most) {
            *number = r->first + i;
            *offset = at;
        }
    }
    return true;
}

static void drop_up_to(struct ftc_reliable *r, uint32_t number, size_t offset)
{
    r->first = number;
    r->begin = offset;
    if (r->begin == r->end)
        r->begin = r->unsent = r->shown = r->end = 0;
}

/* Notes the peer's first acknowledgement on this connection, and repeats what the peer lacks. */
static void meet(struct ftc_reliable *r)
{
    r->is_met = true;
    send_again(r);
}

static void see_off(struct ftc_reliable *r)
{
    r->has_left = true;
    drop_up_to(r, r->next, r->end);
}

/* Returns whether message @number has come before. The peer repeats at most what it keeps. */
static bool has_come_before(const struct ftc_reliable *r, uint32_t number)
{
    return r->comes_again && r->came - number - 1 < r->room;
}

static enum ftc_heard heard_of(uint32_t kind)
{
    return kind == KIND_UCX ? FTC_HEARD_UCX : kind == KIND_BACK ? FTC_HEARD_BACK : FTC_HEARD_SAYING;
}

enum ftc_heard ftc_reliable_hear(struct ftc_reliable *r, const struct ftc_frame *frame)
{
    uint32_t taken = (uint32_t)(frame->number >> 32), number = (uint32_t)frame->number;
    bool is_message = frame->kind < FTC_RELIABLE_KIND_OTHERS;
    bool is_old = is_message && has_come_before(r, number);
    size_t offset;

    if (r->has_left || (is_message && !is_old && (!r->is_met || number != r->came)) ||
        (!is_message && frame->kind <= FTC_RELIABLE_KIND_MAX) || !find(r, &taken, &offset))
        return FTC_HEARD_WRONG;
    drop_up_to(r, taken, offset);
    if (!r->is_met)
        meet(r);
    if (frame->kind == KIND_LEAVES)
        see_off(r);
    if (frame->kind == KIND_BACK)
        r->comes_again = true;
    if (is_message && !is_old)
        r->came++;
    if (is_old && number + 1 == r->came && r->due == FTC_SAYS_NOTHING)
        r->due = FTC_SAYS_TAKEN; /* the peer could not drop these while it sent them again */
    return is_message && !is_old ? FTC_HEARD_MESSAGE : heard_of(frame->kind);
}

bool ftc_reliable_is_back(const struct ftc_frame *frame)
{
    return frame->kind == KIND_BACK;
}

void ftc_reliable_release(struct ftc_reliable *r, size_t bytes)
{
    assert(r->taken != r->came);
    r->taken++;
    r->taken_bytes += bytes;
    if (r->taken_bytes >= r->room / 2 && r->due == FTC_SAYS_NOTHING && r->is_met)
        r->due = FTC_SAYS_TAKEN;
}
