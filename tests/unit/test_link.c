/* Links between ranks of different hosts, here of one process: how they come to be, what goes by
 * them, and how they end. All of it by TCP alone, and with UCX beside it. */
#include "board/rank_state.h"
#include "net/socket.h"
#include "system/clock.h"
#include "unit_board.h"
#include "unit_fabric.h"
#include "unit_messages.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANKS = 3, DEPTH = 4, PATIENCE = 1000000 };

static const uint64_t key[2] = {17, 4};
static bool has_fabric; /* of UCX */

/* Each rank is a host. */
static struct side {
    struct ftc_board board;
    struct ftc_transport t;
    int listener;
    uint16_t port;
} side[RANKS];

static struct ftc_address loopback(void)
{
    return (struct ftc_address){.family = AF_INET, .bytes = {127, 0, 0, 1}};
}

static void make_board(uint32_t self, const uint64_t own_key[2])
{
    struct ftc_address address = loopback();
    struct ftc_board_geometry g = unit_geometry(RANKS, UNIT_VALUE_BYTES);

    g.ring_depth = DEPTH;
    g.other_hosts = RANKS - 1;
    g.host = self;
    side[self].board = unit_board(g);
    ftc_directory_set_key(&side[self].board, own_key);
    for (uint32_t i = 0; i < RANKS; i++) {
        ftc_directory_set_host(&side[self].board, i, "host", &address);
        ftc_directory_set_rank(&side[self].board, i,
                               &(struct ftc_directory_rank){.host = i, .link_port = side[i].port});
        ftc_board_advance(&side[self].board, i, FTC_RANK_RUNNING);
    }
}

/* Rank 2 has @key_of_2. */
static void open_all_with(const uint64_t key_of_2[2])
{
    struct ftc_address address = loopback();
    const char *why;

    for (uint32_t i = 0; i < RANKS; i++) {
        side[i].listener = ftc_socket_listen(&address, &side[i].port);
        ck_assert_int_ge(side[i].listener, 0);
    }
    for (uint32_t i = 0; i < RANKS; i++) {
        make_board(i, i == 2 ? key_of_2 : key);
        ck_assert_int_eq(ftc_transport_open(&side[i].t, &side[i].board, i), 0);
        ck_assert_int_eq(
            ftc_transport_link(&side[i].t, side[i].listener,
                               has_fabric ? ftc_fabric_open(FTC_FABRIC_ANY, &why) : NULL),
            0);
    }
}

static void open_all(void)
{
    open_all_with(key);
}

static void close_all(void)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        ftc_transport_close(&side[i].t);
        ftc_board_close(&side[i].board);
    }
}

static bool send_number(uint32_t from, uint32_t to, uint32_t number)
{
    return unit_send_number(&side[from].t, to, number);
}

/* The number of the next message at @self, which is of @from; -1: none. */
static int receive(uint32_t self, uint32_t from)
{
    struct ftc_arrival a = {0};
    int number;

    if (!ftc_transport_next(&side[self].t, &a))
        return -1;
    ck_assert_uint_eq(a.from, from);
    number = unit_number_of(&a);
    ftc_transport_release(&side[self].t, &a);
    return number;
}

static int await(uint32_t self, uint32_t from)
{
    int number = -1;

    for (int i = 0; i < PATIENCE && number < 0; i++) {
        number = receive(self, from);
        if (has_fabric) /* where its end has to help, other than the kernel */
            ftc_transport_look_at_links(&side[from].t);
        sched_yield();
    }
    return number;
}

/* Until it is taken; the other one looks now and then, as each waiting rank does. */
static void send_until_taken(uint32_t from, uint32_t to, uint32_t number)
{
    struct ftc_arrival a = {0};

    for (int i = 0; i < PATIENCE; i++) {
        if (send_number(from, to, number))
            return;
        a = (struct ftc_arrival){0};
        ck_assert(!ftc_transport_next(&side[from].t, &a));
        a = (struct ftc_arrival){0};
        ftc_transport_next(&side[to].t, &a); /* what has come before stays */
    }
    ck_abort_msg("no link");
}

/* Until it takes no more; returns how many messages it has taken, from number 0 on. */
static uint32_t fill_link(uint32_t from, uint32_t to)
{
    uint32_t sent = 1;

    send_until_taken(from, to, 0);
    while (send_number(from, to, sent))
        sent++;
    return sent;
}

static void look(uint32_t self)
{
    struct ftc_arrival a = {0};

    while (ftc_transport_next(&side[self].t, &a))
        ;
}

/* By TCP at once. */
static bool is_out(uint32_t self)
{
    for (int i = 0; has_fabric && i < PATIENCE && !ftc_transport_is_out(&side[self].t); i++)
        look(self);
    return ftc_transport_is_out(&side[self].t);
}

