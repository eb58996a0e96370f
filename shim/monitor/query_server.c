#include "query_server.h"

#include "board/activity.h"
#include "board/lease.h"
#include "board/presence.h"
#include "board/rank_state.h"
#include "board/replica.h"
#include "net/connection.h"
#include "net/socket.h"
#include "system/clock.h"
#include "transport/query_reply.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    CLIENTS = 1024, /* connections of agents and of ranks that have sent a query */
    GUESTS = 64,    /* connections whose peers have not yet proved their identity */
    SHORT_MS = 20,
    ACCEPTED_AT_ONCE = 16,
    FINISH_MS = 1000,
    NS_OF_MS = 1000000,
};

struct client {
    struct ftc_connection c;
    uint64_t heard_ns; /* CLOCK_MONOTONIC of the last query, or of connecting */
    struct ftc_replica
        *sent; /* for an agent: last update sent to it about each rank of this host */
};

/* Server of this process. */
static struct server {
    struct ftc_monitored *rank;
    uint64_t key[2];
    size_t frame_max;
    int wakeup; /* eventfd: there are updates, or this process ends */
    bool is_awaiting_updates;
    bool is_short; /* descriptors have run out: no connection is accepted for SHORT_MS */
    _Atomic bool is_finishing, is_finished;
    struct ftc_publication copy;
    uint32_t here, *rank_here; /* number and list of the ranks of this host */
    struct client *client[CLIENTS];
    uint32_t count;
} server = {.wakeup = -1};

size_t ftc_query_server_frame_max(const struct ftc_board *board)
{
    return ftc_frame_bytes(ftc_query_reply_bytes_max(board));
}

/* ---- clients ---- */

static void drop(struct server *s, uint32_t i)
{
    ftc_connection_close(&s->client[i]->c);
    free(s->client[i]->sent);
    free(s->client[i]);
    s->client[i] = s->client[--s->count];
}

static bool is_guest(const struct client *client)
{
    return ftc_connection_is_on_its_way(&client->c);
}

/* Drops a guest if there are too many, or if there is no room for another client. Returns whether
 * it did. */
static bool drop_guest(struct server *s)
{
    uint32_t guests = 0, worst = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        if (!is_guest(s->client[i]))
            continue;
        if (guests++ == 0 || ftc_connection_goes_before(&s->client[i]->c, &s->client[worst]->c))
            worst = i;
    }
    if (guests < GUESTS && (guests == 0 || (s->count < CLIENTS && !s->is_short)))
        return false;
    drop(s, worst);
    return true;
}

/* Drops the connection of the rank whose last query is the oldest. That rank connects again for its
 * next query. */
static void drop_idle(struct server *s)
{
    uint32_t idle = s->count;

    for (uint32_t i = 0; i < s->count; i++)
        if (!is_guest(s->client[i]) && !s->client[i]->sent &&
            (idle == s->count || s->client[i]->heard_ns < s->client[idle]->heard_ns))
            idle = i;
    if (idle < s->count)
        drop(s, idle);
}

static void make_room(struct server *s)
{
    if (!drop_guest(s) && (s->count == CLIENTS || s->is_short))
        drop_idle(s);
}

static void accept_guests(struct server *s)
{
    for (int i = 0; i < ACCEPTED_AT_ONCE; i++) {
        int fd = ftc_socket_accept(s->rank->listener);
        struct client *client;

        s->is_short = fd < 0 && (errno == EMFILE || errno == ENFILE);
        if (fd < 0 && !s->is_short)
            return;
        make_room(s);
        if (s->is_short)
            return;
        client = s->count < CLIENTS ? calloc(1, sizeof *client) : NULL;
        if (!client) {
            close(fd);
            return;
        }
        ftc_connection_accept(&client->c, fd, s->key);
        client->heard_ns = client->c.since_ns;
        s->client[s->count++] = client;
    }
}

/* ---- updates ---- */

static void *await_updates(void *unused)
{
    struct ftc_board *board = &server.rank->board;
    uint32_t seen = ftc_board_updates(board);

    for (;;) {
        (void)!write(server.wakeup, &(uint64_t){1}, sizeof(uint64_t));
        ftc_board_await_update(board, seen);
        seen = ftc_board_updates(board);
    }
    return unused;
}

