#include "link.h"

#include "link_connect.h"
#include "link_hear.h"
#include "link_send.h"
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
    EVENTS = 32,
    UCX_CHECK_MS = 100, /* time between checks, because UCX wakes no thread */
    AT_ONCE_MOST = 16,
    FINISH_MS = 1000,
    NS_OF_MS = 1000000,
    NOTE_BYTES = sizeof(struct ftc_note),
};
_Static_assert(NOTE_BYTES % FTC_FRAME_ALIGNMENT == 0, "the message behind it is aligned");

/* ---- opening and closing ---- */

static void free_all(struct ftc_links *l)
{
    if (l->epoll >= 0)
        close(l->epoll);
    if (l->urgent >= 0)
        close(l->urgent);
    if (l->wakeup >= 0)
        close(l->wakeup);
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
    if (l->frame_max < FTC_UCX_PATH_FRAME_MAX)
        l->frame_max = FTC_UCX_PATH_FRAME_MAX;
    l->of_rank = calloc(g->ranks, sizeof(void *));
    l->list = calloc(g->ranks, sizeof(void *));
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->urgent = epoll_create1(EPOLL_CLOEXEC);
    l->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->epoll = ftc_socket_move_up(l->epoll);
    l->urgent = ftc_socket_move_up(l->urgent);
    l->wakeup = ftc_socket_move_up(l->wakeup);
    if (!l->of_rank || !l->list || l->epoll < 0 || l->urgent < 0 || l->wakeup < 0) {
        free_all(l);
        return -ENOMEM;
    }
    ftc_directory_key(board, l->key);
    ftc_link_watch(l->urgent, EPOLL_CTL_ADD, listener, FTC_LINK_ABOUT_LISTENER, EPOLLIN);
    ftc_link_watch(l->epoll, EPOLL_CTL_ADD, l->urgent, FTC_LINK_ABOUT_URGENT, EPOLLIN);
    *links = l;
    return 0;
}

static void free_link(struct ftc_link *link)
{
    ftc_connection_close(&link->c);
    ftc_connection_close(&link->next);
    ftc_ucx_path_close(&link->ucx);
    ftc_reliable_close(&link->reliable);
    free(link);
}

void ftc_links_close(struct ftc_links *l)
{
    if (!l)
        return;
    for (uint32_t i = 0; i < l->count; i++)
        free_link(l->list[i]);
    for (int i = 0; i < FTC_LINK_GUESTS; i++)
        ftc_connection_close(&l->guest[i]);
    ftc_fabric_close(l->fabric);
    close(l->listener);
    free_all(l);
}

static void serve(struct ftc_links *l, uint32_t about)
{
    if (about & FTC_LINK_ABOUT_LISTENER)
        ftc_link_accept_guests(l);
    else if (about & FTC_LINK_ABOUT_GUEST)
        ftc_link_serve_guest(l, about & ~(uint32_t)FTC_LINK_ABOUT_GUEST);
    else if (about < l->board->geometry.ranks && l->of_rank[about])
        ftc_link_progress(l, l->of_rank[about]);
}

/* Handles the events of @epoll. Returns true if there are urgent events too. */
static bool serve_all(struct ftc_links *l, int epoll)
{
    struct epoll_event event[EVENTS];
    int count = epoll_wait(epoll, event, EVENTS, 0);
    bool is_urgent = false;

    for (int i = 0; i < count; i++)
        if (event[i].data.u32 == FTC_LINK_ABOUT_URGENT)
            is_urgent = true;
        else
            serve(l, event[i].data.u32);
    return is_urgent;
}

static void send_rest(struct ftc_links *l)
{
    l->has_unsent = false;
    for (uint32_t i = 0; i < l->count; i++)
        if (ftc_link_has_unsent(l->list[i]) && ftc_link_is_needed(l, l->list[i]))
            ftc_link_push(l, l->list[i]);
}

/* Returns whether the link lacks a connection: it is broken, or the first one is being opened. It
 * is then opened even if the caller does not offer the message again. */
static bool is_missing(const struct ftc_link *link)
{
    return link->is_broken || (!link->was_open && link->wanted_ns != 0);
}

static void mend(struct ftc_links *l)
{
    l->has_missing = false;
    for (uint32_t i = 0; i < l->count; i++) {
        struct ftc_link *link = l->list[i];

        if (!is_missing(link) || !ftc_link_is_needed(l, link))
            continue;
        l->has_missing = true;
        ftc_link_connect(l, link);
    }
}

bool ftc_links_look(struct ftc_links *l)
{
    if (serve_all(l, l->epoll))
        serve_all(l, l->urgent);
    if (l->fabric)
        ftc_link_check_ucx(l);
    if (l->has_missing)
        mend(l);
    if (l->has_unsent)
        send_rest(l);
    return l->has_missing || l->has_unsent;
}

/* Sleeps for 10 ms after having returned immediately AT_ONCE_MOST times in a row. An urgent event
 * that ftc_links_look() cannot handle, for instance because no file descriptor is left, would
 * otherwise keep the core busy. */
void ftc_links_await(struct ftc_links *l, bool soon)
{
    struct pollfd source[] = {{.fd = l->urgent, .events = POLLIN},
                              {.fd = l->wakeup, .events = POLLIN}};
    eventfd_t rung;

    if (poll(source, 2, 0) == 0) {
        l->at_once = 0;
        poll(source, 2, soon ? FTC_LINK_AGAIN_NS / NS_OF_MS : l->fabric ? UCX_CHECK_MS : -1);
    } else if (++l->at_once > AT_ONCE_MOST) {
        l->at_once = AT_ONCE_MOST;
        nanosleep(&(struct timespec){.tv_nsec = FTC_LINK_AGAIN_NS}, NULL);
    }
    eventfd_read(l->wakeup, &rung);
}