START_TEST(a_link_is_made_when_there_is_a_message)
{
    open_all();
    ck_assert(!send_number(0, 1, 7));
    send_until_taken(0, 1, 7);
    ck_assert_int_eq(await(1, 0), 7);
    ck_assert(send_number(1, 0, 8)); /* the same link */
    ck_assert_int_eq(await(0, 1), 8);
    ck_assert_int_eq(ftc_transport_lost(&side[0].t, 0), -1);
}
END_TEST

START_TEST(both_may_begin_at_once)
{
    for (int round = 0; round < 20; round++) {
        bool sent[2] = {false, false};

        open_all();
        for (int i = 0; i < PATIENCE && !(sent[0] && sent[1]); i++) {
            for (uint32_t self = 0; self < 2; self++) {
                struct ftc_arrival a = {0};

                sent[self] = sent[self] || send_number(self, 1 - self, 40 + self);
                if (!sent[0] || !sent[1]) {
                    bool is_early = ftc_transport_next(&side[self].t, &a);

                    ck_assert(!is_early || sent[1 - self]);
                }
            }
        }
        ck_assert(sent[0] && sent[1]);
        ck_assert_int_eq(await(1, 0), 40);
        ck_assert_int_eq(await(0, 1), 41);
        close_all();
    }
}
END_TEST

START_TEST(messages_arrive_in_order_and_a_full_link_takes_none)
{
    uint32_t sent, taken = 0;

    open_all();
    sent = fill_link(0, 1);
    ck_assert_uint_gt(sent, DEPTH);
    ck_assert(is_out(0));
    ck_assert_int_eq(receive(0, 1), -1);
    ck_assert(!send_number(0, 1, sent));
    while (taken < sent)
        ck_assert_int_eq(await(1, 0), (int)taken++);
    ck_assert_int_eq(receive(0, 1), -1); /* but that there is room */
    ck_assert(send_number(0, 1, sent));
    ck_assert_int_eq(await(1, 0), (int)sent);
}
END_TEST

START_TEST(what_is_not_released_stays)
{
    struct ftc_arrival a = {0};

    open_all();
    send_until_taken(0, 1, 0);
    send_until_taken(2, 1, 5);
    for (int i = 0; i < PATIENCE && !(a.wire && a.from == 2); i++) {
        a = (struct ftc_arrival){0};
        while (ftc_transport_next(&side[1].t, &a) && a.from != 2)
            ;
    }
    ck_assert_int_eq(unit_number_of(&a), 5); /* that of rank 0 did not hinder it */
    ftc_transport_release(&side[1].t, &a);
    ck_assert_int_eq(await(1, 0), 0);
}
END_TEST

/* What a dead rank had sent counts as far as it has come; after that nothing comes. */
START_TEST(a_death_is_drained_before_it_is_believed)
{
    struct ftc_arrival a;

    open_all();
    send_until_taken(0, 1, 0);
    ck_assert(send_number(0, 1, 1));
    ftc_transport_finish(&side[0].t);
    ftc_transport_close(&side[0].t);
    ck_assert(ftc_board_mark_failed(&side[1].board, 0, FTC_DEATH_SIGNAL, 9));
    for (int number = 0; number < 2; number++) {
        ck_assert(ftc_transport_next_from(&side[1].t, 0, &a));
        ck_assert_int_eq(unit_number_of(&a), number);
        ftc_transport_release(&side[1].t, &a);
    }
    ck_assert(!ftc_transport_next_from(&side[1].t, 0, &a));
    ck_assert(!send_number(1, 0, 3));
    ck_assert_int_eq(ftc_transport_lost(&side[1].t, 0), -1);
}
END_TEST

START_TEST(a_broken_link_is_no_death_and_is_told_of)
{
    open_all();
    send_until_taken(0, 1, 0);
    ck_assert_int_eq(await(1, 0), 0);
    ftc_transport_close(&side[0].t);
    ck_assert_int_eq(ftc_transport_lost(&side[1].t, 0), -1);
    for (int i = 0; i < PATIENCE && ftc_transport_lost(&side[1].t, 0) < 0; i++) {
        ck_assert_int_eq(receive(1, 0), -1);
        sched_yield();
    }
    ck_assert_int_eq(ftc_transport_lost(&side[1].t, 0), 0);
    ck_assert_int_eq(ftc_transport_lost(&side[1].t, 1000000), -1);
    ck_assert(!send_number(1, 0, 1));
    ck_assert(!ftc_board_is_dead(&side[1].board, 0));
}
END_TEST

/* ---- links that break while both live ---- */

