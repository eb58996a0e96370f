#include "authority.h"

#include "net/lease.h"
#include "system/clock.h"
#include "system/quiet_thread.h"
#include "system/stopwatch.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CLIENTS = 256, /* connections of agents and of peers that have not proved their identity */
    LISTENERS = 4,
    TURN_NS = 20000000,
    NS_OF_MS = 1000000,
};

struct client {
    struct ftc_connection c;
    struct ftc_proxy *proxy; /* proxy of the agent's host; NULL before its first valid request */
};

static struct authority {
    int reserved, wakeup;
    uint16_t port;
    bool has_begun;
    struct listener {
        struct ftc_address address; /* address of mpiexec that a proxy has connected to */
        int fd;
    } listener[LISTENERS];
    _Atomic int listeners; /* number of open listeners; mpiexec's own thread opens them */
    uint64_t key[2];
    struct client client[CLIENTS];
    int count;
    /* Clock that stands still while mpiexec is stopped: no host counts as silent meanwhile. */
    struct ftc_stopwatch stopwatch;
    uint64_t lost, ended; /* sets of hosts, by bits */
    bool has_changed;     /* last change of these sets is not sent yet */
} authority = {.reserved = -1, .wakeup = -1};

bool ftc_authority_reserve(void)
{
    struct authority *a = &authority;
    char text[64];

    if (getrandom(a->key, sizeof a->key, 0) != (ssize_t)sizeof a->key)
        return false;
    a->reserved = ftc_socket_reserve(&a->port);
    a->wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (a->reserved < 0 || a->wakeup < 0)
        return false;
    snprintf(text, sizeof text, FTC_LEASE_FORMAT, a->port, a->key[0], a->key[1]);
    return setenv(FTC_LEASE_VARIABLE, text, 1) == 0;
}

static void ring(void)
{
    (void)!write(authority.wakeup, &(uint64_t){1}, sizeof(uint64_t));
}

/* ---- losses ---- */

static bool any_client_of(const struct authority *a, const struct ftc_proxy *p)
{
    for (int i = 0; i < a->count; i++)
        if (a->client[i].proxy == p && a->client[i].c.state == FTC_CONNECTION_OPEN)
            return true;
    return false;
}

/* Declares @p's host lost. Shuts its connection down and kills its starter, because mpiexec may be
 * waiting for them. */
static void declare_lost(struct authority *a, struct ftc_proxy *p, bool has_ended)
{
    p->state = FTC_PROXY_LOST;
    p->was_lost = true;
    a->lost |= 1ull << p->host;
    a->ended |= has_ended ? 1ull << p->host : 0;
    a->has_changed = true;
    if (p->fd >= 0)
        shutdown(p->fd, SHUT_RDWR);
    ftc_proxies_kill_starter(p);
}

static bool has_been_silent(const struct ftc_proxy *p, uint64_t now_ns)
{
    return ftc_lease_has_run_out(p->heard_ns, p->unreachable_ms, now_ns);
}

/* Returns whether @p's host may be silent: no rank there is in MPI any more, and its last agent has
 * left. An agent that is still connected goes on asking. */
static bool may_be_silent(const struct authority *a, const struct ftc_proxy *p)
{
    return p->is_through && !any_client_of(a, p);
}

static bool is_asking(const struct authority *a, const struct ftc_proxy *p)
{
    return p->state == FTC_PROXY_KNOWN && p->is_agreed && !may_be_silent(a, p);
}

/* Returns whether it is mpiexec that has no network: it hears none of several hosts for half of
 * unreachable_ms or longer, although each asks ten times in unreachable_ms. Hosts that hear each
 * other then wait for mpiexec, for FTC_LEASE_MPIEXEC_MS at most. */
static bool is_alone(const struct authority *a, uint64_t now_ns)
{
    int asking = 0;

    for (int i = 0; i < ftc_proxies_count(); i++) {
        const struct ftc_proxy *p = ftc_proxies_at(i);
        uint64_t silent_ms = (now_ns - p->heard_ns) / NS_OF_MS;

        if (!is_asking(a, p))
            continue;
        if (silent_ms < (uint64_t)p->unreachable_ms / 2 || silent_ms > FTC_LEASE_MPIEXEC_MS)
            return false;
        asking++;
    }
    return asking > 1;
}

/* Declares @p's host lost if it has ended, or has been silent so long that it has stopped. If the
 * loss is not tolerated, shuts the connection down instead: mpiexec sees its end and ends the job.
 */
static void look_for_loss(struct authority *a, struct ftc_proxy *p, uint64_t now_ns)
{
    bool is_given_up = p->state == FTC_PROXY_GONE || p->state == FTC_PROXY_BROKEN;
    bool is_held = is_asking(a, p) && !is_alone(a, now_ns);

    if (p->state == FTC_PROXY_GONE && !any_client_of(a, p))
        declare_lost(a, p, true);
    else if ((is_given_up || is_held) && has_been_silent(p, now_ns)) {
        if (is_given_up || ftc_proxies_tolerate(p))
            declare_lost(a, p, false);
        else
            shutdown(p->fd, SHUT_RDWR);
    }
}

