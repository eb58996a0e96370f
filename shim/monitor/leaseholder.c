#include "leaseholder.h"

#include "board/lease.h"
#include "net/lease.h"
#include "net/socket.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
    ASKED = 10, /* requests in a lease */
    TURN_MS = 10,
    SPARE_MS = 50, /* least time for an attempt to connect */
    FINISH_MS = 200,
    NS_OF_MS = 1000000,
};

struct holder {
    struct ftc_connection c;
    struct ftc_connection spare; /* connection to replace c, made while nothing is heard on c */
    uint64_t spare_ns;           /* CLOCK_MONOTONIC of the last attempt to make one */
    bool has_authority;
    struct ftc_address address; /* address of mpiexec */
    struct ftc_end own;         /* this host's end of mpiexec's connection with its proxy */
    uint16_t port;
    uint64_t key[2];
    uint64_t asked_ns, again_ns; /* CLOCK_MONOTONIC of the last request; of the next attempt */
    uint64_t heard_ns;           /* CLOCK_MONOTONIC of the last answer, or a later first request */
    /* CLOCK_BOOTTIME of the last turn, and of the first turn after the last long gap or jump. */
    uint64_t turned_ns, awake_ns;
    int64_t ahead_ns;      /* ftc_clock_ahead_ns() since the last jump */
    uint64_t valid_ns;     /* CLOCK_BOOTTIME; requests before it do not count */
    int wakeup;            /* eventfd: this process is about to end */
    uint64_t through_ns;   /* time of the first request that says no rank here is in MPI; 0: none */
    _Atomic bool is_heard; /* the authority has answered that request */
    _Atomic bool is_open;
};
static struct holder holder = {.c.fd = -1, .spare.fd = -1, .wakeup = -1};

void ftc_leaseholder_open(void)
{
    struct holder *l = &holder;
    struct ftc_end mpiexec;

    l->has_authority = ftc_lease_offer(&l->port, l->key) && ftc_socket_launcher() >= 0 &&
                       ftc_socket_ends(ftc_socket_launcher(), FTC_OF_PROXY, &l->own, &mpiexec);
    if (l->has_authority)
        l->address = mpiexec.address;
    l->ahead_ns = ftc_clock_ahead_ns();
    l->wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    atomic_store(&l->is_open, true);
}

static bool is_needed(const struct holder *l, const struct ftc_monitored *rank)
{
    return l->has_authority && ftc_lease_terms(&rank->board) != FTC_LEASE_NONE;
}

/* Returns the time between two requests. In MPI_Init it is short, because the ranks wait for the
 * answer. */
static uint64_t period_ns(const struct ftc_monitored *rank)
{
    bool is_awaited = ftc_lease_terms(&rank->board) != FTC_LEASE_IN_FORCE;
    uint64_t ms = is_awaited ? TURN_MS : (uint64_t)rank->options.settings.unreachable_ms / ASKED;

    return (ms > 0 ? ms : 1) * NS_OF_MS;
}

void ftc_leaseholder_list(struct pollfd source[FTC_LEASEHOLDER_SOURCES])
{
    source[0] = (struct pollfd){.fd = holder.c.fd, .events = POLLIN};
    source[1] = (struct pollfd){.fd = holder.spare.fd, .events = POLLIN};
    source[2] = (struct pollfd){.fd = holder.wakeup, .events = POLLIN};
}

int ftc_leaseholder_patience_ms(const struct ftc_monitored *rank)
{
    const struct holder *l = &holder;
    uint64_t ms = period_ns(rank) / NS_OF_MS;

    if (!is_needed(l, rank))
        return -1;
    return l->c.state != FTC_CONNECTION_OPEN || l->spare.fd >= 0 || ms < TURN_MS ? TURN_MS
                                                                                 : (int)ms;
}

/* ---- the connection ---- */

static void connect_to(const struct holder *l, struct ftc_connection *c,
                       const struct ftc_monitored *rank)
{
    struct ftc_handshake who = {.key = {l->key[0], l->key[1]}};

    if (!ftc_handshake_greet(&who, FTC_PURPOSE_LEASE, rank->world, FTC_LEASE_AUTHORITY))
        return;
    ftc_connection_close(c);
    ftc_connection_connect(c, &l->address, l->port, &who, FTC_LEASE_FRAME_MAX);
    if (c->fd >= 0) /* requests arrive in time, or not at all */
        ftc_socket_watch(c->fd, rank->options.settings.unreachable_ms);
}

