#include "link.h"

#include "board/rank_state.h"
#include "net/connection.h"
#include "net/socket.h"
#include "system/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    GUESTS = 64, /* that have connected, and not yet proved who they are */
    GUEST_NS = 2000000000,
    EVENTS = 32,
    ACCEPTED_AT_ONCE = 16,
    AGAIN_NS = 10000000, /* between two attempts to connect */
    FINISH_MS = 1000,
    NS_OF_MS = 1000000,
    NOTE_BYTES = sizeof(struct ftc_note),
};
_Static_assert(NOTE_BYTES % FTC_FRAME_ALIGNMENT == 0, "the message behind it is aligned");

/* What an event of epoll is about: a rank's link, or one of these. */
enum { ABOUT_GUEST = 1 << 20, ABOUT_LISTENER = 1 << 21, ABOUT_DOORS = 1 << 22 };

struct link {
    struct ftc_connection c;
    uint32_t peer;
    bool was_open;
    uint64_t wanted_ns; /* since when there has been no way, CLOCK_MONOTONIC; 0: there is one */
    uint64_t again_ns;  /* not before */
};

struct ftc_links {
    const struct ftc_board *board;
    uint32_t self;
    uint64_t key[2];
    int listener;
    int epoll; /* of the links, and of */
    int doors; /* that of who comes: the listener and the guests */
    size_t frame_max;
    struct link **of_rank; /* NULL: none yet */
    struct link **list;    /* all that there are, in the order of their first use */
    uint32_t count;
    bool has_unsent;
    struct ftc_connection guest[GUESTS];
};

/* ---- opening and closing ---- */

static void watch(const struct ftc_links *l, int how, int fd, uint32_t about, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.u32 = about};

    epoll_ctl(l->epoll, how, fd, &e);
}

static void watch_door(const struct ftc_links *l, int fd, uint32_t about)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = about};

    epoll_ctl(l->doors, EPOLL_CTL_ADD, fd, &e);
}

static void free_all(struct ftc_links *l)
{
    if (l->epoll >= 0)
        close(l->epoll);
    if (l->doors >= 0)
        close(l->doors);
    free(l->of_rank);
    free(l->list);
    free(l);
}

int ftc_links_open(struct ftc_links **links, const struct ftc_board *board, uint32_t self,
                   int listener)
{
    const struct ftc_board_geometry *g = &board->geometry;
    struct ftc_links *l = calloc(1, sizeof *l);

    if (!l)
        return -ENOMEM;
    l->board = board;
    l->self = self;
    l->listener = listener;
    l->frame_max = ftc_frame_bytes(NOTE_BYTES + g->message_stride_bytes);
    l->of_rank = calloc(g->ranks, sizeof(void *));
    l->list = calloc(g->ranks, sizeof(void *));
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->doors = epoll_create1(EPOLL_CLOEXEC);
    if (!l->of_rank || !l->list || l->epoll < 0 || l->doors < 0) {
        free_all(l);
        return -ENOMEM;
    }
    ftc_directory_key(board, l->key);
    watch_door(l, listener, ABOUT_LISTENER);
    watch(l, EPOLL_CTL_ADD, l->doors, ABOUT_DOORS, EPOLLIN);
    *links = l;
    return 0;
}

void ftc_links_close(struct ftc_links *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->count; i++) {
        ftc_connection_close(&l->list[i]->c);
        free(l->list[i]);
    }
    for (int i = 0; i < GUESTS; i++)
        ftc_connection_close(&l->guest[i]);
    close(l->listener);
    free_all(l);
}

static bool is_wanted(const struct ftc_links *l, uint32_t peer)
{
    return ftc_board_state(l->board, peer) < FTC_RANK_FINALIZED;
}

/* The link with @peer, which may have no connection yet; NULL without memory. */
static struct link *link_of(struct ftc_links *l, uint32_t peer)
{
    struct link *link = l->of_rank[peer];

    if (link)
        return link;
    link = calloc(1, sizeof *link);
    if (!link)
        return NULL;
    link->peer = peer;
    link->c.fd = -1;
    l->of_rank[peer] = l->list[l->count++] = link;
    return link;
}

static void connect_to(struct ftc_links *l, struct link *link)
{
    uint64_t now = ftc_clock_ns();

    if (now < link->again_ns ||
        !ftc_connection_connect_to_rank(&link->c, l->board, FTC_PURPOSE_LINK, l->self, link->peer,
                                        l->frame_max))
        return;
    link->again_ns = now + AGAIN_NS;
    if (link->wanted_ns == 0)
        link->wanted_ns = now;
    if (link->c.fd >= 0)
        watch(l, EPOLL_CTL_ADD, link->c.fd, link->peer, EPOLLIN | EPOLLOUT);
}

/* ---- guests ---- */

