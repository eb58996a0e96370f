/* connection: whole messages ("frames") to another process of the job. They use a socket, after
 * both processes have authenticated each other (handshake.h), or a stream (fabric.h) beside such a
 * connection.
 *
 * No call waits. Received data are checked before they are used. Until the handshake is complete,
 * only its messages are read, and no memory is allocated. Then the length of each frame is checked.
 * A connection is lost if it breaks, or if data arrive that no correct process sends. */
#ifndef FTC_NET_CONNECTION_H
#define FTC_NET_CONNECTION_H

#include "board/directory.h"
#include "fabric.h"
#include "handshake.h"

#include <stddef.h>

enum ftc_connection_state {
    FTC_CONNECTION_NONE = 0,
    FTC_CONNECTION_GREETED,    /* connecting process: waits for a challenge */
    FTC_CONNECTION_PROVED,     /* connecting process: waits for the reply */
    FTC_CONNECTION_ACCEPTED,   /* listening process: waits for a greeting */
    FTC_CONNECTION_CHALLENGED, /* listening process: waits for a proof */
    FTC_CONNECTION_ASKS,       /* the peer has the key: ftc_connection_answer() has to be called */
    FTC_CONNECTION_OPEN,
    FTC_CONNECTION_REFUSED, /* the peer has the key, and replied FTC_NOT_NOW */
    FTC_CONNECTION_LOST,
};

/* Frame of a message. The lengths of header and frame are multiples of 16 bytes, so a body is
 * aligned for any type. */
struct ftc_frame {
    uint32_t bytes; /* length of the frame: header, body and padding */
    uint32_t kind;  /* chosen by the owner, like the number */
    uint64_t number;
    unsigned char body[];
};
enum { FTC_FRAME_ALIGNMENT = 16 };

struct ftc_connection {
    enum ftc_connection_state state;
    int fd;
    struct ftc_stream *stream; /* used in place of fd; NULL: fd is used */
    struct ftc_handshake handshake;
    uint64_t since_ns;       /* CLOCK_MONOTONIC when the connection began */
    unsigned char early[64]; /* part of a handshake message that has arrived */
    size_t early_bytes;
    size_t frame_max; /* most bytes of a frame, with its header */
    size_t in_size;   /* bytes of in; the owner may set this before the connection is open */
    unsigned char *in, *out;
    size_t in_begin, in_end, out_begin, out_end;
    size_t in_heard; /* end of the frames that are heard: ftc_connection_hear() */
};

/* Begins to connect to @port at @address, with the ranks, purpose and key of @who. Frames may have
 * up to @frame_max bytes with their headers. After an error the state is FTC_CONNECTION_LOST. */
void ftc_connection_connect(struct ftc_connection *c, const struct ftc_address *address,
                            uint16_t port, const struct ftc_handshake *who, size_t frame_max);

/* Begins to connect rank @self to rank @to, or to its monitor process, at the address where it
 * listens for @purpose according to the directory of @board. Closes @c first. Returns false if the
 * kernel has no random numbers. */
bool ftc_connection_connect_to_rank(struct ftc_connection *c, const struct ftc_board *board,
                                    enum ftc_purpose purpose, uint32_t self, uint32_t to,
                                    size_t frame_max);

/* Begins the handshake as the listening process, over the accepted connection @fd, which @c takes
 * over. */
void ftc_connection_accept(struct ftc_connection *c, int fd, const uint64_t key[2]);

/* Makes @c an open connection over @stream, which @c takes over. Allocates @in_size bytes for
 * received frames. Without memory the state is FTC_CONNECTION_LOST. */
void ftc_connection_stream(struct ftc_connection *c, struct ftc_stream *stream, size_t frame_max,
                           size_t in_size);

/* Sends and receives what is possible now. This process is rank @self of @ranks. */
void ftc_connection_progress(struct ftc_connection *c, uint32_t self, uint32_t ranks);

