#include "link.h"

#include "board/rank_state.h"
#include "lane.h"
#include "net/socket.h"
#include "system/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    GUESTS = 64, /* that have connected, and not yet proved who they are */
    EVENTS = 32,
    ACCEPTED_AT_ONCE = 16,
    AGAIN_NS = 10000000,    /* between two attempts to connect */
    ATTEMPT_NS = 500000000, /* for the other host; the kernel asks it less often each time */
    HALF_OPEN_MS = 3000,    /* that the other host knows nothing of an attempt is noticed then */
    LANES_MS = 100,         /* nothing wakes for what UCX has to say */
    AT_ONCE_MOST = 16,
    FINISH_MS = 1000,
    NS_OF_MS = 1000000,
    NOTE_BYTES = sizeof(struct ftc_note),
};
_Static_assert(NOTE_BYTES % FTC_FRAME_ALIGNMENT == 0, "the message behind it is aligned");

/* What an event of epoll is about: a rank's link, or one of these. */
enum { ABOUT_GUEST = 1 << 20, ABOUT_LISTENER = 1 << 21, ABOUT_URGENT = 1 << 22 };

struct link {
    struct ftc_connection c;    /* that there is, or that there was: what has come by it stays */
    struct ftc_connection next; /* on its way */
    struct ftc_lane lane;       /* beside the first of them */
    struct ftc_flow flow;
    uint32_t peer;
    bool was_open, is_broken;
    bool comes_by_lane;  /* what the other sends, until it comes by the connection again */
    bool took_lane;      /* some message of this end */
    bool is_shut;        /* nothing more is sent by it, */
    bool is_over;        /* and the other host has all of that: the rest is an ordinary end */
    uint64_t opened_ns;  /* the one that there is */
    uint64_t wanted_ns;  /* since when there has been no way, CLOCK_MONOTONIC; 0: there is one */
    uint64_t contact_ns; /* since when the other host is there, which does not count; 0: not */
    uint64_t again_ns;   /* not before */
};

struct ftc_links {
    const struct ftc_board *board;
    uint32_t self;
    uint64_t key[2];
    int listener;
    int epoll;                 /* of what comes by links, and of */
    int urgent;                /* that of who comes, of what is on its way, and of breaks */
    int bell;                  /* an eventfd that wakes ftc_links_await(), */
    int at_once;               /* which has so often in a row not had to wait */
    struct ftc_fabric *fabric; /* NULL: there is none */
    size_t frame_max;
    struct link **of_rank; /* NULL: none yet */
    struct link **list;    /* all that there are, in the order of their first use */
    uint32_t count;
    bool has_unsent, has_missing;
    bool has_lanes_to_see; /* also if the network brings nothing */
    struct ftc_connection guest[GUESTS];
};

/* ---- opening and closing ---- */

static void watch(int epoll, int how, int fd, uint32_t about, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.u32 = about};

    epoll_ctl(epoll, how, fd, &e);
}

static void free_all(struct ftc_links *l)
{
    if (l->epoll >= 0)
        close(l->epoll);
    if (l->urgent >= 0)
        close(l->urgent);
    if (l->bell >= 0)
        close(l->bell);
    free(l->of_rank);
    free(l->list);
    free(l);
}

int ftc_links_open(struct ftc_links **links, const struct ftc_board *board, uint32_t self,
                   int listener, struct ftc_fabric *fabric)
{
    const struct ftc_board_geometry *g = &board->geometry;
    struct ftc_links *l = calloc(1, sizeof *l);

    if (!l)
        return -ENOMEM;
    l->board = board;
    l->self = self;
    l->listener = listener;
    l->fabric = fabric;
    l->frame_max = ftc_frame_bytes(NOTE_BYTES + g->message_stride_bytes);
    if (l->frame_max < FTC_LANE_FRAME_MAX)
        l->frame_max = FTC_LANE_FRAME_MAX;
    l->of_rank = calloc(g->ranks, sizeof(void *));
    l->list = calloc(g->ranks, sizeof(void *));
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->urgent = epoll_create1(EPOLL_CLOEXEC);
    l->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->epoll = ftc_socket_move_up(l->epoll);
    l->urgent = ftc_socket_move_up(l->urgent);
    l->bell = ftc_socket_move_up(l->bell);
    if (!l->of_rank || !l->list || l->epoll < 0 || l->urgent < 0 || l->bell < 0) {
        free_all(l);
        return -ENOMEM;
    }
    ftc_directory_key(board, l->key);
    watch(l->urgent, EPOLL_CTL_ADD, listener, ABOUT_LISTENER, EPOLLIN);
    watch(l->epoll, EPOLL_CTL_ADD, l->urgent, ABOUT_URGENT, EPOLLIN);
    *links = l;
    return 0;
}