static void begin_anew(struct holder *l)
{
    l->asked_ns = l->through_ns = 0;
}

static void look_after_connection(struct holder *l, const struct ftc_monitored *rank,
                                  uint64_t now_ns)
{
    if (l->c.fd >= 0)
        ftc_connection_progress(&l->c, rank->world, rank->board.geometry.ranks);
    if (!ftc_connection_look_after(&l->c, now_ns, FTC_CONNECTION_ATTEMPT_NS) ||
        now_ns < l->again_ns)
        return;
    l->again_ns = now_ns + (uint64_t)TURN_MS * NS_OF_MS;
    begin_anew(l);
    connect_to(l, &l->c, rank);
}

static void take_spare(struct holder *l)
{
    ftc_connection_close(&l->c);
    l->c = l->spare;
    l->spare = (struct ftc_connection){.fd = -1};
    begin_anew(l);
}

static bool is_silent(const struct holder *l, uint64_t bound_ns, uint64_t now_ns)
{
    return l->c.state == FTC_CONNECTION_OPEN && l->asked_ns != 0 && now_ns > l->heard_ns + bound_ns;
}

/* Makes a second connection while nothing is heard on the first, and replaces the first one as soon
 * as the second is open. The kernel resends lost data at intervals that double. After a network cut
 * of two thirds of a lease the rest of the lease would be over before the next attempt. A new
 * connection is faster. The old one stays meanwhile, because it may be the network that is slow. */
static void look_after_spare(struct holder *l, const struct ftc_monitored *rank, uint64_t now_ns)
{
    uint64_t period = period_ns(rank), least = (uint64_t)SPARE_MS * NS_OF_MS;
    uint64_t attempt = period / 2 > least ? period / 2 : least;
    bool is_in_force = ftc_lease_terms(&rank->board) == FTC_LEASE_IN_FORCE;

    if (l->spare.fd >= 0)
        ftc_connection_progress(&l->spare, rank->world, rank->board.geometry.ranks);
    if (!is_in_force || !is_silent(l, 2 * period, now_ns))
        ftc_connection_close(&l->spare);
    else if (l->spare.state == FTC_CONNECTION_OPEN)
        take_spare(l);
    else if (ftc_connection_look_after(&l->spare, now_ns, attempt) &&
             now_ns - l->spare_ns >= attempt) {
        l->spare_ns = now_ns;
        connect_to(l, &l->spare, rank);
    }
}

/* ---- asking ---- */

static bool is_through(const struct ftc_board *board)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_is_here(board, i) && ftc_board_state(board, i) < FTC_RANK_FINALIZED)
            return false;
    return true;
}

static struct ftc_lease_request request_of(const struct holder *l, const struct ftc_monitored *rank)
{
    const struct ftc_board_geometry *g = &rank->board.geometry;
    struct ftc_lease_request r = {
        .host = g->host,
        .hosts = g->other_hosts + 1,
        .unreachable_ms = rank->options.settings.unreachable_ms,
        .failure_exit_status = rank->options.settings.failure_exit_status,
        .is_through = is_through(&rank->board),
        .is_agreed = ftc_lease_terms(&rank->board) >= FTC_LEASE_AGREED,
        .family = l->own.address.family,
        .port = l->own.port,
    };

    memcpy(r.address, l->own.address.bytes, sizeof r.address);
    return r;
}

static void ask(struct holder *l, const struct ftc_monitored *rank, uint64_t now_ns)
{
    struct ftc_lease_request r = request_of(l, rank);
    struct ftc_frame *frame;

    bool is_due = l->asked_ns == 0 || now_ns - l->asked_ns >= period_ns(rank) ||
                  (r.is_through && l->through_ns == 0);

    if (l->c.state != FTC_CONNECTION_OPEN || !is_due)
        return;
    frame = ftc_connection_begin(&l->c, FTC_PURPOSE_LEASE, ftc_clock_boot_ns(), sizeof r);
    if (!frame)
        return;
    memcpy(frame->body, &r, sizeof r);
    ftc_connection_send(&l->c);
    if (l->asked_ns == 0)
        l->heard_ns = now_ns;
    l->asked_ns = now_ns;
    if (r.is_through && l->through_ns == 0)
        l->through_ns = frame->number;
}

/* ---- answers ---- */

