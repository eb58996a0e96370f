#include "link_hear.h"

#include "link_connect.h"
#include "link_send.h"
#include "net/socket.h"

/* Messages go by the connection again, and come by it when the other has heard so. */
void ftc_link_go_back(struct ftc_links *l, struct ftc_link *link)
{
    ftc_lane_lose(&link->lane);
    ftc_reliable_go_back(&link->reliable);
    l->has_unsent = true;
}

/* While messages come by the lane the connection brings nothing but that they do not. */
static enum ftc_heard hear_frame(struct ftc_links *l, struct ftc_link *link, bool is_by_lane,
                                 const struct ftc_frame *frame)
{
    struct ftc_lane *lane = &link->lane;
    bool is_right;

    if (ftc_lane_is_frame(frame)) {
        is_right = is_by_lane ? ftc_lane_hear_tag(lane, frame)
                              : ftc_lane_hear_address(lane, l->fabric, &link->c, frame, l->self);
        l->has_lanes_to_see = true;
        return is_right ? FTC_HEARD_SAYING : FTC_HEARD_WRONG;
    }
    if (is_by_lane ? !lane->is_proved : link->comes_by_lane && !ftc_reliable_is_back(frame))
        return FTC_HEARD_WRONG;
    return ftc_reliable_hear(&link->reliable, frame);
}

/* Hears statements at once; messages stay until they are taken. */
static void hear_by(struct ftc_links *l, struct ftc_link *link, struct ftc_connection *c)
{
    bool is_by_lane = c == &link->lane.by;
    const struct ftc_frame *frame;
    enum ftc_heard heard;

    while ((frame = ftc_connection_hear(c))) {
        heard = hear_frame(l, link, is_by_lane, frame);
        if (heard == FTC_HEARD_WRONG || (heard >= FTC_HEARD_LANE && (is_by_lane || !l->fabric))) {
            ftc_connection_refuse(c);
            break;
        }
        ftc_connection_heard(c, heard == FTC_HEARD_MESSAGE);
        if (heard == FTC_HEARD_LANE) {
            link->comes_by_lane = l->has_lanes_to_see = true;
        } else if (heard == FTC_HEARD_BACK) {
            link->comes_by_lane = false;
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

/* ---- lanes ---- */

/* Reads what comes by the lane, as far as there is room. */
static void receive_by_lane(struct ftc_links *l, struct ftc_link *link)
{
    struct ftc_connection *by = &link->lane.by;

    if (!link->comes_by_lane || by->state != FTC_CONNECTION_OPEN)
        return;
    ftc_connection_progress(by, l->self, l->board->geometry.ranks);
    l->has_lanes_to_see |= by->in_end == by->in_size; /* UCX may have more, and tells of it once */
    hear_by(l, link, by);
}

/* A lane that is lost at one end is given up by both. */
static void see_lane(struct ftc_links *l, struct ftc_link *link)
{
    struct ftc_lane *lane = &link->lane;

    if (link->c.state != FTC_CONNECTION_OPEN)
        return;
    receive_by_lane(l, link);
    if (lane->state == FTC_LANE_OPENING && ftc_lane_has_opened(lane))
        ftc_reliable_take_lane(&link->reliable);
    if (link->reliable.wants_lane)
        ftc_link_push(l, link);
    l->has_lanes_to_see |= lane->state == FTC_LANE_OPENING || link->reliable.wants_lane;
    if ((link->reliable.said_lane || link->comes_by_lane) && !link->reliable.was_back &&
        ftc_lane_is_stuck(lane))
        ftc_link_go_back(l, link);
}

void ftc_link_see_lanes(struct ftc_links *l)
{
    if (!ftc_fabric_progress(l->fabric) && !l->has_lanes_to_see)
        return;
    l->has_lanes_to_see = false;
    for (uint32_t i = 0; i < l->count; i++)
        see_lane(l, l->list[i]);
}

/* The other's kernel confirms an end at once, and other data when it likes (40 ms). */
void ftc_link_note_end(struct ftc_link *link)
{
    link->is_over |= link->is_shut && ftc_socket_unsent(link->c.fd) == 0;
}

/* An end is noted before the other's is read, which confirms it. */
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

/* The lane first: it ends with the connection. */
void ftc_link_read_all(struct ftc_links *l, struct ftc_link *link)
{
    if (link->comes_by_lane) {
        ftc_fabric_progress(l->fabric);
        l->has_lanes_to_see = true;
        receive_by_lane(l, link);
    }
    ftc_link_progress(l, link);
}