enum { AT_LISTENER = 1, AT_CONNECTOR = 2, AT_BOTH = 3, FD_MAX = 1024 };

static bool port_of(int (*name)(int, struct sockaddr *, socklen_t *), int fd, uint16_t *port)
{
    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;

    if (name(fd, (struct sockaddr *)&address, &size) != 0 || address.sin_family != AF_INET)
        return false;
    *port = ntohs(address.sin_port);
    return true;
}

static bool is_listener(uint16_t port)
{
    return port == side[0].port || port == side[1].port || port == side[2].port;
}

static int get_own(int fd, struct sockaddr *address, socklen_t *size)
{
    return getsockname(fd, address, size);
}

static int get_other(int fd, struct sockaddr *address, socklen_t *size)
{
    return getpeername(fd, address, size);
}

/* Resets the connections that there are, at the ends of who has listened or has connected; the
 * other end hears of it from the kernel. Returns of how many. */
static int reset(int where)
{
    const struct sockaddr none = {.sa_family = AF_UNSPEC};
    uint16_t own, other;
    int count = 0;

    for (int fd = 0; fd < FD_MAX; fd++) {
        if (!port_of(get_own, fd, &own) || !port_of(get_other, fd, &other))
            continue;
        if ((is_listener(own) && (where & AT_LISTENER)) ||
            (is_listener(other) && (where & AT_CONNECTOR))) {
            ck_assert_int_eq(connect(fd, &none, sizeof none), 0);
            count++;
        }
    }
    return count;
}

/* Of a connection that no kernel has answered; 0: there is none. */
static uint16_t port_that_asks(void)
{
    struct tcp_info info;
    uint16_t own;

    for (int fd = 0; fd < FD_MAX; fd++) {
        socklen_t size = sizeof info;

        if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
            info.tcpi_state == TCP_SYN_SENT && port_of(get_own, fd, &own))
            return own;
    }
    return 0;
}

/* The kernel answers nobody at the listener of @rank until that accepts the one who is before it.
 */
static void block_listener(uint32_t rank)
{
    struct ftc_address address = loopback();
    uint16_t port;
    int fd;

    ck_assert_int_eq(listen(side[rank].listener, 0), 0);
    fd = ftc_socket_connect(&address, side[rank].port);
    ck_assert_int_ge(fd, 0);
    while (!port_of(get_other, fd, &port))
        sched_yield();
}

/* How many of the connections to the listener of @rank there are at one of their ends. */
static int connections_to(uint32_t rank, int where)
{
    uint16_t own, other;
    int count = 0;

    for (int fd = 0; fd < FD_MAX; fd++) {
        if (!port_of(get_own, fd, &own) || !port_of(get_other, fd, &other))
            continue;
        count += (where == AT_LISTENER ? own : other) == side[rank].port;
    }
    return count;
}

static void receive_next(uint32_t self, uint32_t from, uint32_t *taken)
{
    int number = receive(self, from);

    if (number >= 0)
        ck_assert_int_eq(number, (int)(*taken)++);
}

static int break_link(uint32_t *seed)
{
    return unit_draw(seed, 50) == 0 ? reset((int)unit_draw(seed, 3) + 1) > 0 : 0;
}

/* Two exchange @messages in small steps, in an order that is @seed's; @harm, between the steps,
 * says what it has broken. Returns how much that was. */
static int exchange(uint32_t messages, uint32_t seed, int (*harm)(uint32_t *seed))
{
    uint32_t sent[2] = {0, 0}, taken[2] = {0, 0};
    int breaks = 0;

    open_all();
    for (int i = 0; i < PATIENCE && (taken[0] < messages || taken[1] < messages); i++) {
        uint32_t self = unit_draw(&seed, 2);

        if (sent[self] < messages && unit_draw(&seed, 2) == 0)
            sent[self] += send_number(self, 1 - self, sent[self]);
        else
            receive_next(self, 1 - self, &taken[1 - self]);
        breaks += harm(&seed);
    }
    for (int self = 0; self < 2; self++)
        ck_assert_uint_eq(taken[self], messages);
    ck_assert_int_eq(receive(0, 1), -1);
    ck_assert_int_eq(receive(1, 0), -1);
    close_all();
    return breaks;
}

START_TEST(a_link_that_breaks_again_and_again_loses_and_doubles_nothing)
{
    enum { MESSAGES = 2000, BREAKS = 30, SEEDS = 2 };
    int breaks = 0;

    for (uint32_t seed = 1; seed <= SEEDS; seed++)
        breaks += exchange(MESSAGES, seed, break_link);
    ck_assert_int_gt(breaks, BREAKS);
    open_all();
}
END_TEST