static void free_link(struct link *link)
{
    ftc_connection_close(&link->c);
    ftc_connection_close(&link->next);
    ftc_lane_close(&link->lane);
    ftc_flow_close(&link->flow);
    free(link);
}

void ftc_links_close(struct ftc_links *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->count; i++)
        free_link(l->list[i]);
    for (int i = 0; i < GUESTS; i++)
        ftc_connection_close(&l->guest[i]);
    ftc_fabric_close(l->fabric);
    close(l->listener);
    free_all(l);
}

static bool is_wanted(const struct ftc_links *l, uint32_t peer)
{
    return ftc_board_state(l->board, peer) < FTC_RANK_FINALIZED;
}

/* Whether the other may still want something of this one. */
static bool may_be_asked(const struct ftc_links *l, const struct link *link)
{
    return is_wanted(l, link->peer) && !link->flow.has_left;
}

/* Whether anything can still come or is to go. */
static bool is_needed(const struct ftc_links *l, const struct link *link)
{
    return may_be_asked(l, link) && !link->is_over;
}

/* What a lane has brought may come again by the connection. */
static size_t room_to_hear(const struct ftc_links *l, const struct link *link)
{
    return ftc_flow_room_to_hear(&link->flow) + (l->fabric ? l->frame_max : 0);
}

/* The link with @peer, which may have no connection yet; NULL without memory. */
static struct link *link_of(struct ftc_links *l, uint32_t peer)
{
    struct link *link = l->of_rank[peer];

    if (link)
        return link;
    link = calloc(1, sizeof *link);
    if (!link || ftc_flow_open(&link->flow, l->frame_max) != 0) {
        free(link);
        return NULL;
    }
    link->peer = peer;
    link->c.fd = link->next.fd = link->lane.by.fd = -1;
    l->of_rank[peer] = l->list[l->count++] = link;
    return link;
}

/* ---- ways ---- */

/* There is none, again or still. */
static void miss(struct ftc_links *l, struct link *link)
{
    uint64_t now = ftc_clock_ns();

    l->has_missing = true;
    ftc_links_wake(l);
    if (link->wanted_ns == 0)
        link->wanted_ns = now;
    else if (link->contact_ns != 0)
        link->wanted_ns += now - link->contact_ns;
    link->contact_ns = 0;
}

static void connect_to(struct ftc_links *l, struct link *link)
{
    uint64_t now = ftc_clock_ns();

    if (link->contact_ns != 0 || !ftc_connection_look_after(&link->next, now, ATTEMPT_NS) ||
        now < link->again_ns ||
        !ftc_connection_connect_to_rank(&link->next, l->board, FTC_PURPOSE_LINK, l->self,
                                        link->peer, l->frame_max))
        return;
    link->next.in_size = room_to_hear(l, link);
    link->again_ns = now + AGAIN_NS;
    miss(l, link);
    if (link->next.fd < 0)
        return;
    ftc_socket_watch(link->next.fd, HALF_OPEN_MS);
    watch(l->urgent, EPOLL_CTL_ADD, link->next.fd, link->peer, EPOLLIN | EPOLLOUT);
}

/* By which messages go. */
static struct ftc_connection *way_out(struct link *link)
{
    return link->flow.is_in_lane ? &link->lane.by : &link->c;
}

