/* reliable: the messages between this rank and one of another host, whatever connection carries
 * them.
 *
 * Each message has a number, by which it comes once and in order. What was sent is kept until the
 * other has taken it, and is sent again on the next connection if one breaks. How far it has come
 * each says first of all on a new connection, then with each message, and alone when it has taken
 * half of what the other can keep: two who answer each other send nothing more than their messages.
 *
 * Both have the same room: one for what it keeps, the other for what has come and is not taken. So
 * whatever is sent can be read at once, with what it says, also while nobody takes messages.
 *
 * A connection may have a lane beside it (lane.h), which messages take from when that is said on
 * the connection until they are said to be back on it: then what the other may not have goes there
 * once more, and what it has is passed over. Each end says it of what it sends, and is back for
 * good when the other is.
 *
 * Pure: it makes and reads frames (net/connection.h), and does not touch a socket. */
#ifndef FTC_TRANSPORT_RELIABLE_H
#define FTC_TRANSPORT_RELIABLE_H

#include "net/connection.h"

enum ftc_saying { FTC_SAYS_NOTHING, FTC_SAYS_TAKEN, FTC_SAYS_LEAVES };

/* Kinds of frames from here on, up to FTC_RELIABLE_KIND_MAX, are not of the stream. */
#define FTC_RELIABLE_KIND_OTHERS (UINT32_MAX - 8)
#define FTC_RELIABLE_KIND_MAX    (UINT32_MAX - 4)

struct ftc_reliable {
    unsigned char *kept; /* frames from begin to end; those from unsent on are to be sent */
    size_t room, begin, unsent, end;
    size_t shown;          /* so far some connection got them */
    uint32_t first, next;  /* numbers of the oldest message that is kept, and of the next */
    uint32_t came, taken;  /* of the other's next message, to come and to be released */
    size_t taken_bytes;    /* since it was last said */
    enum ftc_saying due;   /* is to be said, */
    uint64_t saying[2];    /* and what is being said: a frame without a body, */
    size_t saying_unsent;  /* of which so many bytes are to be sent */
    bool has_said, is_met; /* on this connection how far it has come: this one, the other */
    bool has_left;         /* the other: it needs nothing any more, and nothing comes from it */
    bool wants_lane, said_lane; /* what follows goes by the lane: to be said, or said; */
    bool is_in_lane;            /* and so it does */
    bool wants_back, was_back;  /* it goes by the connection again: to be said, or was once */
    bool comes_again;           /* so does what comes, and some of it a second time */
};

/* For frames of up to @frame_max bytes. Returns 0 or -ENOMEM. */
int ftc_reliable_open(struct ftc_reliable *r, size_t frame_max);
void ftc_reliable_close(struct ftc_reliable *r);

/* Bytes of what may come before anything is released. */
size_t ftc_reliable_room_to_hear(const struct ftc_reliable *r);

/* A connection is there; what came by an earlier one and was not released will come again. */
void ftc_reliable_connect(struct ftc_reliable *r);

/* It is gone, and with it what was being said. */
void ftc_reliable_break(struct ftc_reliable *r);

/* Have all later messages go by the lane, which the connection says once it has sent what there is;
 * and by the connection again, for good. */
void ftc_reliable_take_lane(struct ftc_reliable *r);
void ftc_reliable_go_back(struct ftc_reliable *r);

/* ---- to the other ---- */

/* Room for the body of a message of @bytes, to be filled; NULL: not before the other has taken
 * some, or has said how far it has come. */
struct ftc_frame *ftc_reliable_begin(struct ftc_reliable *r, uint32_t bytes, size_t body_bytes);

/* Nothing more will come, and nothing is needed. */
void ftc_reliable_leave(struct ftc_reliable *r);

/* The *@bytes that are to be written next, on the lane if is_in_lane; 0: none, now. */
size_t ftc_reliable_to_send(struct ftc_reliable *r, const void **bytes);
void ftc_reliable_sent(struct ftc_reliable *r, size_t bytes);

/* Whether there is anything that this connection was not given; without one, that the other has
 * not said to have. */
static inline bool ftc_reliable_has_unsent(const struct ftc_reliable *r)
{
    return r->unsent < r->end || r->due != FTC_SAYS_NOTHING || r->saying_unsent > 0 ||
           r->wants_back;
}

/* ---- from the other ---- */

enum ftc_heard {
    FTC_HEARD_WRONG,   /* no correct rank sends this: nothing was changed */
    FTC_HEARD_MESSAGE, /* the next one, of frame->kind bytes if that is true */
    FTC_HEARD_SAYING,  /* for the stream alone, or a message that had come before */
    FTC_HEARD_LANE,    /* what follows comes by the lane, */
    FTC_HEARD_BACK,    /* and by the connection again */
};

/* Takes a frame that came by the connection, each once and in order. */
enum ftc_heard ftc_reliable_hear(struct ftc_reliable *r, const struct ftc_frame *frame);

/* Whether @frame says that what follows comes by the connection again. */
bool ftc_reliable_is_back(const struct ftc_frame *frame);

/* The oldest message is not needed any more, whose frame has @bytes. */
void ftc_reliable_release(struct ftc_reliable *r, size_t bytes);

#endif
