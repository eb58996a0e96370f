#include "agent.h"

#include "announce.h"
#include "board/announcement.h"
#include "board/death.h"
#include "board/end_of_job.h"
#include "board/lease.h"
#include "board/presence.h"
#include "board/replica.h"
#include "end.h"
#include "leaseholder.h"
#include "net/connection.h"
#include "net/lease.h"
#include "net/socket.h"
#include "query_server.h"
#include "system/clock.h"
#include "system/lines.h"
#include "system/stopwatch.h"

#include <poll.h>
#include <signal.h>
#include <string.h>

enum {
    TURN_MS = 10, /* interval of turns while a host cannot be heard */
    FORBIDDEN_MS = 500,
    NS_OF_MS = 1000000,
};

/* Another host and the connection to one of its monitor processes. */
struct source {
    struct ftc_connection c;
    uint32_t host;
    uint32_t next;            /* rank whose monitor process is tried next */
    bool has_data;            /* data have arrived on this connection */
    uint64_t silent_since_ns; /* on the agent's stopwatch */
    uint64_t again_ns;
};

static struct agent {
    struct ftc_monitored *rank;
    struct source source[FTC_BOARD_HOSTS_MAX];
    uint32_t count;
    struct ftc_stopwatch stopwatch; /* clock that measures the silence of hosts */
    uint64_t look_ns;               /* time on that stopwatch in this turn */
    /* CLOCK_MONOTONIC of the last news of a death; 0: no death is to be checked. */
    uint64_t death_ns;
    uint32_t dead; /* rank of that death, or of an earlier one that is forbidden */
    /* Time on the stopwatch since which only mpiexec is silent, and all hosts are heard; 0: not so.
     */
    uint64_t alone_since_ns;
} agent;

/* ---- connections ---- */

/* Returns the rank of @s's host that is tried next: after the last one the first. */
static uint32_t next_rank(const struct ftc_board *board, const struct source *s)
{
    uint32_t ranks = board->geometry.ranks, rank = s->next % ranks;

    while (ftc_board_host(board, rank) != s->host)
        rank = (rank + 1) % ranks;
    return rank;
}

static void connect_to(struct agent *a, struct source *s, uint64_t now_ns)
{
    const struct ftc_board *board = &a->rank->board;
    uint32_t rank = next_rank(board, s);

    s->again_ns = now_ns + (uint64_t)TURN_MS * NS_OF_MS;
    s->next = rank + 1;
    (void)ftc_connection_connect_to_rank(&s->c, board, FTC_PURPOSE_UPDATES, a->rank->world, rank,
                                         ftc_query_server_frame_max(board));
}

/* ---- updates ---- */

/* Notes the death of @rank for look_for_forbidden(). Keeps an earlier death that is forbidden
 * instead. */
static void note_death(struct agent *a, uint32_t rank, uint64_t now_ns)
{
    a->death_ns = now_ns;
    if (!ftc_death_is_forbidden(&a->rank->board, a->dead))
        a->dead = rank;
}

static void enter(struct agent *a, const struct source *s, const struct ftc_frame *frame)
{
    struct ftc_replica r;
    uint64_t now_ns = ftc_clock_ns();

    if (frame->bytes < sizeof *frame + sizeof r)
        return;
    memcpy(&r, frame->body, sizeof r);
    if (!ftc_replica_enter(&a->rank->board, s->host, &r, now_ns))
        return;
    ftc_board_wake_watchers(&a->rank->board);
    note_death(a, r.rank, now_ns);
}

/* Makes the kernel close a connection that falls silent, at both ends after about the same time.
 * Otherwise this end might trust a connection that the other end has given up, after a network cut
 * for instance, and miss all updates. */
static void watch(const struct agent *a, const struct source *s)
{
    int ms = a->rank->options.settings.unreachable_ms;

    ftc_socket_watch(s->c.fd, ms < FTC_QUERY_SERVER_SILENT_MS ? ms : FTC_QUERY_SERVER_SILENT_MS);
}

static void hear(struct agent *a, struct source *s)
{
    const struct ftc_frame *frame;
    bool was_open = s->c.state == FTC_CONNECTION_OPEN;

    ftc_connection_progress(&s->c, a->rank->world, a->rank->board.geometry.ranks);
    if (!was_open && s->c.state == FTC_CONNECTION_OPEN)
        watch(a, s);
    while (s->c.in && (frame = ftc_connection_next(&s->c))) {
        enter(a, s, frame);
        ftc_directory_set_heard(&a->rank->board, s->host);
        ftc_connection_drop(&s->c);
        s->has_data = true;
    }
    if (s->has_data)
        s->silent_since_ns = a->look_ns;
    s->has_data &= s->c.state == FTC_CONNECTION_OPEN;
}

/* ---- hosts that cannot be heard ---- */

static bool any(const struct ftc_board *board, uint32_t host)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_host(board, i) == host && ftc_board_state(board, i) == FTC_RANK_RUNNING)
            return true;
    return false;
}

