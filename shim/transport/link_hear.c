#include "link_hear.h"

#include "link_connect.h"
#include "link_send.h"
#include "net/socket.h"

void ftc_link_go_back(struct ftc_links *l, struct ftc_link *link)
{
    ftc_ucx_path_lose(&link->ucx);
    ftc_reliable_switch_back(&link->reliable);
    l->has_unsent = true;
}

/* Checks and takes one frame. While messages come by UCX, the connection may bring only the
 * announcement that they come by the connection again. */
static enum ftc_heard hear_frame(struct ftc_links *l, struct ftc_link *link, bool is_by_ucx,
                                 const struct ftc_frame *frame)
{
    struct ftc_ucx_path *path = &link->ucx;
    bool is_right;

    if (ftc_ucx_path_is_frame(frame)) {
        is_right = is_by_ucx ? ftc_ucx_path_hear_tag(path, frame)
                             : ftc_ucx_path_hear_address(path, l->fabric, &link->c, frame, l->self);
        l->has_ucx_to_check = true;
        return is_right ? FTC_HEARD_SAYING : FTC_HEARD_WRONG;
    }
    if (is_by_ucx ? !path->is_proved : link->comes_by_ucx && !ftc_reliable_is_back(frame))
        return FTC_HEARD_WRONG;
    return ftc_reliable_hear(&link->reliable, frame);
}

/* Handles statements at once. Messages stay until they are taken. */
static void hear_by(struct ftc_links *l, struct ftc_link *link, struct ftc_connection *c)
{
    bool is_by_ucx = c == &link->ucx.by;
    const struct ftc_frame *frame;
    enum ftc_heard heard;

    while ((frame = ftc_connection_hear(c))) {
        heard = hear_frame(l, link, is_by_ucx, frame);
        if (heard == FTC_HEARD_WRONG || (heard >= FTC_HEARD_UCX && (is_by_ucx || !l->fabric))) {
            ftc_connection_refuse(c);
            break;
        }
        ftc_connection_heard(c, heard == FTC_HEARD_MESSAGE);
        if (heard == FTC_HEARD_UCX) {
            link->comes_by_ucx = l->has_ucx_to_check = true;
        } else if (heard == FTC_HEARD_BACK) {
            link->comes_by_ucx = false;
            ftc_link_go_back(l, link);
        }
    }
}

static void hear(struct ftc_links *l, struct ftc_link *link)
{
    hear_by(l, link, &link->c);
    l->has_unsent |= ftc_link_has_unsent(link);
    if (link->reliable.is_met)
        link->wanted_ns = link->contact_ns = 0;
}

/* ---- UCX paths ---- */

/* Reads what has arrived by UCX, as far as there is room. */
static void receive_by_ucx(struct ftc_links *l, struct ftc_link *link)
{
    struct ftc_connection *by = &link->ucx.by;

    if (!link->comes_by_ucx || by->state != FTC_CONNECTION_OPEN)
        return;
    ftc_connection_progress(by, l->self, l->board->geometry.ranks);
    l->has_ucx_to_check |= by->in_end == by->in_size; /* UCX may have more, and reports that once */
    hear_by(l, link, by);
}

/* Reads from a path, opens it when it is ready, and gives it up when it is lost or stuck. */
static void check_ucx(struct ftc_links *l, struct ftc_link *link)
{
    struct ftc_ucx_path *path = &link->ucx;

    if (link->c.state != FTC_CONNECTION_OPEN)
        return;
    receive_by_ucx(l, link);
    if (path->state == FTC_UCX_PATH_OPENING && ftc_ucx_path_has_opened(path))
        ftc_reliable_switch_to_ucx(&link->reliable);
    if (link->reliable.wants_ucx)
        ftc_link_push(l, link);
    l->has_ucx_to_check |= path->state == FTC_UCX_PATH_OPENING || link->reliable.wants_ucx;
    if ((link->reliable.said_ucx || link->comes_by_ucx) && !link->reliable.was_back &&
        ftc_ucx_path_is_stuck(path))
        ftc_link_go_back(l, link);
}

void ftc_link_check_ucx(struct ftc_links *l)
{
    if (!ftc_fabric_progress(l->fabric) && !l->has_ucx_to_check)
        return;
    l->has_ucx_to_check = false;
    for (uint32_t i = 0; i < l->count; i++)
        check_ucx(l, l->list[i]);
}

/* Counts unacknowledged bytes. The peer's kernel acknowledges an end at once, and other data up to
 * 40 ms later. */
void ftc_link_note_end(struct ftc_link *link)
{
    link->is_over |= link->is_shut && ftc_socket_unsent(link->c.fd) == 0;
}

/* Calls ftc_link_note_end() before it reads. The peer's end acknowledges this rank's end, and
 * reading it closes the connection, which must not count as a break then. */
void ftc_link_progress(struct ftc_links *l, struct ftc_link *link)
{
    if (ftc_connection_is_on_its_way(&link->next))
        ftc_link_progress_next(l, link);
    if (link->c.state != FTC_CONNECTION_OPEN)
        return;
    ftc_link_note_end(link);
    ftc_connection_progress(&link->c, l->self, l->board->geometry.ranks);
    hear(l, link);
    ftc_link_note_break(l, link);
}

/* Reads the UCX path first, because the path ends with the connection. */
void ftc_link_read_all(struct ftc_links *l, struct ftc_link *link)
{
    if (link->comes_by_ucx) {
        ftc_fabric_progress(l->fabric);
        l->has_ucx_to_check = true;
        receive_by_ucx(l, link);
    }
    ftc_link_progress(l, link);
}
