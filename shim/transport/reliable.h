/* reliable: reliable stream of messages between this rank and one of another host.
 *
 * A link may lose its connection and get another one. The stream numbers its messages, so that each
 * arrives once and in order. The sender keeps a message until the receiver has taken it. If a
 * connection breaks, the sender repeats the kept messages on the next one. Each rank acknowledges
 * what it has taken: first on a new connection, then in each message, and in a frame of its own
 * after half of the receiver's room. Two ranks that reply to each other thus send no frames but
 * their messages.
 *
 * The room for kept messages and the receiver's room are equally large. So a rank can always read
 * what was sent, with the acknowledgements in it, even while it takes no messages.
 *
 * Messages may take a UCX path beside the connection (ucx_path.h). The sender announces each change
 * on the connection: to UCX, and back. After a change back the sender repeats the messages that the
 * receiver may lack, and the receiver drops those that it has. When one rank has changed back, so
 * does the other, for good.
 *
 * The functions make and read frames (net/connection.h) and touch no socket. */
#ifndef FTC_TRANSPORT_RELIABLE_H
#define FTC_TRANSPORT_RELIABLE_H

#include "net/connection.h"

enum ftc_saying { FTC_SAYS_NOTHING, FTC_SAYS_TAKEN, FTC_SAYS_LEAVES };

/* First and last kind of the frames that do not belong to the stream. */
#define FTC_RELIABLE_KIND_OTHERS (UINT32_MAX - 8)
#define FTC_RELIABLE_KIND_MAX    (UINT32_MAX - 4)

struct ftc_reliable {
    unsigned char *kept; /* frames from begin to end; those from unsent on are to be sent */
    size_t room, begin, unsent, end;
    size_t shown;         /* end of the frames that any connection got */
    uint32_t first, next; /* numbers of the oldest kept message and of the next one */
    uint32_t came, taken; /* numbers of the peer's next message to arrive and to be released */
    size_t taken_bytes;   /* bytes released since the last acknowledgement */
    enum ftc_saying due;  /* statement that is to be sent */
    uint64_t saying[2];   /* statement that is being sent: a frame without a body */
    size_t saying_unsent; /* bytes of that statement still to be sent */
    bool has_said;        /* this rank has acknowledged on this connection */
    bool is_met;          /* the peer has acknowledged on this connection */
    bool has_left;        /* the peer needs no messages any more, and sends none */
    bool wants_ucx;       /* the change to UCX is to be announced */
    bool said_ucx;        /* the change to UCX has been announced on this connection */
    bool is_by_ucx;       /* messages go by UCX */
    bool wants_back;      /* the change back is to be announced */
    bool was_back;        /* the change back has been requested on this connection */
    bool comes_again;     /* the peer has changed back and may repeat messages */
};

/* Opens a stream with frames of up to @frame_max bytes. Returns 0 or -ENOMEM. */
int ftc_reliable_open(struct ftc_reliable *r, size_t frame_max);
void ftc_reliable_close(struct ftc_reliable *r);

/* Returns the bytes that may arrive before any message is released. */
size_t ftc_reliable_room_to_hear(const struct ftc_reliable *r);

/* Begins a new connection. Messages that have arrived and were not released will come again. */
void ftc_reliable_connect(struct ftc_reliable *r);

/* Ends the connection, and drops a statement that was being sent. */
void ftc_reliable_break(struct ftc_reliable *r);

/* Sends later messages by UCX, after an announcement on the connection. */
void ftc_reliable_switch_to_ucx(struct ftc_reliable *r);

/* Sends later messages by the connection until that ends. */
void ftc_reliable_switch_back(struct ftc_reliable *r);

/* ---- to the peer ---- */

/* Begins a message of @bytes and returns its frame, whose body of @body_bytes the caller fills.
 * Returns NULL until the peer has acknowledged on this connection, and while the kept messages
 * leave no room. */
struct ftc_frame *ftc_reliable_begin(struct ftc_reliable *r, uint32_t bytes, size_t body_bytes);

/* Announces to the peer that no more messages will come, and that none are needed. */
void ftc_reliable_leave(struct ftc_reliable *r);

/* Returns how many bytes at *@bytes are to be written next, by UCX if r->is_by_ucx; 0: none now. */
size_t ftc_reliable_to_send(struct ftc_reliable *r, const void **bytes);

/* Notes that @bytes of them have been written. */
void ftc_reliable_sent(struct ftc_reliable *r, size_t bytes);

/* Returns whether this connection has not got everything. Without a connection, returns whether the
 * peer has not acknowledged everything. */
static inline bool ftc_reliable_has_unsent(const struct ftc_reliable *r)
{
    return r->unsent < r->end || r->due != FTC_SAYS_NOTHING || r->saying_unsent > 0 ||
           r->wants_back;
}

/* ---- from the peer ---- */

enum ftc_heard {
    FTC_HEARD_WRONG,   /* no correct rank sends this; the stream is unchanged */
    FTC_HEARD_MESSAGE, /* the next message, of frame->kind bytes */
    FTC_HEARD_SAYING,  /* a statement, or a message that had come before */
    FTC_HEARD_UCX,     /* later messages come by UCX */
    FTC_HEARD_BACK,    /* later messages come by the connection again */
};

/* Takes a frame that has arrived. The caller passes each frame once and in order. */
enum ftc_heard ftc_reliable_hear(struct ftc_reliable *r, const struct ftc_frame *frame);

/* Returns whether @frame announces that messages come by the connection again. */
bool ftc_reliable_is_back(const struct ftc_frame *frame);

/* Releases the oldest message, whose frame has @bytes. */
void ftc_reliable_release(struct ftc_reliable *r, size_t bytes);

#endif