static void say_silent(const struct agent *a, const struct source *s)
{
    const struct ftc_board *board = &a->rank->board;
    char here[FTC_BOARD_HOST_NAME], there[FTC_BOARD_HOST_NAME];
    uint32_t first = next_rank(board, &(struct source){.host = s->host});
    int patience = ftc_lease_patience_ms(board, a->rank->options.settings.unreachable_ms);

    ftc_directory_host_name(board, a->rank->world, here);
    ftc_directory_host_name(board, first, there);
    ftc_lines_say("ftcoll: host %s has received nothing from host %s (rank %u) for %d ms "
                  "(unreachable_ms = %d), and mpiexec has not declared that host lost: the job "
                  "ends; check the network between the two hosts\n",
                  here, there, first, patience, a->rank->options.settings.unreachable_ms);
}

static _Noreturn void end_job(const struct agent *a, const struct source *s)
{
    if (ftc_end_of_job_claim(&a->rank->board, a->rank->world))
        say_silent(a, s);
    ftc_rank_end_job(a->rank, 1);
}

static bool is_last(const struct ftc_board *board, uint32_t host)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_host(board, i) != host && ftc_board_state(board, i) == FTC_RANK_RUNNING)
            return false;
    return true;
}

/* Marks the running ranks of @s's host as finalized, once no rank here is in MPI any more. This
 * host then needs nothing of that host but its end, which may have come before its last update
 * arrived. That update may have been that the report is written: if no other host has running
 * ranks, the report counts as written. */
static void forget(struct agent *a, struct source *s)
{
    struct ftc_board *board = &a->rank->board;

    if (is_last(board, s->host))
        ftc_announcement_is_elsewhere(
            board, &(struct ftc_announcement){.kind = FTC_ANNOUNCEMENT_REPORT, .number = 1});
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_host(board, i) == s->host && ftc_board_state(board, i) == FTC_RANK_RUNNING)
            ftc_board_advance(board, i, FTC_RANK_FINALIZED);
}

static void look_for_silence(struct agent *a, struct source *s)
{
    const struct ftc_board *board = &a->rank->board;
    int patience_ms = ftc_lease_patience_ms(board, a->rank->options.settings.unreachable_ms);

    if (a->look_ns - s->silent_since_ns < (uint64_t)patience_ms * NS_OF_MS ||
        !ftc_presence_are_all_ready(board) || !any(board, s->host))
        return;
    if (any(board, board->geometry.host))
        end_job(a, s);
    forget(a, s);
}

/* Returns how long a forbidden death is left to others. Several hosts see the same deaths: the
 * first one reports, and the others hear of that. */
static uint64_t forbidden_ns(const struct ftc_board *board)
{
    return (uint64_t)(ftc_lease_is_first_left(board) ? 1 : 2) * FORBIDDEN_MS * NS_OF_MS;
}

/* Ends the job if deaths on other hosts have to end it. A forbidden death is handled on its own
 * host unless that host is lost, but several deaths may be too many only together. */
static void look_for_forbidden(struct agent *a, uint64_t now_ns)
{
    if (a->death_ns == 0 || now_ns < a->death_ns + forbidden_ns(&a->rank->board))
        return;
    a->death_ns = 0;
    if (!ftc_end_of_job_is_said(&a->rank->board))
        ftc_rank_end_job_if_forbidden(a->rank, a->dead, SIGKILL);
}

/* ---- the loop ---- */

static bool is_lost(const struct agent *a, const struct source *s)
{
    return ftc_lease_is_lost(&a->rank->board, s->host);
}

/* Returns whether no rank of the job is in MPI any more. No update can come then: other hosts may
 * have ended while a program here still runs. */
static bool are_all_through(const struct ftc_board *board)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_state(board, i) < FTC_RANK_FINALIZED)
            return false;
    return true;
}

static bool is_missed(const struct agent *a, const struct source *s)
{
    return s->c.state != FTC_CONNECTION_OPEN && !is_lost(a, s) && !are_all_through(&a->rank->board);
}

static void look_after(struct agent *a, struct source *s, uint64_t now_ns)
{
    if (is_lost(a, s)) {
        ftc_connection_close(&s->c);
        return;
    }
    if (ftc_connection_look_after(&s->c, now_ns, FTC_CONNECTION_ATTEMPT_NS) &&
        now_ns >= s->again_ns && is_missed(a, s))
        connect_to(a, s, now_ns);
    if (s->c.state != FTC_CONNECTION_OPEN)
        look_for_silence(a, s);
}

static int patience_ms(const struct agent *a)
{
    bool all_heard = a->death_ns == 0;

    for (uint32_t i = 0; i < a->count; i++)
        all_heard &= !is_missed(a, &a->source[i]);
    return all_heard ? ftc_leaseholder_patience_ms(a->rank) : TURN_MS;
}

/* Notes the deaths on lost hosts, and wakes the first thread to announce them. All ranks of a lost
 * host have died except those that had left MPI. */
