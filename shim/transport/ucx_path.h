/* ucx_path: UCX stream (net/fabric.h) that a link may have beside its TCP connection.
 *
 * After a connection has opened, each rank that has a UCX network sends the peer its address there.
 * When a rank has sent its address and got the peer's, it opens a stream. First it sends a tag on
 * the stream that proves who it is. When the tag has left the process, the network is known to lead
 * to the peer, and messages may take the path (reliable.h). Before that, and after any error of
 * UCX, messages use the connection, which stays open. A pair of ranks tries this once: a path that
 * is lost is not opened again.
 *
 * A path says nothing about deaths. Only the connection shows that a rank has left. */
#ifndef FTC_TRANSPORT_UCX_PATH_H
#define FTC_TRANSPORT_UCX_PATH_H

#include "reliable.h"
#include "system/stopwatch.h"

enum ftc_ucx_path_state {
    FTC_UCX_PATH_NONE = 0,
    FTC_UCX_PATH_OFFERED, /* this rank has sent its address */
    FTC_UCX_PATH_OPENING, /* the peer's address has come, and the tag is being sent */
    FTC_UCX_PATH_OPEN,    /* the tag has left the process */
    FTC_UCX_PATH_OVER,
};

/* Bytes that the longest frame of a link has at least, so that an address fits. */
#define FTC_UCX_PATH_FRAME_MAX (sizeof(struct ftc_frame) + FTC_FABRIC_ADDRESS_MAX)

struct ftc_ucx_path {
    enum ftc_ucx_path_state state;
    struct ftc_connection by;   /* frames over the UCX stream */
    uint64_t other_tag;         /* tag that the peer must send first */
    bool is_proved;             /* the peer's tag has come */
    struct ftc_stopwatch stuck; /* time for which data have stayed unsent; zero: none have */
};

/* Sends this process's address in @fabric to the peer by the open connection @c. Without effect if
 * @fabric is NULL or path->state is not FTC_UCX_PATH_NONE. */
void ftc_ucx_path_offer(struct ftc_ucx_path *path, const struct ftc_fabric *fabric,
                        struct ftc_connection *c);

/* Returns whether @frame belongs to a UCX path and not to the reliable stream. */
static inline bool ftc_ucx_path_is_frame(const struct ftc_frame *frame)
{
    return frame->kind >= FTC_RELIABLE_KIND_OTHERS && frame->kind <= FTC_RELIABLE_KIND_MAX;
}

/* Takes the peer's address from @frame, which has come to rank @self by the connection @c. Returns
 * false if @frame is something else. */
bool ftc_ucx_path_hear_address(struct ftc_ucx_path *path, struct ftc_fabric *fabric,
                               const struct ftc_connection *c, const struct ftc_frame *frame,
                               uint32_t self);

/* Takes the peer's tag from @frame, which has come by UCX. Returns false if the tag is wrong. */
bool ftc_ucx_path_hear_tag(struct ftc_ucx_path *path, const struct ftc_frame *frame);

/* Returns whether messages may take the path. */
bool ftc_ucx_path_has_opened(struct ftc_ucx_path *path);

/* Returns whether all written data have left this process. */
bool ftc_ucx_path_is_out(const struct ftc_ucx_path *path);

/* Returns whether the path is lost, or data have stayed unsent for half a second. */
bool ftc_ucx_path_is_stuck(struct ftc_ucx_path *path);

/* Ends the path. Data that have arrived stay until they are taken or the path is closed. */
void ftc_ucx_path_lose(struct ftc_ucx_path *path);
void ftc_ucx_path_close(struct ftc_ucx_path *path);

#endif