/* Many are under way, none of which was taken. */
START_TEST(a_full_link_breaks)
{
    uint32_t sent, taken = 0;

    open_all();
    sent = fill_link(0, 1);
    for (int where = AT_LISTENER; where <= AT_BOTH; where++) {
        ck_assert_int_gt(reset(where), 0);
        look(0);
        ck_assert(!ftc_transport_is_out(&side[0].t)); /* it is to be sent again */
        ck_assert(!send_number(0, 1, sent));
        for (int i = 0; i < PATIENCE && !ftc_transport_is_out(&side[0].t); i++) {
            look(1);
            look(0);
        }
        ck_assert(ftc_transport_is_out(&side[0].t));
    }
    while (taken < sent)
        ck_assert_int_eq(await(1, 0), (int)taken++);
    ck_assert_int_eq(receive(1, 0), -1);
}
END_TEST

START_TEST(who_is_gone_for_too_long_is_told_of_however_often_it_is_tried)
{
    open_all();
    send_until_taken(0, 1, 0);
    reset(AT_BOTH);
    close(side[0].listener); /* it does not answer any more */
    for (int i = 0; i < PATIENCE && ftc_transport_lost(&side[1].t, 100) < 0; i++)
        look(1);
    ck_assert_int_eq(ftc_transport_lost(&side[1].t, 100), 0);
}
END_TEST

/* How long this process has had no core. */
static struct {
    uint64_t seen_ns;
    int ms;
} stall;

static void note_stall(void)
{
    enum { NS_OF_MS = 1000000, PAUSE_MS = 5 /* at most, of a process that has a core */ };
    uint64_t now = ftc_clock_ns();
    int ms = (int)((now - stall.seen_ns) / NS_OF_MS);

    stall.ms += ms > PAUSE_MS ? ms : 0;
    stall.seen_ns = now;
}

/* Which rank side 0 takes for lost after @ms in which this process had a core. */
static int lost_after(int ms)
{
    int before, lost;

    do {
        before = stall.ms;
        lost = ftc_transport_lost(&side[0].t, ms + stall.ms);
        note_stall();
    } while (lost >= 0 && stall.ms > before);
    return lost;
}

START_TEST(a_rank_that_does_not_look_after_a_break_is_not_lost)
{
    open_all();
    send_until_taken(0, 1, 0);
    reset(AT_BOTH);
    stall.seen_ns = ftc_clock_ns();
    stall.ms = 0;
    for (int i = 0; i < 300; i++) {
        look(0);
        ck_assert_int_eq(lost_after(50), -1);
        usleep(1000);
    }
    for (int i = 0; i < PATIENCE && !ftc_transport_is_out(&side[0].t); i++) {
        look(1);
        look(0);
    }
    ck_assert_int_eq(await(1, 0), 0);
}
END_TEST

START_TEST(who_leaves_is_not_waited_for)
{
    open_all();
    send_until_taken(0, 1, 0);
    ck_assert(ftc_transport_finish(&side[0].t));
    ftc_transport_close(&side[0].t);
    ck_assert_int_eq(await(1, 0), 0);
    for (int i = 0; i < 100; i++) {
        look(1);
        ck_assert_int_eq(ftc_transport_lost(&side[1].t, 0), -1);
        usleep(100);
    }
    ck_assert(send_number(1, 0, 1)); /* it does not need it */
    ck_assert(ftc_transport_is_out(&side[1].t));
}
END_TEST

START_TEST(nobody_leaves_while_another_needs_what_was_lost)
{
    open_all();
    send_until_taken(0, 1, 0);
    await(1, 0);
    ck_assert(send_number(0, 1, 1));
    reset(AT_LISTENER);
    ck_assert(!ftc_transport_finish(&side[0].t)); /* rank 1 does not look */
    for (int i = 0; i < PATIENCE && !ftc_transport_is_out(&side[0].t); i++) {
        look(1);
        look(0);
    }
    ck_assert(ftc_transport_finish(&side[0].t));
    ftc_transport_close(&side[0].t);
    ck_assert_int_eq(await(1, 0), 1);
}
END_TEST

/* Rank 1, which has not ended MPI yet, closes what rank 0 has left, while that is kept by rank 2.
 */