static void send_update(struct server *s, struct client *client, uint32_t i, uint64_t now_ns)
{
    struct ftc_replica r = ftc_replica_take(&s->rank->board, s->rank_here[i], now_ns);
    struct ftc_frame *frame;

    if (!ftc_replica_differs(&r, &client->sent[i]))
        return;
    frame = ftc_connection_begin(&client->c, FTC_PURPOSE_UPDATES, 0, sizeof r);
    if (!frame)
        return; /* there is room again once other frames are sent */
    memcpy(frame->body, &r, sizeof r);
    client->sent[i] = r;
}

static void send_updates(struct server *s, struct client *client)
{
    uint64_t now_ns = ftc_clock_ns();

    if (client->c.state != FTC_CONNECTION_OPEN)
        return;
    for (uint32_t i = 0; client->sent && i < s->here; i++)
        send_update(s, client, i, now_ns);
    ftc_connection_send(&client->c);
}

/* Begins to send updates to an agent. At first the table of sent updates has states that do not
 * exist, so the agent is sent the updates of all ranks. */
static void begin_updates(struct server *s, struct client *client)
{
    client->sent = malloc(s->here * sizeof *client->sent);
    if (!s->is_awaiting_updates)
        s->is_awaiting_updates = ftc_monitored_start_thread(await_updates, NULL);
    if (!client->sent ||
        !s->is_awaiting_updates) { /* another monitor process here may be able to */
        ftc_connection_close(&client->c);
        return;
    }
    memset(client->sent, 0xff, s->here * sizeof *client->sent);
    ftc_socket_watch(client->c.fd, FTC_QUERY_SERVER_SILENT_MS);
    send_updates(s, client);
}

/* ---- queries ---- */

/* Kills the rank of this host that @q is about, if it is silent by this host's board as well. The
 * reply to other hosts then is a death like any other. Rank @by has suspected it. */
static void end_silent(const struct server *s, const struct ftc_query *q, uint32_t by)
{
    struct ftc_board *board = &s->rank->board;

    if (!s->rank->options.ends_silent || q->rank >= board->geometry.ranks ||
        !ftc_board_is_here(board, q->rank) || !ftc_presence_are_all_ready(board) ||
        ftc_board_state(board, q->rank) != FTC_RANK_RUNNING ||
        ftc_activity_heartbeat(board, q->rank) != q->heartbeat ||
        !ftc_board_mark_failed(board, q->rank, FTC_DEATH_SUSPECTED, (int)by))
        return;
    if (ftc_board_pid(board, q->rank) > 1)
        kill(ftc_board_pid(board, q->rank), SIGKILL);
    ftc_board_wake_watchers(board);
}

static bool reply_to(struct server *s, struct client *client, const struct ftc_frame *asked)
{
    struct ftc_query query;
    struct ftc_frame *frame;
    size_t bytes;

    if (asked->bytes < sizeof *asked + sizeof query)
        return true; /* no correct rank sends this */
    memcpy(&query, asked->body, sizeof query);
    client->heard_ns = ftc_clock_ns();
    if (query.kind == FTC_QUERY_KILL)
        end_silent(s, &query, client->c.handshake.greeting.from);
    frame =
        ftc_connection_begin(&client->c, asked->kind, asked->number, s->frame_max - sizeof *frame);
    if (!frame)
        return false;
    bytes = ftc_query_reply_write(&s->rank->board, &query, &s->copy, frame->body);
    ftc_connection_shorten(&client->c, frame, bytes);
    return true;
}

static void reply_to_all(struct server *s, struct client *client)
{
    const struct ftc_frame *asked;

    while ((asked = ftc_connection_next(&client->c)) && reply_to(s, client, asked)) {
        ftc_connection_drop(&client->c);
        ftc_connection_send(&client->c);
    }
}

/* ---- the loop ---- */

static void welcome(struct server *s, struct client *client)
{
    enum ftc_purpose purpose = (enum ftc_purpose)client->c.handshake.greeting.purpose;
    bool is_ours = purpose == FTC_PURPOSE_UPDATES || purpose == FTC_PURPOSE_QUERY;

    ftc_connection_answer(&client->c, is_ours ? FTC_WELCOME : FTC_NOT_NOW, s->frame_max);
    if (client->c.state == FTC_CONNECTION_OPEN && purpose == FTC_PURPOSE_UPDATES)
        begin_updates(s, client);
}