/* A place for one more: a free one, or that of the longest there that has said least. */
static struct ftc_connection *place_for_guest(struct ftc_links *l)
{
    struct ftc_connection *worst = &l->guest[0];

    for (int i = 0; i < GUESTS; i++) {
        struct ftc_connection *g = &l->guest[i];

        if (!ftc_connection_is_on_its_way(g))
            return g;
        if (g->state < worst->state || (g->state == worst->state && g->since_ns < worst->since_ns))
            worst = g;
    }
    return worst;
}

static void accept_guests(struct ftc_links *l)
{
    for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
        int fd = ftc_socket_accept(l->listener);
        struct ftc_connection *g;

        if (fd < 0)
            return;
        g = place_for_guest(l);
        ftc_connection_close(g);
        ftc_connection_accept(g, fd, l->key);
        watch_door(l, fd, ABOUT_GUEST | (uint32_t)(g - l->guest));
    }
}

/* Of two connections between the same ranks that of the lower rank stays. */
static bool may_come_in(const struct ftc_links *l, const struct link *link)
{
    if (link->was_open)
        return false;
    return !ftc_connection_is_on_its_way(&link->c) || link->peer < l->self;
}

static void admit(struct ftc_links *l, struct ftc_connection *guest)
{
    uint32_t peer = guest->handshake.greeting.from;
    bool is_link =
        guest->handshake.greeting.purpose == FTC_PURPOSE_LINK && !ftc_board_is_here(l->board, peer);
    struct link *link = is_link ? link_of(l, peer) : NULL;

    if (!link || !may_come_in(l, link)) {
        ftc_connection_answer(guest, FTC_NOT_NOW, 0);
        return;
    }
    ftc_connection_answer(guest, FTC_WELCOME, l->frame_max);
    if (guest->state != FTC_CONNECTION_OPEN)
        return;
    ftc_connection_close(&link->c);
    epoll_ctl(l->doors, EPOLL_CTL_DEL, guest->fd, NULL);
    link->c = *guest;
    *guest = (struct ftc_connection){.fd = -1};
    link->was_open = true;
    link->wanted_ns = 0;
    watch(l, EPOLL_CTL_ADD, link->c.fd, peer, EPOLLIN);
}

static void serve_guest(struct ftc_links *l, uint32_t index)
{
    struct ftc_connection *g = &l->guest[index % GUESTS];

    if (!ftc_connection_is_on_its_way(g))
        return;
    ftc_connection_progress(g, l->self, l->board->geometry.ranks);
    if (g->state == FTC_CONNECTION_ASKS)
        admit(l, g);
    if (g->state == FTC_CONNECTION_LOST || ftc_clock_ns() - g->since_ns > GUEST_NS)
        ftc_connection_close(g);
}

/* ---- what comes and goes ---- */

static void note_break(struct link *link)
{
    if (link->c.state == FTC_CONNECTION_LOST && link->wanted_ns == 0)
        link->wanted_ns = ftc_clock_ns();
}

/* The other host is there. Its rank may compute for hours before it looks. */
static void note_contact(const struct ftc_links *l, struct link *link)
{
    if (link->wanted_ns == 0 || !ftc_connection_is_on_its_way(&link->c) ||
        ftc_connection_has_unsent(&link->c))
        return;
    link->wanted_ns = 0;
    watch(l, EPOLL_CTL_MOD, link->c.fd, link->peer, EPOLLIN);
}

static void progress(struct ftc_links *l, struct link *link)
{
    bool was_open = link->was_open;

    ftc_connection_progress(&link->c, l->self, l->board->geometry.ranks);
    note_contact(l, link);
    if (!was_open && link->c.state == FTC_CONNECTION_OPEN) {
        link->was_open = true;
        link->wanted_ns = 0;
        watch(l, EPOLL_CTL_MOD, link->c.fd, link->peer, EPOLLIN);
    }
    note_break(link);
}

void ftc_links_admit(struct ftc_links *l)
{
    struct epoll_event event[EVENTS];
    int count = epoll_wait(l->doors, event, EVENTS, 0);

    for (int i = 0; i < count; i++)
        if (event[i].data.u32 & ABOUT_LISTENER)
            accept_guests(l);
        else
            serve_guest(l, event[i].data.u32 & ~(uint32_t)ABOUT_GUEST);
}

static void serve(struct ftc_links *l, uint32_t about)
{
    if (about & ABOUT_DOORS)
        ftc_links_admit(l);
    else if (about < l->board->geometry.ranks && l->of_rank[about])
        progress(l, l->of_rank[about]);
}

static void send_rest(struct ftc_links *l)
{
    l->has_unsent = false;
    for (uint32_t i = 0; i < l->count; i++) {
        struct link *link = l->list[i];

        if (link->c.state != FTC_CONNECTION_OPEN || !ftc_connection_has_unsent(&link->c))
            continue;
        ftc_connection_send(&link->c);
        note_break(link);
        l->has_unsent |= ftc_connection_has_unsent(&link->c);
    }
}