START_TEST(who_has_left_does_not_come_back)
{
    open_all();
    send_until_taken(0, 2, 0);
    ck_assert_int_eq(await(2, 0), 0);
    ck_assert(send_number(0, 2, 1));
    reset(AT_LISTENER);
    send_until_taken(0, 1, 0);
    ck_assert_int_eq(await(1, 0), 0);
    ck_assert(!ftc_transport_finish(&side[0].t)); /* rank 2 does not look */
    while (connections_to(1, AT_LISTENER) > 0)
        look(1);
    while (connections_to(1, AT_CONNECTOR) > 0)
        look(0);
    ck_assert_int_eq(ftc_transport_lost(&side[0].t, 0), -1);
    for (int i = 0; i < PATIENCE && !ftc_transport_is_out(&side[0].t); i++) {
        look(2);
        look(0);
    }
    ck_assert(ftc_transport_finish(&side[0].t));
    ck_assert_int_eq(connections_to(1, AT_CONNECTOR), 0);
    ck_assert_int_eq(await(2, 0), 1);
}
END_TEST

START_TEST(a_rank_that_is_dead_is_not_reached_again)
{
    struct ftc_arrival a;

    open_all();
    send_until_taken(0, 1, 0);
    ck_assert(send_number(0, 1, 1));
    reset(AT_LISTENER);
    look(0);
    ck_assert(ftc_board_mark_failed(&side[1].board, 0, FTC_DEATH_SIGNAL, 9));
    while (ftc_transport_next_from(&side[1].t, 0, &a))
        ftc_transport_release(&side[1].t, &a);
    for (int i = 0; i < 100; i++) {
        look(0);
        ck_assert_int_eq(receive(1, 0), -1);
        usleep(100);
    }
    ck_assert_int_eq(ftc_transport_lost(&side[1].t, 0), -1);
    ck_assert(ftc_transport_is_out(&side[1].t));
}
END_TEST

START_TEST(a_rank_that_does_not_look_is_not_lost)
{
    struct ftc_arrival a = {0};

    open_all();
    for (int i = 0; i < 100; i++) { /* rank 1 computes */
        ck_assert(!send_number(0, 1, 0));
        a = (struct ftc_arrival){0};
        ck_assert(!ftc_transport_next(&side[0].t, &a));
        sched_yield();
    }
    ck_assert_int_eq(ftc_transport_lost(&side[0].t, 0), -1);
}
END_TEST

/* The kernel itself asks again after a second, and then less and less often. */
START_TEST(a_first_connection_that_is_not_answered_is_made_anew)
{
    uint16_t first;

    open_all();
    block_listener(1);
    ck_assert(!send_number(0, 1, 7)); /* and it is not offered again */
    first = port_that_asks();
    ck_assert_uint_ne(first, 0);
    while (port_that_asks() == first)
        look(0);
    ck_assert_uint_ne(port_that_asks(), 0);
    while (!send_number(0, 1, 7)) {
        look(0);
        look(1);
    }
    ck_assert_int_eq(await(1, 0), 7);
}
END_TEST

START_TEST(nobody_of_another_job_gets_in)
{
    static const uint64_t other_key[2] = {17, 5};
    struct ftc_arrival a;

    open_all_with(other_key);
    for (int i = 0; i < 100; i++) {
        ck_assert(!send_number(2, 1, 0));
        a = (struct ftc_arrival){0};
        ck_assert(!ftc_transport_next(&side[2].t, &a));
        a = (struct ftc_arrival){0};
        ck_assert(!ftc_transport_next(&side[1].t, &a));
        sched_yield();
    }
    send_until_taken(0, 1, 3); /* the others do */
    ck_assert_int_eq(await(1, 0), 3);
}
END_TEST

/* Many who say nothing keep nobody out. */
START_TEST(half_open_connections_keep_nobody_out)
{
    struct ftc_address address = loopback();
    struct ftc_arrival a;

    open_all();
    for (int i = 0; i < 200; i++) {
        ck_assert_int_ge(ftc_socket_connect(&address, side[1].port), 0);
        a = (struct ftc_arrival){0};
        ck_assert(!ftc_transport_next(&side[1].t, &a));
    }
    send_until_taken(0, 1, 3);
    ck_assert_int_eq(await(1, 0), 3);
}
END_TEST

/* ---- ranks that compute ---- */

/* One of whose rank only the thread looks at links. */
static struct {
    pthread_t thread;
    pthread_mutex_t lock;
    bool is_ending;
    uint32_t self;
} computing = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *look_after_links(void *unused)
{
    struct ftc_transport *t = &side[computing.self].t;

    (void)unused;
    for (bool soon = false, is_ending = false; !is_ending;) {
        ftc_transport_await_links(t, soon);
        pthread_mutex_lock(&computing.lock);
        soon = ftc_transport_look_at_links(t);
        is_ending = computing.is_ending;
        pthread_mutex_unlock(&computing.lock);
    }
    return NULL;
}

static void begin_to_compute(uint32_t self)
{
    computing.self = self;
    computing.is_ending = false;
    ck_assert_int_eq(pthread_create(&computing.thread, NULL, look_after_links, NULL), 0);
}