static void serve(struct server *s, struct client *client)
{
    ftc_connection_progress(&client->c, s->rank->world, s->rank->board.geometry.ranks);
    if (client->c.state == FTC_CONNECTION_ASKS)
        welcome(s, client);
    if (client->c.state == FTC_CONNECTION_OPEN)
        reply_to_all(s, client);
}

/* Returns whether @client's host is lost. Its connection is then closed, by which a host that no
 * longer hears mpiexec learns that it is not mpiexec that is silent. */
static bool is_lost(const struct server *s, const struct client *client)
{
    const struct ftc_board *board = &s->rank->board;
    uint32_t from = client->c.handshake.greeting.from;

    return client->c.state == FTC_CONNECTION_OPEN && from < board->geometry.ranks &&
           ftc_lease_is_lost(board, ftc_board_host(board, from));
}

static void drop_those_who_left(struct server *s)
{
    uint64_t now_ns = ftc_clock_ns();

    for (uint32_t i = s->count; i-- > 0;)
        if (ftc_connection_is_over(&s->client[i]->c, now_ns) || is_lost(s, s->client[i]))
            drop(s, i);
}

static bool has_guests(const struct server *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (is_guest(s->client[i]))
            return true;
    return false;
}

/* Returns how many milliseconds a turn may wait; -1: without limit. */
static int most_ms(const struct server *s)
{
    if (s->is_short)
        return SHORT_MS;
    return has_guests(s) ? FTC_CONNECTION_GUEST_MS : -1;
}

static bool has_unsent(const struct server *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->client[i]->c.state == FTC_CONNECTION_OPEN &&
            ftc_connection_has_unsent(&s->client[i]->c))
            return true;
    return false;
}

static void serve_all(struct server *s, const struct pollfd *source)
{
    uint32_t count = s->count;

    for (uint32_t i = 0; i < count; i++) {
        if (source[i].revents)
            serve(s, s->client[i]);
        send_updates(s, s->client[i]);
    }
}

static void take_wakeup(const struct server *s)
{
    uint64_t rung;

    (void)!read(s->wakeup, &rung, sizeof rung);
}

static void turn(struct server *s)
{
    static struct pollfd source[CLIENTS + 2];
    bool is_last = atomic_load(&s->is_finishing); /* earlier updates are sent in this turn */
    struct pollfd *wakeup, *listener;
    uint32_t n = s->count;

    for (uint32_t i = 0; i < n; i++)
        source[i] = (struct pollfd){
            .fd = s->client[i]->c.fd,
            .events =
                (short)(POLLIN | (ftc_connection_has_unsent(&s->client[i]->c) ? POLLOUT : 0))};
    wakeup = &source[n];
    listener = &source[n + 1];
    *wakeup = (struct pollfd){.fd = s->wakeup, .events = POLLIN};
    *listener = (struct pollfd){.fd = s->is_short ? -1 : s->rank->listener, .events = POLLIN};
    if (poll(source, n + 2, most_ms(s)) < 0)
        return;
    s->is_short = false;
    if (wakeup->revents)
        take_wakeup(s);
    serve_all(s, source);
    drop_those_who_left(s);
    if (listener->revents)
        accept_guests(s);
    if (is_last && !has_unsent(s))
        atomic_store(&s->is_finished, true);
}

static bool open_server(struct server *s, struct ftc_monitored *rank)
{
    const struct ftc_board *board = &rank->board;

    s->rank = rank;
    s->frame_max = ftc_query_server_frame_max(board);
    s->copy.value = malloc(board->geometry.entry_stride_bytes);
    s->rank_here = calloc(board->geometry.ranks, sizeof *s->rank_here);
    s->wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!s->copy.value || !s->rank_here || s->wakeup < 0)
        return false;
    ftc_directory_key(board, s->key);
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_is_here(board, i))
            s->rank_here[s->here++] = i;
    return true;
}

void ftc_query_server_run(struct ftc_monitored *rank)
{
    if (!open_server(&server, rank))
        return; /* other hosts hear nothing and report that */
    for (;;)
        turn(&server);
}

void ftc_query_server_finish(struct ftc_monitored *rank)
{
    if (!ftc_board_is_open(&rank->board) || !ftc_board_has_other_hosts(&rank->board) ||
        server.wakeup < 0)
        return;
    atomic_store(&server.is_finishing, true);
    (void)!write(server.wakeup, &(uint64_t){1}, sizeof(uint64_t));
    for (int i = 0; i < FINISH_MS && !atomic_load(&server.is_finished); i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
}