/* Answers a connection in state FTC_CONNECTION_ASKS. Closes it unless @welcome is FTC_WELCOME. */
void ftc_connection_answer(struct ftc_connection *c, enum ftc_welcome welcome, size_t frame_max);

/* Returns whether @c is not open yet, but in a state that leads there. */
bool ftc_connection_is_on_its_way(const struct ftc_connection *c);

/* Time in which a connecting process must prove that it has the key. */
enum { FTC_CONNECTION_GUEST_MS = 2000 };

/* Returns whether @c has ended, or its peer has not proved in time that it has the key. For the
 * listening process. */
bool ftc_connection_is_over(const struct ftc_connection *c, uint64_t now_ns);

/* Returns whether @c is to be closed before @other if a new connection needs room: its handshake
 * has advanced less, or as far and @c is older. Both must be on their way. */
bool ftc_connection_goes_before(const struct ftc_connection *c, const struct ftc_connection *other);

/* Time for an attempt to connect that is not urgent, for ftc_connection_look_after(). */
enum { FTC_CONNECTION_ATTEMPT_NS = 1000000000 };

/* Closes @c if it has been on its way for more than @attempt_ns. Returns whether the caller should
 * connect anew, because @c is neither open nor on its way. */
bool ftc_connection_look_after(struct ftc_connection *c, uint64_t now_ns, uint64_t attempt_ns);

/* Returns the oldest frame that has arrived whole and was not dropped; NULL: none. It stays valid
 * until it is dropped or the connection makes progress. */
const struct ftc_frame *ftc_connection_next(struct ftc_connection *c);

/* Drops the frame that ftc_connection_next() returns. There must be one. */
void ftc_connection_drop(struct ftc_connection *c);

/* Returns the oldest frame that has arrived whole and is not heard; NULL: none. For an owner that
 * checks each frame when it arrives, and takes it with ftc_connection_next() later. */
const struct ftc_frame *ftc_connection_hear(struct ftc_connection *c);

/* Marks the frame that ftc_connection_hear() returns as heard. Removes it unless it @stays. */
void ftc_connection_heard(struct ftc_connection *c, bool stays);

/* Closes the connection as lost, for instance because a frame is wrong. Frames that were heard
 * before stay, and all others are dropped. */
void ftc_connection_refuse(struct ftc_connection *c);

/* Writes as much of @bytes (frames that the owner has made itself) as is possible now, and returns
 * how much that is. A broken connection takes nothing, but is not lost until all data that have
 * arrived by it are received. */
size_t ftc_connection_write(struct ftc_connection *c, const void *bytes, size_t count);

/* Begins a frame with room for @body_bytes, which the caller fills and sends. Returns NULL if the
 * connection is not open, without memory, or while earlier frames take the room. */
struct ftc_frame *ftc_connection_begin(struct ftc_connection *c, uint32_t kind, uint64_t number,
                                       size_t body_bytes);

/* Sends the frames that have begun, as far as possible now. */
void ftc_connection_send(struct ftc_connection *c);

/* Shortens the body of @frame to @body_bytes. @frame must be the last one that has begun, and must
 * not have been sent. */
void ftc_connection_shorten(struct ftc_connection *c, struct ftc_frame *frame, size_t body_bytes);

static inline bool ftc_connection_has_unsent(const struct ftc_connection *c)
{
    return c->out_begin < c->out_end;
}

/* Returns the bytes of a frame with a body of @body_bytes, padding included. */
size_t ftc_frame_bytes(size_t body_bytes);

/* Writes the header of a frame to @frame, and zeros to the padding after its body. */
void ftc_frame_begin(struct ftc_frame *frame, uint32_t kind, uint64_t number, size_t body_bytes);

/* Closes @c and frees its memory. The state is FTC_CONNECTION_NONE then. */
void ftc_connection_close(struct ftc_connection *c);

#endif