static bool has_unsent(const struct link *link)
{
    return ftc_flow_has_unsent(&link->flow) ||
           (link->flow.is_in_lane && !ftc_lane_is_out(&link->lane));
}

static void note_break(struct ftc_links *l, struct link *link)
{
    if (link->c.state != FTC_CONNECTION_LOST || link->is_broken)
        return;
    link->is_broken = true;
    link->comes_by_lane = false;
    ftc_lane_lose(&link->lane);
    ftc_flow_break(&link->flow);
    l->has_unsent |= has_unsent(link);
    miss(l, link);
}

/* An offer of a lane goes before all else. */
static bool is_offer_out(struct link *link)
{
    if (ftc_connection_has_unsent(&link->c))
        ftc_connection_send(&link->c);
    return !ftc_connection_has_unsent(&link->c);
}

static void push(struct ftc_links *l, struct link *link)
{
    const void *bytes;
    size_t count, sent;

    while (link->c.state == FTC_CONNECTION_OPEN && is_offer_out(link) &&
           (count = ftc_flow_to_send(&link->flow, &bytes)) > 0) {
        sent = ftc_connection_write(way_out(link), bytes, count);
        link->took_lane |= link->flow.is_in_lane && sent > 0;
        ftc_flow_sent(&link->flow, sent);
        if (sent < count)
            break;
    }
    l->has_unsent |= has_unsent(link);
    l->has_lanes_to_see |= link->flow.is_in_lane && !ftc_lane_is_out(&link->lane);
    note_break(l, link);
}

/* What comes by it can wait until the program is in a call. That it breaks is told of unasked
 * (epoll_ctl(2), EPOLLERR). */
static void watch_open(const struct ftc_links *l, const struct link *link)
{
    watch(l->urgent, EPOLL_CTL_MOD, link->c.fd, link->peer, 0);
    watch(l->epoll, EPOLL_CTL_ADD, link->c.fd, link->peer, EPOLLIN);
}

/* @opened takes the place of what there was. */
static void take_over(struct ftc_links *l, struct link *link, struct ftc_connection *opened)
{
    ftc_connection_close(&link->c);
    ftc_lane_close(&link->lane);
    link->comes_by_lane = false;
    link->c = *opened;
    *opened = (struct ftc_connection){.fd = -1};
    ftc_connection_close(&link->next);
    watch_open(l, link);
    link->was_open = true;
    link->is_broken = link->is_shut = link->is_over = false;
    link->opened_ns = ftc_clock_ns();
    if (link->contact_ns == 0)
        link->contact_ns = link->opened_ns;
    ftc_flow_connect(&link->flow);
    ftc_lane_offer(&link->lane, l->fabric, &link->c);
    push(l, link);
}

/* The other host is there. Its rank may compute for hours before it looks. */
static void note_contact(const struct ftc_links *l, struct link *link)
{
    if (link->contact_ns != 0 || ftc_connection_has_unsent(&link->next))
        return;
    link->contact_ns = ftc_clock_ns();
    watch(l->urgent, EPOLL_CTL_MOD, link->next.fd, link->peer, EPOLLIN);
}

static void progress_next(struct ftc_links *l, struct link *link)
{
    ftc_connection_progress(&link->next, l->self, l->board->geometry.ranks);
    if (ftc_connection_is_on_its_way(&link->next)) {
        note_contact(l, link);
    } else if (link->next.state == FTC_CONNECTION_OPEN) {
        ftc_socket_unwatch(link->next.fd);
        take_over(l, link, &link->next);
    } else {
        miss(l, link);
    }
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
        if (ftc_connection_goes_before(g, worst))
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
        watch(l->urgent, EPOLL_CTL_ADD, fd, ABOUT_GUEST | (uint32_t)(g - l->guest), EPOLLIN);
    }
}

/* Of two connections between the same ranks that of the lower rank stays. One that comes when there
 * is one says that it is broken: nobody makes one else. */