static void look_for_losses(struct authority *a)
{
    uint64_t now_ns = ftc_stopwatch_now(&a->stopwatch, TURN_NS);

    ftc_proxies_lock();
    for (int i = 0; i < ftc_proxies_count(); i++)
        look_for_loss(a, ftc_proxies_at(i), now_ns);
    ftc_proxies_unlock();
}

bool ftc_authority_takes(struct ftc_proxy *p, bool was_closed)
{
    bool is_borne = p->was_lost;

    if (p->state == FTC_PROXY_KNOWN && ftc_proxies_tolerate(p)) {
        p->state = was_closed ? FTC_PROXY_GONE : FTC_PROXY_BROKEN;
        p->was_lost = is_borne = true;
        ftc_proxies_kill_starter(p);
        ring();
    }
    return is_borne;
}

/* ---- requests of agents ---- */

static bool is_sane(const struct ftc_lease_request *r)
{
    return r->hosts <= FTC_BOARD_HOSTS_MAX && r->host < r->hosts && r->unreachable_ms > 0 &&
           r->failure_exit_status >= 0 && r->failure_exit_status <= 255;
}

static struct ftc_proxy *proxy_of(const struct ftc_lease_request *r)
{
    struct ftc_end end = {.address.family = r->family, .port = (uint16_t)r->port};

    memcpy(end.address.bytes, r->address, sizeof end.address.bytes);
    return ftc_proxies_of_end(&end);
}

/* Returns whether @r may come from the host of @p. Until that host has agreed to leases, there must
 * be as many proxies as hosts, because each host then has one. More proxies may come later for
 * processes that the program starts. mpiexec then tolerates no loss, but no host has to stop. */
static bool is_acceptable(const struct ftc_proxy *p, const struct ftc_lease_request *r)
{
    if (p->has_host && p->host != r->host)
        return false;
    return p->is_agreed || (p->state == FTC_PROXY_KNOWN && (int)r->hosts == ftc_proxies_known());
}

/* Closes older connections of @client's host. An agent that connects again may have given up a
 * connection whose end has not arrived here. */
static void close_older(struct authority *a, const struct client *client)
{
    for (int i = 0; i < a->count; i++) {
        struct client *other = &a->client[i];

        if (other != client && other->proxy == client->proxy &&
            other->c.since_ns < client->c.since_ns)
            ftc_connection_close(&other->c);
    }
}

static enum ftc_lease_answer take_request(struct authority *a, struct client *client,
                                          const struct ftc_lease_request *r)
{
    struct ftc_proxy *p = is_sane(r) ? proxy_of(r) : NULL;

    if (!p || !is_acceptable(p, r))
        return FTC_LEASE_REFUSED;
    if (client->proxy != p) {
        client->proxy = p;
        close_older(a, client);
    }
    p->has_host = true;
    p->host = r->host;
    if (p->was_lost)
        return FTC_LEASE_LOST;
    p->unreachable_ms = r->unreachable_ms;
    p->exit_status = r->failure_exit_status;
    p->is_agreed |= r->is_agreed != 0;
    p->is_through |= r->is_through != 0;
    p->heard_ns = ftc_stopwatch_now(&a->stopwatch, TURN_NS);
    return FTC_LEASE_GRANTED;
}

static void reply(const struct authority *a, struct client *client, uint64_t number,
                  enum ftc_lease_answer answer)
{
    struct ftc_frame *frame =
        ftc_connection_begin(&client->c, FTC_PURPOSE_LEASE, number, sizeof(struct ftc_lease_reply));
    struct ftc_lease_reply r = {.answer = answer, .lost = a->lost, .ended = a->ended};

    ftc_proxies_lock();
    r.is_in_force = ftc_proxies_agree();
    ftc_proxies_unlock();
    if (!frame)
        return;
    memcpy(frame->body, &r, sizeof r);
    ftc_connection_send(&client->c);
}

static void answer(struct authority *a, struct client *client, const struct ftc_frame *asked)
{
    struct ftc_lease_request request;
    enum ftc_lease_answer given;

    if (asked->bytes < sizeof *asked + sizeof request)
        return;
    memcpy(&request, asked->body, sizeof request);
    ftc_proxies_lock();
    given = take_request(a, client, &request);
    ftc_proxies_unlock();
    reply(a, client, asked->number, given);
}

/* Sends the sets of lost hosts to all agents that have sent a valid request, if these sets have
 * changed. Frame number 0 is not the number of any request. */
