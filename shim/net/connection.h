/* connection: whole messages ("frames") over a socket to another process of the job, after both
 * have recognised each other (handshake.h); or over a stream (fabric.h) that goes beside such a
 * one.
 *
 * No call waits. What arrives is checked before it is used: until the handshake is through no more
 * than its messages is read, and no memory taken; then each frame's length. A connection that
 * breaks, or on which something comes that no correct process sends, is lost. */
#ifndef FTC_NET_CONNECTION_H
#define FTC_NET_CONNECTION_H

#include "board/directory.h"
#include "fabric.h"
#include "handshake.h"

#include <stddef.h>

enum ftc_connection_state {
    FTC_CONNECTION_NONE = 0,
    FTC_CONNECTION_GREETED,    /* has connected, and waits for a challenge, */
    FTC_CONNECTION_PROVED,     /* and then for the reply */
    FTC_CONNECTION_ACCEPTED,   /* waits for a greeting, */
    FTC_CONNECTION_CHALLENGED, /* and then for a proof */
    FTC_CONNECTION_ASKS,       /* the other has proved itself: ftc_connection_answer() */
    FTC_CONNECTION_OPEN,
    FTC_CONNECTION_REFUSED, /* the other has the key, and said: not now */
    FTC_CONNECTION_LOST,
};

/* Before the body of a message, which the frame's @bytes include. Both are multiples of 16 bytes,
 * so a body lies where any type may. */
struct ftc_frame {
    uint32_t bytes;
    uint32_t kind; /* the owner's, like the number */
    uint64_t number;
    unsigned char body[];
};
enum { FTC_FRAME_ALIGNMENT = 16 };

struct ftc_connection {
    enum ftc_connection_state state;
    int fd;
    struct ftc_stream *stream; /* in place of fd; NULL: there is that */
    struct ftc_handshake handshake;
    uint64_t since_ns;       /* CLOCK_MONOTONIC of its beginning */
    unsigned char early[64]; /* of the handshake */
    size_t early_bytes;
    size_t frame_max;
    size_t in_size; /* room for what comes; the owner may set it before this is open */
    unsigned char *in, *out;
    size_t in_begin, in_end, out_begin, out_end;
    size_t in_heard; /* ftc_connection_hear() */
};

/* Who connects, from rank to rank, for @purpose; frames of at most @frame_max bytes in all. */
void ftc_connection_connect(struct ftc_connection *c, const struct ftc_address *address,
                            uint16_t port, const struct ftc_handshake *who, size_t frame_max);

/* The same from rank @self to where rank @to, or its monitor process, listens for @purpose: by the
 * directory of @board, and in place of what @c was. False if the kernel has no random numbers. */
bool ftc_connection_connect_to_rank(struct ftc_connection *c, const struct ftc_board *board,
                                    enum ftc_purpose purpose, uint32_t self, uint32_t to,
                                    size_t frame_max);

/* Who listens: @fd is taken over. */
void ftc_connection_accept(struct ftc_connection *c, int fd, const uint64_t key[2]);

/* What goes by @stream, which is taken over and open; room for @in_size bytes that come. */
void ftc_connection_stream(struct ftc_connection *c, struct ftc_stream *stream, size_t frame_max,
                           size_t in_size);

/* Sends and receives what can be now; rank @self of @ranks. */
void ftc_connection_progress(struct ftc_connection *c, uint32_t self, uint32_t ranks);

/* The answer to one that asks; with anything but FTC_WELCOME the connection is closed. */
void ftc_connection_answer(struct ftc_connection *c, enum ftc_welcome welcome, size_t frame_max);

/* Whether it has one of the states that lead to an open connection. */
bool ftc_connection_is_on_its_way(const struct ftc_connection *c);

/* In which who comes in has to prove who it is. */
enum { FTC_CONNECTION_GUEST_MS = 2000 };

/* For those who listen: whether @c has ended, or has not proved who it is in time; and whether @c
 * makes room for another one before @other does: it has come less far, or is older. Of two that are
 * on their way. */
bool ftc_connection_is_over(const struct ftc_connection *c, uint64_t now_ns);
bool ftc_connection_goes_before(const struct ftc_connection *c, const struct ftc_connection *other);

/* For one that nobody is in a hurry for. */
enum { FTC_CONNECTION_ATTEMPT_NS = 1000000000 };

/* Closes one that has been on its way for more than @attempt_ns. True if there is to be a new one
 * in its place: it is neither open nor on its way. */
bool ftc_connection_look_after(struct ftc_connection *c, uint64_t now_ns, uint64_t attempt_ns);

/* The oldest frame that has arrived whole and was not dropped; NULL: none. It stays until it is
 * dropped or the connection makes progress. */
const struct ftc_frame *ftc_connection_next(struct ftc_connection *c);
void ftc_connection_drop(struct ftc_connection *c);

/* For an owner who looks at each frame when it comes, and drops it later: the oldest that has come
 * whole and is not heard; NULL: none. Then it is heard, and stays or is taken out; or it is wrong,
 * and the connection lost: those before it are there as before. */
const struct ftc_frame *ftc_connection_hear(struct ftc_connection *c);
void ftc_connection_heard(struct ftc_connection *c, bool stays);
void ftc_connection_refuse(struct ftc_connection *c);

/* Writes of @bytes, an owner's own frames, what can be written now, and returns how much that is. A
 * connection that takes nothing any more is lost when what has come by it is received. */
size_t ftc_connection_write(struct ftc_connection *c, const void *bytes, size_t count);

/* Room for a frame with @body_bytes, to be filled and sent; NULL: not before others are out. */
struct ftc_frame *ftc_connection_begin(struct ftc_connection *c, uint32_t kind, uint64_t number,
                                       size_t body_bytes);
void ftc_connection_send(struct ftc_connection *c);

/* The last frame begun, which was not sent, has a body of @body_bytes, and not more. */
void ftc_connection_shorten(struct ftc_connection *c, struct ftc_frame *frame, size_t body_bytes);

static inline bool ftc_connection_has_unsent(const struct ftc_connection *c)
{
    return c->out_begin < c->out_end;
}

/* Bytes of a frame with @body_bytes, and its beginning and end at @frame. */
size_t ftc_frame_bytes(size_t body_bytes);
void ftc_frame_begin(struct ftc_frame *frame, uint32_t kind, uint64_t number, size_t body_bytes);

/* Back to NONE. */
void ftc_connection_close(struct ftc_connection *c);

#endif
