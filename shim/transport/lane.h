/* lane: the way by a faster network (net/fabric.h) that a link may have beside its connection.
 *
 * On a connection that has opened, each rank that has such a network tells the other its address
 * there; who knows both opens a stream, on which it says first of all who it is. Once that is out,
 * so that the network is known to lead to the other, messages may take the lane (reliable.h). Until
 * then, and when anything is wrong with it, they go by the connection, which stays. A pair of ranks
 * tries that once: if it loses the lane it goes on without.
 *
 * A lane proves nothing: who is dead, and who has left, the connection tells. */
#ifndef FTC_TRANSPORT_LANE_H
#define FTC_TRANSPORT_LANE_H

#include "reliable.h"
#include "system/stopwatch.h"

enum ftc_lane_state {
    FTC_LANE_NONE = 0,
    FTC_LANE_OFFERED, /* the other was told, */
    FTC_LANE_OPENING, /* and has told, */
    FTC_LANE_OPEN,    /* and the network leads there */
    FTC_LANE_OVER,
};

/* The least room of a link's frames: an address. */
#define FTC_LANE_FRAME_MAX (sizeof(struct ftc_frame) + FTC_FABRIC_ADDRESS_MAX)

struct ftc_lane {
    enum ftc_lane_state state;
    struct ftc_connection by;   /* the stream */
    uint64_t other_tag;         /* that the other proves itself with, */
    bool is_proved;             /* and has */
    struct ftc_stopwatch stuck; /* since something does not go out; zero: nothing does not */
};

/* Tells the other end of @c, which has opened, if @fabric is there. */
void ftc_lane_offer(struct ftc_lane *lane, const struct ftc_fabric *fabric,
                    struct ftc_connection *c);

/* Whether @frame is not of the reliable stream. Of those that come by the connection @c rank @self
 * hears the other's address, of those by the lane who it is: false if that is wrong. */
static inline bool ftc_lane_is_frame(const struct ftc_frame *frame)
{
    return frame->kind >= FTC_RELIABLE_KIND_OTHERS && frame->kind <= FTC_RELIABLE_KIND_MAX;
}
bool ftc_lane_hear_address(struct ftc_lane *lane, struct ftc_fabric *fabric,
                           const struct ftc_connection *c, const struct ftc_frame *frame,
                           uint32_t self);
bool ftc_lane_hear_tag(struct ftc_lane *lane, const struct ftc_frame *frame);

/* True once messages may take it. */
bool ftc_lane_has_opened(struct ftc_lane *lane);

/* Whether all that was written is out of this process; and whether it has not been for long, or
 * the lane is lost. */
bool ftc_lane_is_out(const struct ftc_lane *lane);
bool ftc_lane_is_stuck(struct ftc_lane *lane);

/* Nothing more goes or comes by it; what has come stays until it is taken, or closed. */
void ftc_lane_lose(struct ftc_lane *lane);
void ftc_lane_close(struct ftc_lane *lane);

#endif