static void send_changes(struct authority *a)
{
    for (int i = 0; i < a->count && a->has_changed; i++) {
        struct client *client = &a->client[i];

        if (client->c.state == FTC_CONNECTION_OPEN && client->proxy)
            reply(a, client, 0,
                  (a->lost >> client->proxy->host & 1) ? FTC_LEASE_LOST : FTC_LEASE_GRANTED);
    }
    a->has_changed = false;
}

static void serve(struct authority *a, struct client *client)
{
    const struct ftc_frame *asked;

    ftc_connection_progress(&client->c, FTC_LEASE_AUTHORITY, FTC_LEASE_AUTHORITY + 1);
    if (client->c.state == FTC_CONNECTION_ASKS)
        ftc_connection_answer(
            &client->c,
            client->c.handshake.greeting.purpose == FTC_PURPOSE_LEASE ? FTC_WELCOME : FTC_NOT_NOW,
            FTC_LEASE_FRAME_MAX);
    while (client->c.in && (asked = ftc_connection_next(&client->c))) {
        answer(a, client, asked);
        ftc_connection_drop(&client->c);
    }
}

/* ---- connections ---- */

static void drop(struct authority *a, int i)
{
    ftc_connection_close(&a->client[i].c);
    a->client[i] = a->client[--a->count];
}

static void drop_those_who_left(struct authority *a, uint64_t now_ns)
{
    for (int i = a->count; i-- > 0;)
        if (ftc_connection_is_over(&a->client[i].c, now_ns))
            drop(a, i);
}

/* Closes a connection whose peer has not proved its identity, if there is no room for another
 * connection. Returns whether there is room. */
static bool make_room(struct authority *a)
{
    int worst = -1;

    for (int i = 0; i < a->count && a->count == CLIENTS; i++)
        if (ftc_connection_is_on_its_way(&a->client[i].c) &&
            (worst < 0 || ftc_connection_goes_before(&a->client[i].c, &a->client[worst].c)))
            worst = i;
    if (worst >= 0)
        drop(a, worst);
    return a->count < CLIENTS;
}

static void accept_one(struct authority *a, int number)
{
    int fd = ftc_socket_accept(a->listener[number].fd);

    if (fd < 0)
        return;
    if (!make_room(a)) {
        close(fd);
        return;
    }
    a->client[a->count] = (struct client){0};
    ftc_connection_accept(&a->client[a->count++].c, fd, a->key);
}

/* ---- the loop ---- */

static void turn(struct authority *a)
{
    struct pollfd source[CLIENTS + LISTENERS + 1];
    int count = a->count, listeners = atomic_load(&a->listeners), sources = count + listeners + 1;
    uint64_t rung;

    for (int i = 0; i < count; i++)
        source[i] = (struct pollfd){.fd = a->client[i].c.fd, .events = POLLIN};
    for (int i = 0; i < listeners; i++)
        source[count + i] = (struct pollfd){.fd = a->listener[i].fd, .events = POLLIN};
    source[count + listeners] = (struct pollfd){.fd = a->wakeup, .events = POLLIN};
    if (poll(source, (nfds_t)sources, TURN_NS / NS_OF_MS) < 0)
        return;
    (void)!read(a->wakeup, &rung, sizeof rung);
    for (int i = 0; i < count; i++)
        if (source[i].revents)
            serve(a, &a->client[i]);
    look_for_losses(a);
    send_changes(a);
    drop_those_who_left(a, ftc_clock_ns());
    for (int i = 0; i < listeners; i++)
        if (source[count + i].revents)
            accept_one(a, i);
}

static void *run(void *context)
{
    struct authority *a = context;

    for (;;)
        turn(a);
    return NULL;
}

static void start_thread(struct authority *a)
{
    pthread_t thread;

    if (ftc_quiet_thread(&thread, run, a) == 0)
        pthread_detach(thread);
}

/* ---- listeners ---- */

static bool has_listener(const struct authority *a, const struct ftc_address *address)
{
    int listeners = atomic_load(&a->listeners);

    for (int i = 0; i < listeners; i++)
        if (memcmp(&a->listener[i].address, address, sizeof *address) == 0)
            return true;
    return listeners == LISTENERS;
}

static void open_listener(struct authority *a, const struct ftc_address *address)
{
    int listeners = atomic_load(&a->listeners);

    if (has_listener(a, address))
        return;
    a->listener[listeners].address = *address;
    a->listener[listeners].fd = ftc_socket_listen_reserved(a->reserved, address, a->port);
    if (a->listener[listeners].fd >= 0)
        atomic_store(&a->listeners, listeners + 1);
}

void ftc_authority_begin(void)
{
    struct authority *a = &authority;

    ftc_proxies_lock();
    for (int i = 0; i < ftc_proxies_count(); i++)
        if (ftc_proxies_at(i)->state != FTC_PROXY_NONE)
            open_listener(a, &ftc_proxies_at(i)->own.address);
    ftc_proxies_unlock();
    ring();
    if (!a->has_begun)
        start_thread(a);
    a->has_begun = true;
}