static void end_computing(void)
{
    pthread_mutex_lock(&computing.lock);
    computing.is_ending = true;
    ftc_transport_wake_links(&side[computing.self].t);
    pthread_mutex_unlock(&computing.lock);
    pthread_join(computing.thread, NULL);
}

/* Whether a wait that is to be short lasts: nothing ends it before. */
static bool is_quiet(uint32_t self)
{
    enum { SHORT_NS = 9000000 };
    uint64_t before;

    ftc_transport_await_links(&side[self].t, true); /* what was rung before */
    before = ftc_clock_ns();
    ftc_transport_await_links(&side[self].t, true);
    return ftc_clock_ns() - before >= SHORT_NS;
}

START_TEST(who_computes_is_reached_and_not_disturbed)
{
    uint32_t sent = 1, taken = 0;

    open_all();
    begin_to_compute(1);
    while (!send_number(0, 1, 0)) {
        look(0);
        sched_yield();
    }
    ck_assert(ftc_transport_is_out(&side[0].t));
    end_computing();
    look(1); /* at what the thread had no time for */
    while (send_number(0, 1, sent))
        sent++;
    ck_assert_uint_gt(sent, DEPTH);
    ck_assert(is_quiet(1)); /* they can wait */
    while (taken < sent)
        ck_assert_int_eq(await(1, 0), (int)taken++);
}
END_TEST

/* Each of the two at its end, which one has opened and the other has let in. */
START_TEST(who_computes_notices_a_break)
{
    for (uint32_t self = 0; self < 2; self++) {
        open_all();
        send_until_taken(0, 1, 0);
        ck_assert_int_eq(await(1, 0), 0);
        ck_assert(is_quiet(self));
        reset(self == 0 ? AT_CONNECTOR : AT_LISTENER);
        ftc_transport_await_links(&side[self].t, false);
        ck_assert(ftc_transport_look_at_links(&side[self].t));
        ck_assert_int_eq(connections_to(1 - self, AT_CONNECTOR), 1);
        if (self == 0)
            close_all();
    }
}
END_TEST

/* It was in a call when it noticed, and there is nobody to connect to yet. */
START_TEST(who_computes_goes_on_to_mend)
{
    open_all();
    send_until_taken(0, 1, 0);
    ck_assert_int_eq(await(1, 0), 0);
    ck_assert(is_quiet(1));
    close(side[0].listener);
    reset(AT_BOTH);
    while (ftc_transport_lost(&side[1].t, 1) < 0)
        look(1);
    look(1); /* the attempt is over */
    ftc_transport_await_links(&side[1].t, false);
    ck_assert(ftc_transport_look_at_links(&side[1].t));
}
END_TEST

START_TEST(who_computes_sends_again_what_was_lost)
{
    enum { MESSAGES = 5 };

    open_all();
    send_until_taken(0, 1, 7);
    ck_assert_int_eq(await(1, 0), 7);
    for (uint32_t i = 0; i < MESSAGES; i++)
        ck_assert(send_number(1, 0, i));
    ck_assert(ftc_transport_is_out(&side[1].t));
    reset(AT_BOTH);
    begin_to_compute(1);
    for (int i = 0; i < MESSAGES; i++) {
        int number;

        while ((number = receive(0, 1)) < 0)
            sched_yield();
        ck_assert_int_eq(number, i);
    }
    end_computing();
}
END_TEST

/* Nobody can be let in: that is no reason to look again and again. */
START_TEST(who_has_no_descriptor_left_waits)
{
    enum { ROUNDS = 20, FEW = 3 }; /* fewer than there are */
    struct rlimit limit;
    struct ftc_address address = loopback();

    open_all();
    ck_assert_int_ge(ftc_socket_connect(&address, side[1].port), 0);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){FEW, limit.rlim_max}), 0);
    for (int i = 0; i < ROUNDS; i++) {
        ftc_transport_await_links(&side[1].t, true); /* valgrind takes who comes, and closes it */
        ftc_transport_look_at_links(&side[1].t);
    }
    ck_assert(is_quiet(1));
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    send_until_taken(0, 1, 3);
    ck_assert_int_eq(await(1, 0), 3);
}
END_TEST

/* ---- UCX ---- */

/* Until messages of both go by UCX. */
static void use_ucx(uint32_t one, uint32_t other)
{
    for (int i = 0; i < PATIENCE && (ftc_transport_count_links(&side[one].t).by_ucx == 0 ||
                                     ftc_transport_count_links(&side[other].t).by_ucx == 0);
         i++) {
        look(one);
        look(other);
    }
    ck_assert_uint_eq(ftc_transport_count_links(&side[one].t).by_ucx, 1);
    ck_assert_uint_eq(ftc_transport_count_links(&side[other].t).by_ucx, 1);
}

