#include "link_send.h"

#include "system/clock.h"

#include <sys/eventfd.h>

void ftc_link_miss(struct ftc_links *l, struct ftc_link *link)
{
    uint64_t now = ftc_clock_ns();

    l->has_missing = true;
    eventfd_write(l->wakeup, 1);
    if (link->wanted_ns == 0)
        link->wanted_ns = now;
    else if (link->contact_ns != 0)
        link->wanted_ns += now - link->contact_ns;
    link->contact_ns = 0;
}

/* Returns the connection that messages take. */
static struct ftc_connection *way_out(struct ftc_link *link)
{
    return link->reliable.is_by_ucx ? &link->ucx.by : &link->c;
}

bool ftc_link_has_unsent(const struct ftc_link *link)
{
    return ftc_reliable_has_unsent(&link->reliable) ||
           (link->reliable.is_by_ucx && !ftc_ucx_path_is_out(&link->ucx));
}

void ftc_link_note_break(struct ftc_links *l, struct ftc_link *link)
{
    if (link->c.state != FTC_CONNECTION_LOST || link->is_broken)
        return;
    link->is_broken = true;
    link->comes_by_ucx = false;
    ftc_ucx_path_lose(&link->ucx);
    ftc_reliable_break(&link->reliable);
    l->has_unsent |= ftc_link_has_unsent(link);
    ftc_link_miss(l, link);
}

/* Sends the offer of a UCX path, which precedes all other frames. Returns whether the offer is
 * sent. */
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
        link->used_ucx |= link->reliable.is_by_ucx && sent > 0;
        ftc_reliable_sent(&link->reliable, sent);
        if (sent < count)
            break;
    }
    l->has_unsent |= ftc_link_has_unsent(link);
    l->has_ucx_to_check |= link->reliable.is_by_ucx && !ftc_ucx_path_is_out(&link->ucx);
    ftc_link_note_break(l, link);
}
