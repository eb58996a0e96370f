#include "link_connect.h"

#include "link_send.h"
#include "net/socket.h"
#include "system/clock.h"

#include <stdlib.h>

enum {
    ACCEPTED_AT_ONCE = 16,
    ATTEMPT_NS = 500000000, /* time for an attempt; the kernel retries at growing intervals */
    HALF_OPEN_MS = 3000,    /* silence that ends an attempt of which the peer may know nothing */
};

/* Returns the bytes that may arrive before any is taken. Messages that came by UCX may be
 * repeated. */
static size_t room_to_hear(const struct ftc_links *l, const struct ftc_link *link)
{
    return ftc_reliable_room_to_hear(&link->reliable) + (l->fabric ? l->frame_max : 0);
}

struct ftc_link *ftc_link_of(struct ftc_links *l, uint32_t peer)
{
    struct ftc_link *link = l->of_rank[peer];

    if (link)
        return link;
    link = calloc(1, sizeof *link);
    if (!link || ftc_reliable_open(&link->reliable, l->frame_max) != 0) {
        free(link);
        return NULL;
    }
    link->peer = peer;
    link->c.fd = link->next.fd = link->ucx.by.fd = -1;
    l->of_rank[peer] = l->list[l->count++] = link;
    return link;
}

void ftc_link_connect(struct ftc_links *l, struct ftc_link *link)
{
    uint64_t now = ftc_clock_ns();

    if (link->contact_ns != 0 || !ftc_connection_look_after(&link->next, now, ATTEMPT_NS) ||
        now < link->again_ns ||
        !ftc_connection_connect_to_rank(&link->next, l->board, FTC_PURPOSE_LINK, l->self,
                                        link->peer, l->frame_max))
        return;
    link->next.in_size = room_to_hear(l, link);
    link->again_ns = now + FTC_LINK_AGAIN_NS;
    ftc_link_miss(l, link);
    if (link->next.fd < 0)
        return;
    ftc_socket_watch(link->next.fd, HALF_OPEN_MS);
    ftc_link_watch(l->urgent, EPOLL_CTL_ADD, link->next.fd, link->peer, EPOLLIN | EPOLLOUT);
}

/* Watches an open connection. Its messages are not urgent, because they can wait until the program
 * is in a call. Its break is urgent, and epoll reports that unasked (epoll_ctl(2), EPOLLERR). */
static void watch_open(const struct ftc_links *l, const struct ftc_link *link)
{
    ftc_link_watch(l->urgent, EPOLL_CTL_MOD, link->c.fd, link->peer, 0);
    ftc_link_watch(l->epoll, EPOLL_CTL_ADD, link->c.fd, link->peer, EPOLLIN);
}

/* Makes @opened the connection of the link, in place of the last one. */
static void take_over(struct ftc_links *l, struct ftc_link *link, struct ftc_connection *opened)
{
    ftc_connection_close(&link->c);
    ftc_ucx_path_close(&link->ucx);
    link->comes_by_ucx = false;
    link->c = *opened;
    *opened = (struct ftc_connection){.fd = -1};
    ftc_connection_close(&link->next);
    watch_open(l, link);
    link->was_open = true;
    link->is_broken = link->is_shut = link->is_over = false;
    link->opened_ns = ftc_clock_ns();
    if (link->contact_ns == 0)
        link->contact_ns = link->opened_ns;
    ftc_reliable_connect(&link->reliable);
    ftc_ucx_path_offer(&link->ucx, l->fabric, &link->c);
    ftc_link_push(l, link);
}

/* Notes that the other host answers. Its rank may compute for hours before it looks after links. */
static void note_contact(const struct ftc_links *l, struct ftc_link *link)
{
    if (link->contact_ns != 0 || ftc_connection_has_unsent(&link->next))
        return;
    link->contact_ns = ftc_clock_ns();
    ftc_link_watch(l->urgent, EPOLL_CTL_MOD, link->next.fd, link->peer, EPOLLIN);
}

void ftc_link_progress_next(struct ftc_links *l, struct ftc_link *link)
{
    ftc_connection_progress(&link->next, l->self, l->board->geometry.ranks);
    if (ftc_connection_is_on_its_way(&link->next)) {
        note_contact(l, link);
    } else if (link->next.state == FTC_CONNECTION_OPEN) {
        ftc_socket_unwatch(link->next.fd);
        take_over(l, link, &link->next);
    } else {
        ftc_link_miss(l, link);
    }
}

/* ---- guests ---- */

/* Returns a place for one more guest: a free one, or that of the guest whose handshake has advanced
 * least. Among these the oldest one gives way. */
static struct ftc_connection *place_for_guest(struct ftc_links *l)
{
    struct ftc_connection *worst = &l->guest[0];

    for (int i = 0; i < FTC_LINK_GUESTS; i++) {
        struct ftc_connection *g = &l->guest[i];

        if (!ftc_connection_is_on_its_way(g))
            return g;
        if (ftc_connection_goes_before(g, worst))
            worst = g;
    }
    return worst;
}

void ftc_link_accept_guests(struct ftc_links *l)
{
    for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
        int fd = ftc_socket_accept(l->listener);
        struct ftc_connection *g;

        if (fd < 0)
            return;
        g = place_for_guest(l);
        ftc_connection_close(g);
        ftc_connection_accept(g, fd, l->key);
        ftc_link_watch(l->urgent, EPOLL_CTL_ADD, fd,
                       FTC_LINK_ABOUT_GUEST | (uint32_t)(g - l->guest), EPOLLIN);
    }
}

/* Returns whether @guest may become the link's connection. If both ranks connect, the connection of
 * the lower rank stays. A guest that is newer than the open connection shows that the latter is
 * broken, because the peer would not connect otherwise. */
static bool may_come_in(const struct ftc_links *l, const struct ftc_link *link,
                        const struct ftc_connection *guest)
{
    if (!ftc_link_may_be_asked(l, link))
        return false;
    if (link->c.state == FTC_CONNECTION_OPEN)
        return guest->since_ns > link->opened_ns;
    return !ftc_connection_is_on_its_way(&link->next) || link->peer < l->self;
}

static void admit(struct ftc_links *l, struct ftc_connection *guest)
{
    uint32_t peer = guest->handshake.greeting.from;
    bool is_link =
        guest->handshake.greeting.purpose == FTC_PURPOSE_LINK && !ftc_board_is_here(l->board, peer);
    struct ftc_link *link = is_link ? ftc_link_of(l, peer) : NULL;

    if (!link || !may_come_in(l, link, guest)) {
        ftc_connection_answer(guest, FTC_NOT_NOW, 0);
        return;
    }
    guest->in_size = room_to_hear(l, link);
    ftc_connection_answer(guest, FTC_WELCOME, l->frame_max);
    if (guest->state != FTC_CONNECTION_OPEN)
        return;
    take_over(l, link, guest);
}

void ftc_link_serve_guest(struct ftc_links *l, uint32_t index)
{
    struct ftc_connection *g = &l->guest[index % FTC_LINK_GUESTS];

    if (!ftc_connection_is_on_its_way(g))
        return;
    ftc_connection_progress(g, l->self, l->board->geometry.ranks);
    if (g->state == FTC_CONNECTION_ASKS)
        admit(l, g);
    if (ftc_connection_is_over(g, ftc_clock_ns()))
        ftc_connection_close(g);
}