static bool may_come_in(const struct ftc_links *l, const struct link *link,
                        const struct ftc_connection *guest)
{
    if (!may_be_asked(l, link))
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
    struct link *link = is_link ? link_of(l, peer) : NULL;

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

static void serve_guest(struct ftc_links *l, uint32_t index)
{
    struct ftc_connection *g = &l->guest[index % GUESTS];

    if (!ftc_connection_is_on_its_way(g))
        return;
    ftc_connection_progress(g, l->self, l->board->geometry.ranks);
    if (g->state == FTC_CONNECTION_ASKS)
        admit(l, g);
    if (ftc_connection_is_over(g, ftc_clock_ns()))
        ftc_connection_close(g);
}

/* ---- what comes and goes ---- */

/* Messages go by the connection again, and come by it when the other has heard so. */
static void go_back(struct ftc_links *l, struct link *link)
{
    ftc_lane_lose(&link->lane);
    ftc_flow_go_back(&link->flow);
    l->has_unsent = true;
}

/* While messages come by the lane the connection brings nothing but that they do not. */
static enum ftc_heard hear_frame(struct ftc_links *l, struct link *link, bool is_by_lane,
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
    if (is_by_lane ? !lane->is_proved : link->comes_by_lane && !ftc_flow_is_back(frame))
        return FTC_HEARD_WRONG;
    return ftc_flow_hear(&link->flow, frame);
}

/* What is said is heard at once; messages stay until they are taken. */
static void hear_by(struct ftc_links *l, struct link *link, struct ftc_connection *c)
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
            go_back(l, link);
        }
    }
}

static void hear(struct ftc_links *l, struct link *link)
{
    hear_by(l, link, &link->c);
    l->has_unsent |= has_unsent(link);
    if (link->flow.is_met)
        link->wanted_ns = link->contact_ns = 0;
}

/* ---- lanes ---- */

/* What comes by it, as far as there is room. */
static void receive_by_lane(struct ftc_links *l, struct link *link)
{
    struct ftc_connection *by = &link->lane.by;

    if (!link->comes_by_lane || by->state != FTC_CONNECTION_OPEN)
        return;
    ftc_connection_progress(by, l->self, l->board->geometry.ranks);
    l->has_lanes_to_see |= by->in_end == by->in_size; /* UCX may have more, and tells of it once */
    hear_by(l, link, by);
}

/* A lane that is lost at one end is given up by both. */
static void see_lane(struct ftc_links *l, struct link *link)
{
    struct ftc_lane *lane = &link->lane;

    if (link->c.state != FTC_CONNECTION_OPEN)
        return;
    receive_by_lane(l, link);
    if (lane->state == FTC_LANE_OPENING && ftc_lane_has_opened(lane))
        ftc_flow_take_lane(&link->flow);
    if (link->flow.wants_lane)
        push(l, link);
    l->has_lanes_to_see |= lane->state == FTC_LANE_OPENING || link->flow.wants_lane;
    if ((link->flow.said_lane || link->comes_by_lane) && !link->flow.was_back &&
        ftc_lane_is_stuck(lane))
        go_back(l, link);
}

static void see_lanes(struct ftc_links *l)
{
    if (!ftc_fabric_progress(l->fabric) && !l->has_lanes_to_see)
        return;
    l->has_lanes_to_see = false;
    for (uint32_t i = 0; i < l->count; i++)
        see_lane(l, l->list[i]);
}

/* The other's kernel confirms an end at once, and other data when it likes (40 ms). */
static void note_end(struct link *link)
{
    link->is_over |= link->is_shut && ftc_socket_unsent(link->c.fd) == 0;
}

/* An end is noted before the other's is read, which confirms it. */
static void progress(struct ftc_links *l, struct link *link)
{
    if (ftc_connection_is_on_its_way(&link->next))
        progress_next(l, link);
    if (link->c.state != FTC_CONNECTION_OPEN)
        return;
    note_end(link);
    ftc_connection_progress(&link->c, l->self, l->board->geometry.ranks);
    hear(l, link);
    note_break(l, link);
}

