#include "connection.h"

#include "socket.h"
#include "system/clock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    FRAMES_KEPT = 2, /* frames for which there is room in each direction */
    NS_OF_MS = 1000000,
};

size_t ftc_frame_bytes(size_t body_bytes)
{
    size_t bytes = sizeof(struct ftc_frame) + body_bytes;

    return (bytes + FTC_FRAME_ALIGNMENT - 1) / FTC_FRAME_ALIGNMENT * FTC_FRAME_ALIGNMENT;
}

static void let_go(struct ftc_connection *c)
{
    if (c->state != FTC_CONNECTION_NONE && c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    ftc_stream_close(c->stream);
    c->stream = NULL;
}

static void lose(struct ftc_connection *c)
{
    let_go(c);
    c->state = FTC_CONNECTION_LOST;
    c->out_begin = c->out_end = 0;
}

void ftc_connection_close(struct ftc_connection *c)
{
    let_go(c);
    free(c->in);
    free(c->out);
    *c = (struct ftc_connection){.fd = -1};
}

bool ftc_connection_is_on_its_way(const struct ftc_connection *c)
{
    return c->state >= FTC_CONNECTION_GREETED && c->state < FTC_CONNECTION_OPEN;
}

bool ftc_connection_look_after(struct ftc_connection *c, uint64_t now_ns, uint64_t attempt_ns)
{
    if (ftc_connection_is_on_its_way(c) && now_ns > c->since_ns + attempt_ns)
        ftc_connection_close(c);
    return c->state != FTC_CONNECTION_OPEN && !ftc_connection_is_on_its_way(c);
}

bool ftc_connection_is_over(const struct ftc_connection *c, uint64_t now_ns)
{
    if (ftc_connection_is_on_its_way(c))
        return now_ns - c->since_ns > (uint64_t)FTC_CONNECTION_GUEST_MS * NS_OF_MS;
    return c->state != FTC_CONNECTION_OPEN;
}

bool ftc_connection_goes_before(const struct ftc_connection *c, const struct ftc_connection *other)
{
    return c->state < other->state || (c->state == other->state && c->since_ns < other->since_ns);
}

/* Sends as send() does, over the stream or the socket. */
static ssize_t put(struct ftc_connection *c, const void *bytes, size_t count)
{
    return c->stream ? ftc_stream_send(c->stream, bytes, count)
                     : send(c->fd, bytes, count, MSG_NOSIGNAL);
}

/* Receives as recv() does, from the stream or the socket. */
static ssize_t get(struct ftc_connection *c, void *room, size_t count)
{
    return c->stream ? ftc_stream_receive(c->stream, room, count) : recv(c->fd, room, count, 0);
}

/* ---- the handshake ---- */

/* Sends a message of the handshake, or loses the connection. The message is so short that the
 * kernel takes all of it or nothing. It takes nothing before the connection is established. */
static void say(struct ftc_connection *c, const void *message, size_t bytes)
{
    if (send(c->fd, message, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
        lose(c);
}

/* Receives a message of @bytes. Returns true once it is complete, and copies it to @message. */
static bool hear(struct ftc_connection *c, void *message, size_t bytes)
{
    ssize_t n;

    assert(bytes <= sizeof c->early);
    do
        n = recv(c->fd, c->early + c->early_bytes, bytes - c->early_bytes, 0);
    while (n < 0 && errno == EINTR);
    if (n == 0 || (n < 0 && errno != EAGAIN))
        lose(c);
    if (n <= 0)
        return false;
    c->early_bytes += (size_t)n;
    if (c->early_bytes < bytes)
        return false;
    c->early_bytes = 0;
    memcpy(message, c->early, bytes);
    return true;
}

static void open_up(struct ftc_connection *c)
{
    if (c->in_size == 0)
        c->in_size = FRAMES_KEPT * c->frame_max;
    c->in = aligned_alloc(FTC_FRAME_ALIGNMENT, c->in_size);
    if (c->in)
        c->state = FTC_CONNECTION_OPEN;
    else
        lose(c);
}

static void hear_challenge(struct ftc_connection *c)
{
    struct ftc_challenge challenge;
    struct ftc_proof proof;

    if (!hear(c, &challenge, sizeof challenge))
        return;
    if (!ftc_handshake_prove(&c->handshake, &challenge, &proof)) {
        lose(c);
        return;
    }
    c->state = FTC_CONNECTION_PROVED;
    say(c, &proof, sizeof proof);
}

static void hear_reply(struct ftc_connection *c)
{
    struct ftc_reply reply;
    enum ftc_welcome welcome;

    if (!hear(c, &reply, sizeof reply))
        return;
    welcome = ftc_handshake_read_reply(&c->handshake, &reply);
    if (welcome == FTC_WELCOME) {
        open_up(c);
        return;
    }
    lose(c);
    if (welcome == FTC_NOT_NOW)
        c->state = FTC_CONNECTION_REFUSED;
}

static void hear_greeting(struct ftc_connection *c, uint32_t self, uint32_t ranks)
{
    struct ftc_greeting greeting;
    struct ftc_challenge challenge;

    if (!hear(c, &greeting, sizeof greeting))
        return;
    if (!ftc_handshake_challenge(&c->handshake, &greeting, self, ranks, &challenge)) {
        lose(c);
        return;
    }
    c->state = FTC_CONNECTION_CHALLENGED;
    say(c, &challenge, sizeof challenge);
}

static void hear_proof(struct ftc_connection *c)
{
    struct ftc_proof proof;

    if (!hear(c, &proof, sizeof proof))
        return;
    if (ftc_handshake_is_proved(&c->handshake, &proof))
        c->state = FTC_CONNECTION_ASKS;
    else
        lose(c);
}

void ftc_connection_stream(struct ftc_connection *c, struct ftc_stream *stream, size_t frame_max,
                           size_t in_size)
{
    *c = (struct ftc_connection){
        .fd = -1, .stream = stream, .frame_max = frame_max, .in_size = in_size};
    open_up(c);
}

void ftc_connection_answer(struct ftc_connection *c, enum ftc_welcome welcome, size_t frame_max)
{
    struct ftc_reply reply = ftc_handshake_reply(&c->handshake, welcome);

    assert(c->state == FTC_CONNECTION_ASKS);
    c->frame_max = frame_max;
    say(c, &reply, sizeof reply);
    if (c->state == FTC_CONNECTION_ASKS && welcome == FTC_WELCOME)
        open_up(c);
    else
        ftc_connection_close(c);
}

/* ---- beginnings ---- */

void ftc_connection_connect(struct ftc_connection *c, const struct ftc_address *address,
                            uint16_t port, const struct ftc_handshake *who, size_t frame_max)
{
    *c = (struct ftc_connection){.fd = ftc_socket_connect(address, port),
                                 .handshake = *who,
                                 .since_ns = ftc_clock_ns(),
                                 .frame_max = frame_max};
    c->state = FTC_CONNECTION_GREETED;
    c->out_end = sizeof who->greeting; /* mark that greet() has not sent the greeting */
    if (c->fd < 0)
        lose(c);
}

bool ftc_connection_connect_to_rank(struct ftc_connection *c, const struct ftc_board *board,
                                    enum ftc_purpose purpose, uint32_t self, uint32_t to,
                                    size_t frame_max)
{
    struct ftc_directory_rank entry = ftc_directory_rank(board, to);
    struct ftc_address address = ftc_directory_address(board, entry.host);
    struct ftc_handshake who = {0};

    ftc_directory_key(board, who.key);
    if (!ftc_handshake_greet(&who, purpose, self, to))
        return false;
    ftc_connection_close(c);
    ftc_connection_connect(c, &address,
                           purpose == FTC_PURPOSE_LINK ? entry.link_port : entry.query_port, &who,
                           frame_max);
    return true;
}

/* Sends the greeting. Returns true once it is sent. */
static bool greet(struct ftc_connection *c)
{
    const struct ftc_greeting *g = &c->handshake.greeting;
    ssize_t n;

    if (c->out_end == 0)
        return true;
    n = send(c->fd, g, sizeof *g, MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == ENOTCONN))
        return false;
    c->out_end = 0;
    if (n != (ssize_t)sizeof *g)
        lose(c);
    return c->state == FTC_CONNECTION_GREETED;
}

void ftc_connection_accept(struct ftc_connection *c, int fd, const uint64_t key[2])
{
    *c = (struct ftc_connection){
        .fd = fd, .since_ns = ftc_clock_ns(), .state = FTC_CONNECTION_ACCEPTED};
    memcpy(c->handshake.key, key, sizeof c->handshake.key);
}

/* ---- frames ---- */

static void flush(struct ftc_connection *c)
{
    while (c->out_begin < c->out_end) {
        ssize_t n = put(c, c->out + c->out_begin, c->out_end - c->out_begin);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno != EAGAIN)
            lose(c);
        if (n < 0)
            return;
        c->out_begin += (size_t)n;
    }
    c->out_begin = c->out_end = 0;
}

/* Makes room for received data by moving the frames that are left to the front. The lengths of
 * frames keep later frames aligned there. */
static void make_room(struct ftc_connection *c)
{
    if (c->in_begin == c->in_end) {
        c->in_begin = c->in_end = c->in_heard = 0;
    } else if (c->in_begin > 0 &&
               (c->in_size - c->in_begin < c->frame_max || c->in_end == c->in_size)) {
        memmove(c->in, c->in + c->in_begin, c->in_end - c->in_begin);
        c->in_end -= c->in_begin;
        c->in_heard -= c->in_begin;
        c->in_begin = 0;
    }
}

/* Receives what has arrived. A connection that the peer has closed is lost only after all its data
 * have been received. */
static void receive(struct ftc_connection *c)
{
    ssize_t n;

    make_room(c);
    if (c->in_end == c->in_size)
        return;
    do
        n = get(c, c->in + c->in_end, c->in_size - c->in_end);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        c->in_end += (size_t)n;
    else if (n == 0 || errno != EAGAIN)
        lose(c);
}

/* Copies the header of the frame at @offset to @head. Returns false if it has not arrived whole. */
static bool has_head(const struct ftc_connection *c, size_t offset, struct ftc_frame *head)
{
    if (c->in_end - offset < sizeof *head)
        return false;
    memcpy(head, c->in + offset, sizeof *head);
    return true;
}

static bool is_sane(const struct ftc_connection *c, const struct ftc_frame *head)
{
    return head->bytes >= sizeof *head && head->bytes <= c->frame_max &&
           head->bytes % FTC_FRAME_ALIGNMENT == 0;
}

/* Returns the frame at @offset if it is complete, else NULL. If it has a wrong length, drops all
 * data from there on and loses the connection. */
static const struct ftc_frame *frame_at(struct ftc_connection *c, size_t offset)
{
    struct ftc_frame head;

    if (!has_head(c, offset, &head))
        return NULL;
    if (!is_sane(c, &head)) {
        c->in_end = offset;
        lose(c);
        return NULL;
    }
    return head.bytes <= c->in_end - offset ? (const void *)(c->in + offset) : NULL;
}

const struct ftc_frame *ftc_connection_next(struct ftc_connection *c)
{
    return frame_at(c, c->in_begin);
}

const struct ftc_frame *ftc_connection_hear(struct ftc_connection *c)
{
    return frame_at(c, c->in_heard);
}

void ftc_connection_heard(struct ftc_connection *c, bool stays)
{
    const struct ftc_frame *frame = ftc_connection_hear(c);
    size_t bytes;

    assert(frame);
    bytes = frame->bytes;
    if (stays) {
        c->in_heard += bytes;
        return;
    }
    c->in_end -= bytes;
    memmove(c->in + c->in_heard, c->in + c->in_heard + bytes, c->in_end - c->in_heard);
}

void ftc_connection_refuse(struct ftc_connection *c)
{
    c->in_end = c->in_heard;
    lose(c);
}

void ftc_connection_drop(struct ftc_connection *c)
{
    const struct ftc_frame *frame = ftc_connection_next(c);

    assert(frame);
    c->in_begin += frame->bytes;
    if (c->in_heard < c->in_begin)
        c->in_heard = c->in_begin;
}

/* Clears the padding after the body. It is sent, too, and must not contain other data. */
static void clear_rest(struct ftc_frame *frame, size_t body_bytes)
{
    memset(frame->body + body_bytes, 0, frame->bytes - sizeof *frame - body_bytes);
}

void ftc_frame_begin(struct ftc_frame *frame, uint32_t kind, uint64_t number, size_t body_bytes)
{
    *frame = (struct ftc_frame){
        .bytes = (uint32_t)ftc_frame_bytes(body_bytes), .kind = kind, .number = number};
    clear_rest(frame, body_bytes);
}

size_t ftc_connection_write(struct ftc_connection *c, const void *bytes, size_t count)
{
    ssize_t n;

    do
        n = put(c, bytes, count);
    while (n < 0 && errno == EINTR);
    return n < 0 ? 0 : (size_t)n;
}

struct ftc_frame *ftc_connection_begin(struct ftc_connection *c, uint32_t kind, uint64_t number,
                                       size_t body_bytes)
{
    size_t bytes = ftc_frame_bytes(body_bytes);
    struct ftc_frame *frame;

    assert(bytes <= c->frame_max);
    if (c->state != FTC_CONNECTION_OPEN || FRAMES_KEPT * c->frame_max - c->out_end < bytes)
        return NULL;
    if (!c->out) /* not needed by owners that call ftc_connection_write() */
        c->out = aligned_alloc(FTC_FRAME_ALIGNMENT, FRAMES_KEPT * c->frame_max);
    if (!c->out)
        return NULL;
    frame = (struct ftc_frame *)(void *)(c->out + c->out_end);
    ftc_frame_begin(frame, kind, number, body_bytes);
    c->out_end += bytes;
    return frame;
}

void ftc_connection_shorten(struct ftc_connection *c, struct ftc_frame *frame, size_t body_bytes)
{
    size_t bytes = ftc_frame_bytes(body_bytes);

    assert(bytes <= frame->bytes);
    c->out_end -= frame->bytes - bytes;
    frame->bytes = (uint32_t)bytes;
    clear_rest(frame, body_bytes);
}

void ftc_connection_send(struct ftc_connection *c)
{
    flush(c);
}

void ftc_connection_progress(struct ftc_connection *c, uint32_t self, uint32_t ranks)
{
    if (c->state == FTC_CONNECTION_GREETED && greet(c))
        hear_challenge(c);
    if (c->state == FTC_CONNECTION_PROVED)
        hear_reply(c);
    if (c->state == FTC_CONNECTION_ACCEPTED)
        hear_greeting(c, self, ranks);
    if (c->state == FTC_CONNECTION_CHALLENGED)
        hear_proof(c);
    if (c->state == FTC_CONNECTION_OPEN)
        flush(c);
    if (c->state == FTC_CONNECTION_OPEN)
        receive(c);
}