static void note_losses(struct agent *a, uint64_t now_ns)
{
    struct ftc_board *board = &a->rank->board;

    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        if (!ftc_lease_is_lost(board, ftc_board_host(board, i)))
            continue;
        a->death_ns = now_ns;
        if (ftc_board_is_dead(board, i))
            note_death(a, i, now_ns);
    }
    if (a->death_ns == now_ns)
        ftc_announce_lost(a->rank);
}

/* Returns whether all other hosts that have running ranks and are not lost are heard. The kernel
 * closes a connection on which nothing arrives. */
static bool hears_all(const struct agent *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (!is_lost(a, &a->source[i]) && any(&a->rank->board, a->source[i].host) &&
            (a->source[i].c.state != FTC_CONNECTION_OPEN || !a->source[i].has_data))
            return false;
    return true;
}

static void say_alone(const struct agent *a)
{
    char here[FTC_BOARD_HOST_NAME];

    if (!ftc_lease_is_first_left(&a->rank->board))
        return;
    ftc_directory_host_name(&a->rank->board, a->rank->world, here);
    ftc_lines_say(
        "ftcoll: host %s has received nothing from mpiexec for %d ms (unreachable_ms), "
        "but hears all other hosts: results of MPI calls wait for mpiexec, and after %d s "
        "the ranks are killed\n",
        here, a->rank->options.settings.unreachable_ms, FTC_LEASE_MPIEXEC_MS / 1000);
}

/* Returns whether it is mpiexec that is silent, and not this host that is cut off: all other hosts
 * are heard. No host is declared lost then, or this host hears it from the others. Results of its
 * ranks wait meanwhile, for FTC_LEASE_MPIEXEC_MS at most. */
static bool may_wait_for_mpiexec(struct agent *a)
{
    if (ftc_lease_has_ended(&a->rank->board) || !hears_all(a))
        return false;
    if (a->alone_since_ns == 0) {
        a->alone_since_ns = a->look_ns;
        say_alone(a);
    }
    ftc_lease_await_mpiexec(&a->rank->board);
    return a->look_ns - a->alone_since_ns < (uint64_t)FTC_LEASE_MPIEXEC_MS * NS_OF_MS;
}

static void look_at_lease(struct agent *a)
{
    if (!ftc_leaseholder_has_failed(a->rank))
        a->alone_since_ns = 0;
    else if (!may_wait_for_mpiexec(a))
        ftc_rank_end_host(a->rank);
}

static void look_for_losses(struct agent *a, uint64_t now_ns)
{
    bool is_new = ftc_leaseholder_turn(a->rank, now_ns);

    look_at_lease(a);
    if (!is_new)
        return;
    ftc_board_wake_watchers(&a->rank->board);
    note_losses(a, now_ns);
}

/* Reads the stopwatch. Time in which the agent did not run counts as no host's silence, because the
 * whole job may have been stopped. */
static void look(struct agent *a)
{
    a->look_ns = ftc_stopwatch_now(&a->stopwatch, (uint64_t)TURN_MS * NS_OF_MS);
}

static void turn(struct agent *a)
{
    struct pollfd poller[FTC_BOARD_HOSTS_MAX + FTC_LEASEHOLDER_SOURCES];
    uint64_t now_ns;

    for (uint32_t i = 0; i < a->count; i++)
        poller[i] = (struct pollfd){.fd = a->source[i].c.fd, .events = POLLIN};
    ftc_leaseholder_list(&poller[a->count]);
    if (poll(poller, a->count + FTC_LEASEHOLDER_SOURCES, patience_ms(a)) < 0)
        return;
    now_ns = ftc_clock_ns();
    look(a);
    look_for_losses(a, now_ns);
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->source[i].c.fd >= 0)
            hear(a, &a->source[i]);
        look_after(a, &a->source[i], now_ns);
    }
    look_for_forbidden(a, now_ns);
}

/* Handles known deaths on other hosts again, because the previous agent may have ended before it
 * did so. */
static void go_on_after_the_last(struct agent *a)
{
    const struct ftc_board *board = &a->rank->board;
    uint64_t now_ns = ftc_clock_ns();

    ftc_board_wake_watchers(&a->rank->board);
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (!ftc_board_is_here(board, i) && ftc_board_is_dead(board, i))
            note_death(a, i, now_ns);
    note_losses(a, now_ns);
}

static void open_agent(struct agent *a, struct ftc_monitored *rank)
{
    a->rank = rank;
    ftc_leaseholder_open();
    go_on_after_the_last(a);
    look(a);
    for (uint32_t host = 0; host <= rank->board.geometry.other_hosts; host++)
        if (host != rank->board.geometry.host)
            a->source[a->count++] =
                (struct source){.c.fd = -1, .host = host, .silent_since_ns = a->look_ns};
}

void ftc_agent_run(struct ftc_monitored *rank)
{
    ftc_directory_await_agency(&rank->board);
    open_agent(&agent, rank);
    for (;;)
        turn(&agent);
}