void ftc_links_wake(const struct ftc_links *l)
{
    eventfd_write(l->wakeup, 1);
}

/* Opens the connection of a link for its first message. */
static void begin_link(struct ftc_links *l, struct ftc_link *link)
{
    if (ftc_connection_is_on_its_way(&link->next))
        ftc_link_progress(l, link);
    if (!link->was_open)
        ftc_link_connect(l, link);
}

bool ftc_links_send(struct ftc_links *l, uint32_t to, const struct ftc_message *m,
                    const struct ftc_envelope *envelope, enum ftc_failure_scheme scheme,
                    size_t value_bytes, const struct ftc_note *note)
{
    size_t bytes = ftc_message_wire_bytes(m, scheme, value_bytes);
    struct ftc_link *link = ftc_link_of(l, to);
    struct ftc_frame *frame;

    if (!link || !ftc_link_is_wanted(l, to))
        return false;
    if (link->reliable.has_left)
        return true; /* dropped, as the peer needs no message */
    if (!link->was_open)
        begin_link(l, link);
    frame = ftc_reliable_begin(&link->reliable, (uint32_t)bytes, NOTE_BYTES + bytes);
    if (!frame)
        return false;
    memcpy(frame->body, note, NOTE_BYTES);
    ftc_message_encode(m, envelope, scheme, value_bytes, frame->body + NOTE_BYTES);
    ftc_link_push(l, link);
    return true;
}

static const struct ftc_frame *next_by(struct ftc_link *link, struct ftc_connection *c)
{
    const struct ftc_frame *frame = ftc_connection_next(c);

    return frame && (uint32_t)frame->number == link->reliable.taken ? frame : NULL;
}

/* Returns the connection that has the oldest message, if there is one. */
static struct ftc_connection *way_in(struct ftc_link *link)
{
    return link->ucx.by.in && next_by(link, &link->ucx.by) ? &link->ucx.by : &link->c;
}

static bool take(struct ftc_link *link, struct ftc_arrival *a)
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

/* Closes the connections of a dead rank after the last read. Data that the kernel delivers later
 * count as lost with that rank. */
bool ftc_links_next_from(struct ftc_links *l, uint32_t from, struct ftc_arrival *a)
{
    struct ftc_link *link = l->of_rank[from];

    if (!link)
        return false;
    if (take(link, a))
        return true;
    if (link->c.state == FTC_CONNECTION_OPEN) {
        ftc_link_read_all(l, link);
        if (take(link, a))
            return true;
    }
    if (ftc_board_is_dead(l->board, from)) {
        ftc_connection_close(&link->c);
        ftc_ucx_path_close(&link->ucx);
        ftc_connection_close(&link->next);
    }
    return false;
}

void ftc_links_release(struct ftc_links *l, struct ftc_arrival *a)
{
    struct ftc_link *link = l->of_rank[a->from];
    struct ftc_connection *c = way_in(link);

    ftc_reliable_release(&link->reliable, ftc_connection_next(c)->bytes);
    ftc_connection_drop(c);
    a->stays = false;
    if (link->reliable.due != FTC_SAYS_NOTHING)
        ftc_link_push(l, link);
}

/* ---- state of the links ---- */

bool ftc_links_are_out(const struct ftc_links *l)
{
    return !l->has_unsent;
}

int ftc_links_lost(const struct ftc_links *l, int ms)
{
    uint64_t now = ftc_clock_ns();

    for (uint32_t i = 0; i < l->count; i++) {
        const struct ftc_link *link = l->list[i];

        if (link->wanted_ns != 0 && link->contact_ns == 0 &&
            now - link->wanted_ns > (uint64_t)ms * NS_OF_MS && ftc_link_is_needed(l, link))
            return (int)link->peer;
    }
    return -1;
}

struct ftc_links_count ftc_links_count(const struct ftc_links *l)
{
    struct ftc_links_count count = {.links = l->count};

    for (uint32_t i = 0; i < l->count; i++) {
        count.by_ucx += l->list[i]->reliable.is_by_ucx;
        count.used_ucx += l->list[i]->used_ucx;
    }
    return count;
}

/* ---- the end ---- */

/* Returns whether the connection has taken all data, or the peer needs none. Without a connection,
 * the peer must have acknowledged all data. */
static bool has_all(const struct ftc_links *l, const struct ftc_link *link)
{
    return !ftc_link_is_needed(l, link) || !ftc_link_has_unsent(link);
}

static bool has_ended(struct ftc_links *l, struct ftc_link *link)
{
    if (link->c.state != FTC_CONNECTION_OPEN || !ftc_link_is_needed(l, link))
        return true;
    if (!link->is_shut) {
        ftc_reliable_leave(&link->reliable);
        ftc_link_push(l, link);
        if (ftc_link_has_unsent(link))
            return false;
        shutdown(link->c.fd, SHUT_WR);
        link->is_shut = true;
    }
    ftc_link_note_end(link);
    return link->is_over;
}

/* Makes messages use the connection again, because UCX may lose unsent data when the process
 * ends. */
static void leave_ucx(struct ftc_links *l, struct ftc_link *link)
{
    if (link->ucx.state == FTC_UCX_PATH_NONE || link->reliable.was_back)
        return;
    ftc_link_go_back(l, link);
    ftc_link_push(l, link);
}

static bool have_all_ended(struct ftc_links *l)
{
    bool have_all = true;

    for (uint32_t i = 0; i < l->count; i++) {
        leave_ucx(l, l->list[i]);
        have_all &= has_all(l, l->list[i]) && has_ended(l, l->list[i]);
    }
    return have_all;
}

static bool is_any_owed(const struct ftc_links *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (!has_all(l, l->list[i]) && !l->list[i]->reliable.is_met)
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