static void open_with_ucx(void)
{
    open_all();
    send_until_taken(0, 1, 0);
    ck_assert_int_eq(await(1, 0), 0);
    use_ucx(0, 1);
}

/* UCX tells nobody that it has something to say. */
START_TEST(who_computes_looks_at_ucx)
{
    open_with_ucx();
    for (int i = 0; i < 3; i++)
        ftc_transport_await_links(&side[1].t, false); /* comes back */
    ck_assert(is_quiet(1));
}
END_TEST

START_TEST(messages_go_by_ucx)
{
    uint64_t before;

    open_with_ucx();
    before = unit_fabric_brought();
    for (uint32_t i = 1; i < 1000; i++) {
        send_until_taken(0, 1, i);
        ck_assert_int_eq(await(1, 0), (int)i);
        send_until_taken(1, 0, i);
        ck_assert_int_eq(await(0, 1), (int)i);
    }
    ck_assert_uint_gt(unit_fabric_brought() - before, 2000 * UNIT_VALUE_BYTES);
    send_until_taken(0, 2, 7); /* and each pair has its own */
    ck_assert_int_eq(await(2, 0), 7);
}
END_TEST

/* As long as it is held nothing comes, and what was sent comes all the same, by TCP. */
START_TEST(what_does_not_get_out_by_ucx_goes_by_tcp)
{
    open_with_ucx();
    unit_fabric_hold(true);
    for (uint32_t i = 1; i <= 5; i++)
        send_until_taken(0, 1, i);
    ck_assert(!ftc_transport_is_out(&side[0].t));
    for (uint32_t i = 1; i <= 5; i++) {
        int number = -1;

        while ((number = receive(1, 0)) < 0) {
            look(0);
            usleep(100);
        }
        ck_assert_int_eq(number, (int)i);
    }
    while (!ftc_transport_is_out(&side[0].t))
        look(0);
    ck_assert_uint_eq(ftc_transport_count_links(&side[0].t).by_ucx, 0);
}
END_TEST

START_TEST(a_broken_ucx_path_is_no_broken_link)
{
    open_with_ucx();
    for (uint32_t i = 1; i <= 5; i++)
        send_until_taken(1, 0, i);
    ck_assert_int_gt(unit_fabric_break(), 0);
    for (uint32_t i = 1; i <= 5; i++) {
        look(1);
        ck_assert_int_eq(await(0, 1), (int)i);
    }
    while (ftc_transport_count_links(&side[0].t).by_ucx +
               ftc_transport_count_links(&side[1].t).by_ucx >
           0) {
        look(0);
        look(1);
    }
    send_until_taken(0, 1, 6);
    ck_assert_int_eq(await(1, 0), 6);
}
END_TEST

/* Whose tail is lost when he has left. */
START_TEST(who_leaves_leaves_nothing_in_ucx)
{
    open_with_ucx();
    for (uint32_t i = 1; i <= 5; i++)
        send_until_taken(0, 1, i);
    ck_assert(is_out(0)); /* but not there */
    ck_assert(ftc_transport_finish(&side[0].t));
    ftc_transport_close(&side[0].t);
    for (uint32_t i = 1; i <= 5; i++)
        ck_assert_int_eq(await(1, 0), (int)i);
    ck_assert(send_number(1, 0, 1)); /* it does not need it */
}
END_TEST

/* Who says something else first is not heard. */
START_TEST(a_stranger_by_ucx_is_not_heard)
{
    open_all();
    unit_fabric_garble();
    send_until_taken(0, 1, 0);
    ck_assert_int_eq(await(1, 0), 0);
    for (uint32_t i = 1; i <= 100; i++) {
        send_until_taken(0, 1, i);
        send_until_taken(1, 0, i);
        ck_assert_int_eq(await(1, 0), (int)i);
        ck_assert_int_eq(await(0, 1), (int)i);
    }
    for (int i = 0; i < 1000; i++) {
        look(0);
        look(1);
    }
    ck_assert_uint_eq(ftc_transport_count_links(&side[0].t).by_ucx, 0);
    ck_assert_uint_eq(ftc_transport_count_links(&side[1].t).by_ucx, 0);
}
END_TEST

