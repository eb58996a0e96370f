#include "link_send.h"

#include "system/clock.h"

#include <sys/eventfd.h>

void ftc_link_miss(struct ftc_links *l, struct ftc_link *link)
{
    uint64_t now = ftc_clock_ns();

    l->has_missing = true;
    eventfd_write(l->bell, 1);
    if (link->wanted_ns == 0)
        link->wanted_ns = now;
    else if (link->contact_ns != 0)
        link->wanted_ns += now - link->contact_ns;
    link->contact_ns = 0;
}

/* By which messages go. */
static struct ftc_connection *way_out(struct ftc_link *link)
{
    return link->reliable.is_in_lane ? &link->lane.by : &link->c;
}

bool ftc_link_has_unsent(const struct ftc_link *link)
{
    return ftc_reliable_has_unsent(&link->reliable) ||
           (link->reliable.is_in_lane && !ftc_lane_is_out(&link->lane));
}

void ftc_link_note_break(struct ftc_links *l, struct ftc_link *link)
{
    if (link->c.state != FTC_CONNECTION_LOST || link->is_broken)
        return;
    link->is_broken = true;
    link->comes_by_lane = false;
    ftc_lane_lose(&link->lane);
    ftc_reliable_break(&link->reliable);
    l->has_unsent |= ftc_link_has_unsent(link);
    ftc_link_miss(l, link);
}

/* An offer of a lane goes before all else. */
static bool is_offer_out(struct ftc_link *link)
{
    if (ftc_connection_has_unsent(&link->c))
        ftc_connection_send(&link->c);
    return !ftc_connection_has_unsent(&link->c);
}

void ftc_link_push(struct ftc_links *l, struct ftc_link *link)
{
    const void *bytes;
    size_t count, sent;

    while (link->c.state == FTC_CONNECTION_OPEN && is_offer_out(link) &&
           (count = ftc_reliable_to_send(&link->reliable, &bytes)) > 0) {
        sent = ftc_connection_write(way_out(link), bytes, count);
        link->took_lane |= link->reliable.is_in_lane && sent > 0;
        ftc_reliable_sent(&link->reliable, sent);
        if (sent < count)
            break;
    }
    l->has_unsent |= ftc_link_has_unsent(link);
    l->has_lanes_to_see |= link->reliable.is_in_lane && !ftc_lane_is_out(&link->lane);
    ftc_link_note_break(l, link);
}