static void look(struct ftc_links *l)
{
    struct epoll_event event[EVENTS];
    int count = epoll_wait(l->epoll, event, EVENTS, 0);

    for (int i = 0; i < count; i++)
        serve(l, event[i].data.u32);
    if (l->has_unsent)
        send_rest(l);
}

bool ftc_links_send(struct ftc_links *l, uint32_t to, const struct ftc_message *m,
                    const struct ftc_envelope *envelope, enum ftc_failure_scheme scheme,
                    size_t value_bytes, const struct ftc_note *note)
{
    size_t bytes = ftc_message_wire_bytes(m, scheme, value_bytes);
    struct link *link = link_of(l, to);
    struct ftc_frame *frame;

    if (!link || !is_wanted(l, to))
        return false;
    if (ftc_connection_is_on_its_way(&link->c))
        progress(l, link);
    else if (!link->was_open)
        connect_to(l, link);
    frame = ftc_connection_begin(&link->c, FTC_PURPOSE_LINK, bytes, NOTE_BYTES + bytes);
    if (!frame)
        return false;
    memcpy(frame->body, note, NOTE_BYTES);
    ftc_message_encode(m, envelope, scheme, value_bytes, frame->body + NOTE_BYTES);
    ftc_connection_send(&link->c);
    note_break(link);
    l->has_unsent |= ftc_connection_has_unsent(&link->c);
    return true;
}

/* The oldest message; what no correct rank sends breaks the link. */
static bool take(struct link *link, struct ftc_arrival *a)
{
    const struct ftc_frame *frame;
    size_t room;

    if (!link->was_open)
        return false;
    frame = ftc_connection_next(&link->c);
    note_break(link);
    if (!frame)
        return false;
    room = frame->bytes - sizeof *frame;
    a->bytes = room >= NOTE_BYTES && frame->number <= room - NOTE_BYTES ? (size_t)frame->number : 0;
    a->from = link->peer;
    a->wire = frame->body + NOTE_BYTES;
    a->note = (const struct ftc_note *)(const void *)frame->body;
    a->stays = a->is_by_link = true;
    return true;
}

bool ftc_links_next(struct ftc_links *l, struct ftc_arrival *a)
{
    if (!a->is_by_link) {
        look(l);
        a->is_by_link = true;
        a->link = 0;
    } else if (a->stays) {
        a->link++;
    }
    for (; a->link < l->count; a->link++)
        if (take(l->list[a->link], a))
            return true;
    return false;
}

/* The dead send nothing any more; what the kernel still brings after this look counts as lost with
 * them. */
bool ftc_links_next_from(struct ftc_links *l, uint32_t from, struct ftc_arrival *a)
{
    struct link *link = l->of_rank[from];

    if (!link)
        return false;
    if (take(link, a))
        return true;
    if (link->c.state == FTC_CONNECTION_OPEN) {
        progress(l, link);
        if (take(link, a))
            return true;
    }
    if (ftc_board_is_dead(l->board, from))
        ftc_connection_close(&link->c);
    return false;
}

void ftc_links_release(struct ftc_links *l, struct ftc_arrival *a)
{
    ftc_connection_drop(&l->of_rank[a->from]->c);
    a->stays = false;
}

/* ---- links that do not work ---- */

bool ftc_links_are_out(const struct ftc_links *l)
{
    return !l->has_unsent;
}

int ftc_links_lost(const struct ftc_links *l, int ms)
{
    uint64_t now = ftc_clock_ns();

    for (uint32_t i = 0; i < l->count; i++) {
        const struct link *link = l->list[i];

        if (link->wanted_ns != 0 && now - link->wanted_ns > (uint64_t)ms * NS_OF_MS &&
            is_wanted(l, link->peer))
            return (int)link->peer;
    }
    return -1;
}

/* ---- the end ---- */

/* The other's kernel confirms an end at once, and other data when it likes (40 ms). */
static void end_all(struct ftc_links *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->list[i]->c.state == FTC_CONNECTION_OPEN)
            shutdown(l->list[i]->c.fd, SHUT_WR);
}

static bool have_all_arrived(const struct ftc_links *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const struct link *link = l->list[i];

        if (link->c.state == FTC_CONNECTION_OPEN && is_wanted(l, link->peer) &&
            ftc_socket_unsent(link->c.fd) > 0)
            return false;
    }
    return true;
}

void ftc_links_finish(struct ftc_links *l)
{
    uint64_t until_ns = ftc_clock_ns() + (uint64_t)FINISH_MS * NS_OF_MS;

    while (l->has_unsent && ftc_clock_ns() < until_ns)
        look(l);
    end_all(l);
    while (!have_all_arrived(l) && ftc_clock_ns() < until_ns)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS / 20}, NULL);
}