START_TEST(with_who_has_no_ucx_it_goes_by_tcp)
{
    uint64_t before = unit_fabric_brought();

    open_all();
    ftc_transport_close(&side[1].t);
    has_fabric = false;
    side[1].listener = ftc_socket_listen(
        &(struct ftc_address){.family = AF_INET, .bytes = {127, 0, 0, 1}}, &side[1].port);
    ck_assert_int_eq(ftc_transport_open(&side[1].t, &side[1].board, 1), 0);
    ck_assert_int_eq(ftc_transport_link(&side[1].t, side[1].listener, NULL), 0);
    ftc_directory_set_rank(&side[0].board, 1,
                           &(struct ftc_directory_rank){.host = 1, .link_port = side[1].port});
    for (uint32_t i = 0; i < 100; i++) {
        send_until_taken(0, 1, i);
        ck_assert_int_eq(await(1, 0), (int)i);
        send_until_taken(1, 0, i);
        ck_assert_int_eq(await(0, 1), (int)i);
    }
    ck_assert_uint_eq(unit_fabric_brought(), before);
}
END_TEST

static int break_ucx(uint32_t *seed)
{
    return unit_draw(seed, 2000) == 0 ? unit_fabric_break() : 0;
}

static int break_ucx_and_links(uint32_t *seed)
{
    if (unit_draw(seed, 3000) == 0)
        reset((int)unit_draw(seed, 3) + 1);
    return break_ucx(seed);
}

START_TEST(ucx_and_links_that_break_lose_and_double_nothing)
{
    enum { MESSAGES = 1000, SEEDS = 12 };
    uint64_t before = unit_fabric_brought();
    int breaks = 0;

    for (uint32_t seed = 1; seed <= SEEDS; seed++)
        breaks += exchange(MESSAGES, seed, seed % 2 == 0 ? break_ucx_and_links : break_ucx);
    ck_assert_int_gt(breaks, SEEDS / 2);
    ck_assert_uint_gt(unit_fabric_brought(), before + SEEDS * MESSAGES);
    open_all();
}
END_TEST

static void by_tcp(void)
{
    has_fabric = false;
}

static void with_ucx(void)
{
    has_fabric = true;
}

static void add_tests(TCase *unit_case)
{
    UNIT_TEST(a_link_is_made_when_there_is_a_message);
    UNIT_TEST(both_may_begin_at_once);
    UNIT_TEST(messages_arrive_in_order_and_a_full_link_takes_none);
    UNIT_TEST(what_is_not_released_stays);
    UNIT_TEST(a_death_is_drained_before_it_is_believed);
    UNIT_TEST(a_broken_link_is_no_death_and_is_told_of);
    UNIT_TEST(a_link_that_breaks_again_and_again_loses_and_doubles_nothing);
    UNIT_TEST(a_full_link_breaks);
    UNIT_TEST(who_is_gone_for_too_long_is_told_of_however_often_it_is_tried);
    UNIT_TEST(a_rank_that_does_not_look_after_a_break_is_not_lost);
    UNIT_TEST(who_leaves_is_not_waited_for);
    UNIT_TEST(nobody_leaves_while_another_needs_what_was_lost);
    UNIT_TEST(who_has_left_does_not_come_back);
    UNIT_TEST(a_rank_that_is_dead_is_not_reached_again);
    UNIT_TEST(a_rank_that_does_not_look_is_not_lost);
    UNIT_TEST(a_first_connection_that_is_not_answered_is_made_anew);
    UNIT_TEST(nobody_of_another_job_gets_in);
    UNIT_TEST(half_open_connections_keep_nobody_out);
}

int main(void)
{
    UNIT_BEGIN("link");
    tcase_add_checked_fixture(unit_case, by_tcp, close_all);
    add_tests(unit_case);
    UNIT_TEST(who_computes_is_reached_and_not_disturbed);
    UNIT_TEST(who_computes_notices_a_break);
    UNIT_TEST(who_computes_goes_on_to_mend);
    UNIT_TEST(who_computes_sends_again_what_was_lost);
    UNIT_TEST(who_has_no_descriptor_left_waits);
    suite_add_tcase(unit_suite, unit_case);
    unit_case = tcase_create("ucx");
    tcase_set_timeout(unit_case, 300);
    tcase_add_checked_fixture(unit_case, with_ucx, close_all);
    add_tests(unit_case);
    UNIT_TEST(who_computes_looks_at_ucx);
    UNIT_TEST(messages_go_by_ucx);
    UNIT_TEST(what_does_not_get_out_by_ucx_goes_by_tcp);
    UNIT_TEST(a_broken_ucx_path_is_no_broken_link);
    UNIT_TEST(who_leaves_leaves_nothing_in_ucx);
    UNIT_TEST(a_stranger_by_ucx_is_not_heard);
    UNIT_TEST(with_who_has_no_ucx_it_goes_by_tcp);
    UNIT_TEST(ucx_and_links_that_break_lose_and_double_nothing);
    UNIT_END();
}
