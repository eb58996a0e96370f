#include "ucx_path.h"

#include <string.h>

/* Kinds of frames: the first on the connection, the second by UCX. */
#define KIND_ADDRESS FTC_RELIABLE_KIND_OTHERS
#define KIND_TAG     (FTC_RELIABLE_KIND_OTHERS + 1)

enum {
    STUCK_NS = 500000000,
    LOOK_NS = 1000000,
};

void ftc_ucx_path_offer(struct ftc_ucx_path *path, const struct ftc_fabric *fabric,
                        struct ftc_connection *c)
{
    const void *address;
    struct ftc_frame *frame;
    size_t bytes;

    if (!fabric || path->state != FTC_UCX_PATH_NONE)
        return;
    address = ftc_fabric_address(fabric, &bytes);
    frame = ftc_connection_begin(c, KIND_ADDRESS, 0, bytes);
    if (!frame)
        return;
    memcpy(frame->body, address, bytes);
    ftc_connection_send(c);
    path->state = FTC_UCX_PATH_OFFERED;
}

static void say_who(struct ftc_ucx_path *path, uint64_t tag)
{
    struct ftc_frame frame;

    ftc_frame_begin(&frame, KIND_TAG, tag, 0);
    if (ftc_connection_write(&path->by, &frame, sizeof frame) != sizeof frame)
        ftc_ucx_path_lose(path);
}

static void open_path(struct ftc_ucx_path *path, struct ftc_fabric *fabric,
                      const struct ftc_connection *c, const void *address, uint32_t self)
{
    const struct ftc_greeting *g = &c->handshake.greeting;
    struct ftc_stream *stream = ftc_stream_open(fabric, address);

    path->state = FTC_UCX_PATH_OVER;
    if (!stream)
        return;
    ftc_connection_stream(&path->by, stream, c->frame_max, c->in_size);
    if (path->by.state != FTC_CONNECTION_OPEN)
        return;
    path->state = FTC_UCX_PATH_OPENING;
    path->other_tag = ftc_handshake_stream_tag(&c->handshake, g->from == self ? g->to : g->from);
    say_who(path, ftc_handshake_stream_tag(&c->handshake, self));
}

bool ftc_ucx_path_hear_address(struct ftc_ucx_path *path, struct ftc_fabric *fabric,
                               const struct ftc_connection *c, const struct ftc_frame *frame,
                               uint32_t self)
{
    if (frame->kind != KIND_ADDRESS || frame->bytes == sizeof *frame)
        return false;
    if (path->state == FTC_UCX_PATH_OFFERED)
        open_path(path, fabric, c, frame->body, self);
    return true;
}

bool ftc_ucx_path_hear_tag(struct ftc_ucx_path *path, const struct ftc_frame *frame)
{
    if (frame->kind != KIND_TAG || frame->number != path->other_tag || path->is_proved)
        return false;
    path->is_proved = true;
    return true;
}

bool ftc_ucx_path_is_out(const struct ftc_ucx_path *path)
{
    return !path->by.stream || ftc_stream_is_out(path->by.stream);
}

bool ftc_ucx_path_has_opened(struct ftc_ucx_path *path)
{
    if (path->state == FTC_UCX_PATH_OPENING && ftc_ucx_path_is_out(path)) {
        path->state = FTC_UCX_PATH_OPEN;
        if (ftc_stream_is_broken(path->by.stream))
            ftc_ucx_path_lose(path);
    }
    return path->state == FTC_UCX_PATH_OPEN;
}

bool ftc_ucx_path_is_stuck(struct ftc_ucx_path *path)
{
    if (!path->by.stream || ftc_stream_is_broken(path->by.stream))
        return true;
    if (!ftc_ucx_path_is_out(path))
        return ftc_stopwatch_elapsed_ns(&path->stuck, LOOK_NS) > STUCK_NS;
    path->stuck = (struct ftc_stopwatch){0};
    return false;
}

void ftc_ucx_path_lose(struct ftc_ucx_path *path)
{
    path->state = path->state <= FTC_UCX_PATH_OFFERED ? FTC_UCX_PATH_NONE : FTC_UCX_PATH_OVER;
    if (path->by.state == FTC_CONNECTION_OPEN)
        ftc_connection_refuse(&path->by);
}

void ftc_ucx_path_close(struct ftc_ucx_path *path)
{
    ftc_ucx_path_lose(path);
    ftc_connection_close(&path->by);
}