static void serve(struct ftc_links *l, uint32_t about)
{
    if (about & ABOUT_LISTENER)
        accept_guests(l);
    else if (about & ABOUT_GUEST)
        serve_guest(l, about & ~(uint32_t)ABOUT_GUEST);
    else if (about < l->board->geometry.ranks && l->of_rank[about])
        progress(l, l->of_rank[about]);
}

/* True if there is something urgent too. */
static bool serve_all(struct ftc_links *l, int epoll)
{
    struct epoll_event event[EVENTS];
    int count = epoll_wait(epoll, event, EVENTS, 0);
    bool is_urgent = false;

    for (int i = 0; i < count; i++)
        if (event[i].data.u32 == ABOUT_URGENT)
            is_urgent = true;
        else
            serve(l, event[i].data.u32);
    return is_urgent;
}

static void send_rest(struct ftc_links *l)
{
    l->has_unsent = false;
    for (uint32_t i = 0; i < l->count; i++)
        if (has_unsent(l->list[i]) && is_needed(l, l->list[i]))
            push(l, l->list[i]);
}

/* The connection is broken, or the first one is on its way: also for a message that nobody offers
 * again. */
static bool is_missing(const struct link *link)
{
    return link->is_broken || (!link->was_open && link->wanted_ns != 0);
}

static void mend(struct ftc_links *l)
{
    l->has_missing = false;
    for (uint32_t i = 0; i < l->count; i++) {
        struct link *link = l->list[i];

        if (!is_missing(link) || !is_needed(l, link))
            continue;
        l->has_missing = true;
        connect_to(l, link);
    }
}

bool ftc_links_look(struct ftc_links *l)
{
    if (serve_all(l, l->epoll))
        serve_all(l, l->urgent);
    if (l->fabric)
        see_lanes(l);
    if (l->has_missing)
        mend(l);
    if (l->has_unsent)
        send_rest(l);
    return l->has_missing || l->has_unsent;
}

/* What is urgent and not served by a look, as where there is no file descriptor left, is not to
 * take the core. */
void ftc_links_await(struct ftc_links *l, bool soon)
{
    struct pollfd source[] = {{.fd = l->urgent, .events = POLLIN},
                              {.fd = l->bell, .events = POLLIN}};
    eventfd_t rung;

    if (poll(source, 2, 0) == 0) {
        l->at_once = 0;
        poll(source, 2, soon ? AGAIN_NS / NS_OF_MS : l->fabric ? LANES_MS : -1);
    } else if (++l->at_once > AT_ONCE_MOST) {
        l->at_once = AT_ONCE_MOST;
        nanosleep(&(struct timespec){.tv_nsec = AGAIN_NS}, NULL);
    }
    eventfd_read(l->bell, &rung);
}

void ftc_links_wake(const struct ftc_links *l)
{
    eventfd_write(l->bell, 1);
}

/* The first message makes the link. */
static void begin_link(struct ftc_links *l, struct link *link)
{
    if (ftc_connection_is_on_its_way(&link->next))
        progress(l, link);
    if (!link->was_open)
        connect_to(l, link);
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
    if (link->flow.has_left)
        return true; /* as one that comes late */
    if (!link->was_open)
        begin_link(l, link);
    frame = ftc_flow_begin(&link->flow, (uint32_t)bytes, NOTE_BYTES + bytes);
    if (!frame)
        return false;
    memcpy(frame->body, note, NOTE_BYTES);
    ftc_message_encode(m, envelope, scheme, value_bytes, frame->body + NOTE_BYTES);
    push(l, link);
    return true;
}

static const struct ftc_frame *next_by(struct link *link, struct ftc_connection *c)
{
    const struct ftc_frame *frame = ftc_connection_next(c);

    return frame && (uint32_t)frame->number == link->flow.taken ? frame : NULL;
}

/* Where the oldest message is, if there is one. */
static struct ftc_connection *way_in(struct link *link)
{
    return link->lane.by.in && next_by(link, &link->lane.by) ? &link->lane.by : &link->c;
}