static bool enter_losses(struct ftc_board *board, const struct ftc_lease_reply *r)
{
    bool is_new = false;

    for (uint32_t host = 0; host <= board->geometry.other_hosts; host++)
        if (r->lost >> host & 1)
            is_new |= ftc_lease_lose_host(board, host,
                                          r->ended >> host & 1 ? FTC_HOST_ENDED : FTC_HOST_SILENT);
    return is_new;
}

/* Checks whether time has passed that no clock of this host has counted. Requests from before such
 * a jump are void, and the agent has a whole lease to ask again, because the time may only have
 * been set. */
static void look_for_jump(struct holder *l)
{
    int64_t ahead_ns = ftc_clock_ahead_ns();

    if (!ftc_lease_is_jump(ahead_ns, l->ahead_ns))
        return;
    l->valid_ns = l->awake_ns = ftc_clock_boot_ns();
    l->ahead_ns = ahead_ns;
    l->asked_ns = 0;
}

static void renew(struct holder *l, struct ftc_board *board, uint64_t asked_ns, int unreachable_ms)
{
    look_for_jump(l);
    if (asked_ns >= l->valid_ns && asked_ns <= ftc_clock_boot_ns())
        ftc_lease_renew(board, ftc_lease_until_ns(asked_ns, unreachable_ms), l->ahead_ns);
}

/* Enters an answer in the board. The frame's number is the CLOCK_BOOTTIME of the request, or 0 if
 * the authority has sent the frame without a request. Returns true if a host is newly lost. */
static bool enter(struct holder *l, struct ftc_board *board, const struct ftc_frame *frame,
                  int unreachable_ms)
{
    struct ftc_lease_reply r;

    if (frame->bytes < sizeof *frame + sizeof r)
        return false;
    memcpy(&r, frame->body, sizeof r);
    if (r.answer == FTC_LEASE_LOST)
        ftc_lease_end(board);
    if (r.answer != FTC_LEASE_GRANTED)
        return false;
    if (r.is_in_force)
        ftc_lease_put_in_force(board);
    if (frame->number != 0)
        renew(l, board, frame->number, unreachable_ms);
    return enter_losses(board, &r);
}

static bool hear(struct holder *l, struct ftc_monitored *rank)
{
    const struct ftc_frame *frame;
    bool is_new = false;

    while (l->c.in && (frame = ftc_connection_next(&l->c))) {
        is_new |= enter(l, &rank->board, frame, rank->options.settings.unreachable_ms);
        if (l->through_ns != 0 && frame->number >= l->through_ns)
            atomic_store(&l->is_heard, true);
        l->heard_ns = ftc_clock_ns();
        ftc_connection_drop(&l->c);
    }
    return is_new;
}

static uint64_t lease_ns(const struct ftc_monitored *rank)
{
    return (uint64_t)rank->options.settings.unreachable_ms * NS_OF_MS;
}

/* Notes the time of a turn. Shorter gaps than half of a lease do not count: if a lease runs out in
 * a gap between two turns, more than half of its time was left at the beginning of the gap. */
static void note_turn(struct holder *l, const struct ftc_monitored *rank)
{
    uint64_t now_ns = ftc_clock_boot_ns();

    look_for_jump(l);
    if (now_ns - l->turned_ns > lease_ns(rank) / 2)
        l->awake_ns = now_ns;
    l->turned_ns = now_ns;
}

bool ftc_leaseholder_has_failed(const struct ftc_monitored *rank)
{
    look_for_jump(&holder);
    return ftc_lease_has_ended(&rank->board) ||
           (ftc_lease_is_over(&rank->board) &&
            ftc_clock_boot_ns() - holder.awake_ns >= lease_ns(rank));
}

bool ftc_leaseholder_turn(struct ftc_monitored *rank, uint64_t now_ns)
{
    struct holder *l = &holder;
    uint64_t rung;
    bool is_new;

    (void)!read(l->wakeup, &rung, sizeof rung);
    if (!is_needed(l, rank))
        return false;
    note_turn(l, rank);
    look_after_connection(l, rank, now_ns);
    is_new = hear(l, rank);
    look_after_spare(l, rank, now_ns);
    ask(l, rank, now_ns);
    return is_new;
}

void ftc_leaseholder_finish(const struct ftc_monitored *rank)
{
    struct holder *l = &holder;

    if (!atomic_load(&l->is_open) || !is_needed(l, rank) || !is_through(&rank->board))
        return;
    (void)!write(l->wakeup, &(uint64_t){1}, sizeof(uint64_t));
    for (int i = 0; i < FINISH_MS && !atomic_load(&l->is_heard); i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
}