static bool take(struct link *link, struct ftc_arrival *a)
{
    const struct ftc_frame *frame = next_by(link, way_in(link));
    size_t room;

    if (!frame)
        return false;
    room = frame->bytes - sizeof *frame;
    a->bytes = room >= NOTE_BYTES && frame->kind <= room - NOTE_BYTES ? frame->kind : 0;
    a->from = link->peer;
    a->wire = frame->body + NOTE_BYTES;
    a->note = (const struct ftc_note *)(const void *)frame->body;
    a->stays = a->is_by_link = true;
    return true;
}

bool ftc_links_next(struct ftc_links *l, struct ftc_arrival *a)
{
    if (!a->is_by_link) {
        ftc_links_look(l);
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

/* The lane first: it ends with the connection. */
static void read_all(struct ftc_links *l, struct link *link)
{
    if (link->comes_by_lane) {
        ftc_fabric_progress(l->fabric);
        l->has_lanes_to_see = true;
        receive_by_lane(l, link);
    }
    progress(l, link);
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
        read_all(l, link);
        if (take(link, a))
            return true;
    }
    if (ftc_board_is_dead(l->board, from)) {
        ftc_connection_close(&link->c);
        ftc_lane_close(&link->lane);
        ftc_connection_close(&link->next);
    }
    return false;
}

void ftc_links_release(struct ftc_links *l, struct ftc_arrival *a)
{
    struct link *link = l->of_rank[a->from];
    struct ftc_connection *c = way_in(link);

    ftc_flow_release(&link->flow, ftc_connection_next(c)->bytes);
    ftc_connection_drop(c);
    a->stays = false;
    if (link->flow.due != FTC_SAYS_NOTHING)
        push(l, link);
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

        if (link->wanted_ns != 0 && link->contact_ns == 0 &&
            now - link->wanted_ns > (uint64_t)ms * NS_OF_MS && is_needed(l, link))
            return (int)link->peer;
    }
    return -1;
}

struct ftc_links_count ftc_links_count(const struct ftc_links *l)
{
    struct ftc_links_count count = {.links = l->count};

    for (uint32_t i = 0; i < l->count; i++) {
        count.in_lanes += l->list[i]->flow.is_in_lane;
        count.took_lanes += l->list[i]->took_lane;
    }
    return count;
}

/* ---- the end ---- */

/* Nothing is there that the other has not got, or says to have got. */
static bool has_all(const struct ftc_links *l, const struct link *link)
{
    return !is_needed(l, link) || !has_unsent(link);
}

static bool has_ended(struct ftc_links *l, struct link *link)
{
    if (link->c.state != FTC_CONNECTION_OPEN || !is_needed(l, link))
        return true;
    if (!link->is_shut) {
        ftc_flow_leave(&link->flow);
        push(l, link);
        if (has_unsent(link))
            return false;
        shutdown(link->c.fd, SHUT_WR);
        link->is_shut = true;
    }
    note_end(link);
    return link->is_over;
}

/* What a lane has taken may not be there when this process ends. */
static void leave_lane(struct ftc_links *l, struct link *link)
{
    if (link->lane.state == FTC_LANE_NONE || link->flow.was_back)
        return;
    go_back(l, link);
    push(l, link);
}

static bool have_all_ended(struct ftc_links *l)
{
    bool have_all = true;

    for (uint32_t i = 0; i < l->count; i++) {
        leave_lane(l, l->list[i]);
        have_all &= has_all(l, l->list[i]) && has_ended(l, l->list[i]);
    }
    return have_all;
}

static bool is_any_owed(const struct ftc_links *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (!has_all(l, l->list[i]) && !l->list[i]->flow.is_met)
            return true;
    return false;
}

bool ftc_links_finish(struct ftc_links *l)
{
    uint64_t until_ns = ftc_clock_ns() + (uint64_t)FINISH_MS * NS_OF_MS;

    while (!have_all_ended(l)) {
        if (ftc_clock_ns() >= until_ns)
            return !is_any_owed(l);
        ftc_links_look(l);
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS / 20}, NULL);
    }
    return true;
}
