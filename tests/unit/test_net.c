/* Connections between hosts: who is let in, and what is taken for a frame. */
#include "board/publication.h"
#include "net/connection.h"
#include "net/siphash.h"
#include "net/socket.h"
#include "transport/query_reply.h"
#include "unit_board.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANKS = 4, LISTENS = 2, CONNECTS = 1, FRAME_MAX = 256 };

static const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
static const uint64_t other_key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0909};

/* ---- the hash ---- */

/* Source: vectors_sip64 of the authors' reference, and appendix A of their paper. */
START_TEST(hash_is_that_of_its_authors)
{
    unsigned char text[16];

    for (unsigned char i = 0; i < sizeof text; i++)
        text[i] = i;
    ck_assert_uint_eq(ftc_siphash(key, text, 0), 0x726fdb47dd0e0e31);
    ck_assert_uint_eq(ftc_siphash(key, text, 1), 0x74f839c593dc67fd);
    ck_assert_uint_eq(ftc_siphash(key, text, 8), 0x93f5f5799a932462);
    ck_assert_uint_eq(ftc_siphash(key, text, 15), 0xa129ca6149be45e5);
}
END_TEST

/* ---- the handshake ---- */

struct both {
    struct ftc_handshake connects, listens;
    struct ftc_challenge challenge;
    struct ftc_proof proof;
};

/* As far as the proof. */
static bool go_through(struct both *b, const uint64_t listens[2], const uint64_t connects[2])
{
    memcpy(b->connects.key, connects, sizeof b->connects.key);
    memcpy(b->listens.key, listens, sizeof b->listens.key);
    ck_assert(ftc_handshake_greet(&b->connects, FTC_PURPOSE_LINK, CONNECTS, LISTENS));
    ck_assert(
        ftc_handshake_challenge(&b->listens, &b->connects.greeting, LISTENS, RANKS, &b->challenge));
    return ftc_handshake_prove(&b->connects, &b->challenge, &b->proof);
}

START_TEST(those_of_one_job_recognise_each_other)
{
    struct both b = {0};
    struct ftc_reply reply;

    ck_assert(go_through(&b, key, key));
    ck_assert(ftc_handshake_is_proved(&b.listens, &b.proof));
    reply = ftc_handshake_reply(&b.listens, FTC_WELCOME);
    ck_assert_int_eq(ftc_handshake_read_reply(&b.connects, &reply), FTC_WELCOME);
    reply = ftc_handshake_reply(&b.listens, FTC_NOT_NOW);
    ck_assert_int_eq(ftc_handshake_read_reply(&b.connects, &reply), FTC_NOT_NOW);
    reply.tag++;
    ck_assert_int_eq(ftc_handshake_read_reply(&b.connects, &reply), FTC_NOT_OURS);
}
END_TEST

START_TEST(those_of_another_job_do_not)
{
    struct both b = {0};

    ck_assert(!go_through(&b, key, other_key));
    ck_assert(!ftc_handshake_is_proved(&b.listens, &b.proof));
}
END_TEST

/* What was heard on the wire once is of no use, nor is what the other side said itself. */
START_TEST(what_was_overheard_proves_nothing)
{
    struct both first = {0}, again = {0};
    struct ftc_proof reflected;

    ck_assert(go_through(&first, key, key));
    memcpy(again.listens.key, key, sizeof key);
    ck_assert(ftc_handshake_challenge(&again.listens, &first.connects.greeting, LISTENS, RANKS,
                                      &again.challenge));
    ck_assert(!ftc_handshake_is_proved(&again.listens, &first.proof));
    reflected.tag = again.challenge.tag;
    ck_assert(!ftc_handshake_is_proved(&again.listens, &reflected));
}
END_TEST

START_TEST(a_greeting_names_two_ranks_of_the_job)
{
    struct ftc_handshake h = {0};
    struct ftc_challenge challenge;
    struct ftc_greeting good, bad;

    ck_assert(ftc_handshake_greet(&h, FTC_PURPOSE_UPDATES, CONNECTS, LISTENS));
    good = h.greeting;
    bad = good;
    bad.magic ^= 1;
    ck_assert(!ftc_handshake_challenge(&h, &bad, LISTENS, RANKS, &challenge));
    bad = good;
    bad.purpose = 0;
    ck_assert(!ftc_handshake_challenge(&h, &bad, LISTENS, RANKS, &challenge));
    bad = good;
    bad.from = RANKS;
    ck_assert(!ftc_handshake_challenge(&h, &bad, LISTENS, RANKS, &challenge));
    bad = good;
    bad.from = LISTENS;
    ck_assert(!ftc_handshake_challenge(&h, &bad, LISTENS, RANKS, &challenge));
    ck_assert(!ftc_handshake_challenge(&h, &good, LISTENS + 1, RANKS, &challenge));
    ck_assert(ftc_handshake_challenge(&h, &good, LISTENS, RANKS, &challenge));
}
END_TEST

/* ---- connections ---- */

struct pair {
    int listener;
    struct ftc_connection connects, listens;
};

static struct ftc_address loopback(void)
{
    return (struct ftc_address){.family = AF_INET, .bytes = {127, 0, 0, 1}};
}

static void await(int fd, short events)
{
    struct pollfd p = {.fd = fd, .events = events};

    ck_assert_int_eq(poll(&p, 1, 10000), 1);
}

static struct pair knock(const uint64_t own_key[2])
{
    struct ftc_handshake who = {.key = {own_key[0], own_key[1]}};
    struct ftc_address address = loopback();
    struct pair p;
    uint16_t port;

    p.listener = ftc_socket_listen(&address, &port);
    ck_assert_int_ge(p.listener, 0);
    ck_assert(ftc_handshake_greet(&who, FTC_PURPOSE_LINK, CONNECTS, LISTENS));
    ftc_connection_connect(&p.connects, &address, port, &who, FRAME_MAX);
    await(p.listener, POLLIN);
    ftc_connection_accept(&p.listens, ftc_socket_accept(p.listener), key);
    return p;
}

static void leave(struct pair *p)
{
    ftc_connection_close(&p->connects);
    ftc_connection_close(&p->listens);
    close(p->listener);
}

static void await_either(const struct pair *p)
{
    struct pollfd both[] = {{.fd = p->connects.fd, .events = POLLIN},
                            {.fd = p->listens.fd, .events = POLLIN}};

    ck_assert_int_ge(poll(both, 2, 10000), 1);
}

/* Until the one that listens is asked, or one of them is lost. */
static void shake_hands(struct pair *p)
{
    for (;;) {
        ftc_connection_progress(&p->connects, CONNECTS, RANKS);
        ftc_connection_progress(&p->listens, LISTENS, RANKS);
        if (p->listens.state == FTC_CONNECTION_ASKS || p->listens.state == FTC_CONNECTION_LOST)
            return;
        await_either(p);
    }
}

static struct pair open_pair(void)
{
    struct pair p = knock(key);

    shake_hands(&p);
    ck_assert_int_eq(p.listens.state, FTC_CONNECTION_ASKS);
    ftc_connection_answer(&p.listens, FTC_WELCOME, FRAME_MAX);
    await(p.connects.fd, POLLIN);
    ftc_connection_progress(&p.connects, CONNECTS, RANKS);
    ck_assert_int_eq(p.connects.state, FTC_CONNECTION_OPEN);
    return p;
}

static void send_text(struct ftc_connection *c, uint64_t number, const char *text)
{
    struct ftc_frame *frame = ftc_connection_begin(c, 1, number, strlen(text) + 1);

    ck_assert_ptr_nonnull(frame);
    strcpy((char *)frame->body, text);
    ftc_connection_send(c);
}

START_TEST(frames_arrive_whole_and_in_order)
{
    struct pair p = open_pair();
    const struct ftc_frame *frame;

    for (uint64_t i = 0; i < 1000; i++) {
        send_text(&p.connects, i, i % 3 ? "a" : "a longer one, of more than one alignment");
        send_text(&p.connects, i, "behind it");
        for (int k = 0; k < 2; k++) {
            while (!(frame = ftc_connection_next(&p.listens))) {
                await(p.listens.fd, POLLIN);
                ftc_connection_progress(&p.listens, LISTENS, RANKS);
            }
            ck_assert_uint_eq(frame->number, i);
            ck_assert_uint_eq((uintptr_t)frame->body % FTC_FRAME_ALIGNMENT, 0);
            ck_assert_int_eq(frame->body[0], k ? 'b' : 'a');
            ftc_connection_drop(&p.listens);
        }
    }
    leave(&p);
}
END_TEST

/* A reader that does not read: what is not taken is not lost. */
START_TEST(there_is_no_room_until_somebody_reads)
{
    struct pair p = open_pair();
    struct ftc_frame *frame;
    uint64_t sent = 0, taken = 0;

    while ((frame = ftc_connection_begin(&p.connects, 1, sent, 100))) {
        memset(frame->body, 7, 100);
        ftc_connection_send(&p.connects);
        sent++;
    }
    ck_assert(ftc_connection_has_unsent(&p.connects));
    while (taken < sent) {
        const struct ftc_frame *next = ftc_connection_next(&p.listens);

        if (next) {
            ck_assert_uint_eq(next->number, taken);
            taken++;
            ftc_connection_drop(&p.listens);
            continue;
        }
        ftc_connection_progress(&p.connects, CONNECTS, RANKS);
        await(p.listens.fd, POLLIN);
        ftc_connection_progress(&p.listens, LISTENS, RANKS);
    }
    leave(&p);
}
END_TEST

START_TEST(without_the_key_nobody_comes_in)
{
    struct pair p = knock(other_key);

    shake_hands(&p);
    ck_assert_int_eq(p.listens.state, FTC_CONNECTION_LOST);
    ftc_connection_progress(&p.connects, CONNECTS, RANKS);
    ck_assert_int_eq(p.connects.state, FTC_CONNECTION_LOST);
    leave(&p);
}
END_TEST

START_TEST(who_is_not_wanted_now_is_told)
{
    struct pair p = knock(key);

    shake_hands(&p);
    ftc_connection_answer(&p.listens, FTC_NOT_NOW, FRAME_MAX);
    ck_assert_int_eq(p.listens.state, FTC_CONNECTION_NONE);
    await(p.connects.fd, POLLIN);
    ftc_connection_progress(&p.connects, CONNECTS, RANKS);
    ck_assert_int_eq(p.connects.state, FTC_CONNECTION_REFUSED);
    leave(&p);
}
END_TEST

/* Nothing and what is lost are replaced, and what has been on its way for longer than a second. */
START_TEST(a_new_connection_is_wanted_in_place_of_one_that_is_stuck)
{
    const uint64_t second_ns = 1000000000;
    struct ftc_connection none = {.fd = -1}, lost = {.state = FTC_CONNECTION_LOST, .fd = -1};
    struct pair stuck = knock(key), open = open_pair();
    uint64_t since_ns = stuck.connects.since_ns;

    ck_assert(ftc_connection_look_after(&none, 1, second_ns));
    ck_assert(ftc_connection_look_after(&lost, 1, second_ns));
    ck_assert(!ftc_connection_look_after(&open.connects, UINT64_MAX, second_ns));
    /* A time that was read before it began. */
    ck_assert(!ftc_connection_look_after(&stuck.connects, since_ns - 1, second_ns));
    ck_assert(!ftc_connection_look_after(&stuck.connects, since_ns + second_ns, second_ns));
    ck_assert_int_eq(stuck.connects.state, FTC_CONNECTION_GREETED);
    ck_assert(ftc_connection_look_after(&stuck.connects, since_ns + second_ns + 1, second_ns));
    ck_assert_int_eq(stuck.connects.state, FTC_CONNECTION_NONE);
    leave(&stuck);
    leave(&open);
}
END_TEST

static struct ftc_connection guest(enum ftc_connection_state state, uint64_t since_ns)
{
    return (struct ftc_connection){.state = state, .fd = -1, .since_ns = since_ns};
}

/* Strangers cannot get past the greeting: they go before somebody who is on his way. */
START_TEST(who_has_come_less_far_makes_room_first)
{
    struct ftc_connection old = guest(FTC_CONNECTION_ACCEPTED, 1),
                          young = guest(FTC_CONNECTION_ACCEPTED, 2),
                          far = guest(FTC_CONNECTION_CHALLENGED, 0);

    ck_assert(ftc_connection_goes_before(&old, &young));
    ck_assert(!ftc_connection_goes_before(&young, &old));
    ck_assert(ftc_connection_goes_before(&young, &far));
    ck_assert(!ftc_connection_goes_before(&far, &old));
}
END_TEST

START_TEST(a_guest_has_two_seconds_to_prove_itself)
{
    const uint64_t limit_ns = 2000000000;
    struct ftc_connection c = guest(FTC_CONNECTION_CHALLENGED, 7);

    ck_assert(!ftc_connection_is_over(&c, 7 + limit_ns));
    ck_assert(ftc_connection_is_over(&c, 8 + limit_ns));
    c.state = FTC_CONNECTION_OPEN;
    ck_assert(!ftc_connection_is_over(&c, 8 + limit_ns));
    c.state = FTC_CONNECTION_LOST;
    ck_assert(ftc_connection_is_over(&c, 7));
}
END_TEST

static void write_raw(struct ftc_connection *c, const struct ftc_frame *head)
{
    ck_assert_int_eq(send(c->fd, head, sizeof *head, MSG_NOSIGNAL), sizeof *head);
}

START_TEST(a_length_that_cannot_be_breaks_the_connection)
{
    static const uint32_t bytes[] = {0, 15, 24, FRAME_MAX + 16, UINT32_MAX};

    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct pair p = open_pair();

        write_raw(&p.connects, &(struct ftc_frame){.bytes = bytes[i]});
        await(p.listens.fd, POLLIN);
        ftc_connection_progress(&p.listens, LISTENS, RANKS);
        ck_assert_ptr_null(ftc_connection_next(&p.listens));
        ck_assert_int_eq(p.listens.state, FTC_CONNECTION_LOST);
        leave(&p);
    }
}
END_TEST

/* ---- a reserved port ---- */

/* 0 or an errno: of a stranger, who listens there as well if he may. */
static int intrude(uint16_t port)
{
    struct sockaddr_in name = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0), rv;

    ck_assert_int_ge(fd, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    rv = bind(fd, (struct sockaddr *)(void *)&name, sizeof name) == 0 ? 0 : errno;
    close(fd);
    return rv;
}

START_TEST(a_reserved_port_is_nobody_elses)
{
    struct ftc_address one = loopback(), other = loopback();
    uint16_t port;
    int reserved = ftc_socket_reserve(&port), listener, other_listener;

    ck_assert_int_ge(reserved, 0);
    ck_assert_int_eq(intrude(port), EADDRINUSE);
    other.bytes[3] = 2;
    other_listener = ftc_socket_listen_reserved(reserved, &other, port);
    ck_assert_int_ge(other_listener, 0);
    ck_assert_int_eq(intrude(port), EADDRINUSE);
    listener = ftc_socket_listen_reserved(reserved, &one, port);
    ck_assert_int_ge(listener, 0);
    close(listener);
    close(other_listener);
    close(reserved);
}
END_TEST

/* Free when this is called: a range of two. */
static uint16_t free_pair(void)
{
    struct ftc_address address = loopback();
    uint16_t port;
    int fd = -1;

    do {
        close(fd);
        fd = ftc_socket_listen(&address, &port);
        ck_assert_int_ge(fd, 0);
    } while (port == UINT16_MAX || intrude((uint16_t)(port + 1)) != 0);
    close(fd);
    return port;
}

static void set_range(const char *variable, unsigned low, unsigned high)
{
    char text[32];

    snprintf(text, sizeof text, "%u:%u", low, high);
    setenv(variable, text, 1);
}

/* As firewalls let through. */
static void check_range(const char *variable)
{
    uint16_t low = free_pair(), port = 0, next = 0, none;
    struct ftc_address address = loopback();
    int fd, reserved;

    set_range(variable, low, low + 1);
    fd = ftc_socket_listen(&address, &port);
    reserved = ftc_socket_reserve(&next);
    ck_assert_int_ge(fd, 0);
    ck_assert_uint_eq(port, low);
    ck_assert_int_ge(reserved, 0);
    ck_assert_uint_eq(next, low + 1);
    ck_assert_int_eq(ftc_socket_listen(&address, &none), -EADDRINUSE);
    close(fd);
    close(reserved);
    unsetenv(variable);
}

START_TEST(ports_are_of_the_range_of_mpiexec)
{
    check_range("MPIEXEC_PORT_RANGE");
    check_range("MPIR_CVAR_CH3_PORT_RANGE");
}
END_TEST

START_TEST(a_range_that_is_none_does_not_count)
{
    struct ftc_address address = loopback();
    uint16_t port;

    for (int i = 0; i < 3; i++) {
        static const char *const text[] = {"5000", "5001:5000", "x:y"};
        int fd;

        setenv("MPIEXEC_PORT_RANGE", text[i], 1);
        fd = ftc_socket_listen(&address, &port);
        ck_assert_int_ge(fd, 0);
        close(fd);
    }
    unsetenv("MPIEXEC_PORT_RANGE");
}
END_TEST

/* ---- the address of this host ---- */

enum { MAX_INTERFACES = 3 };

static struct ifaddrs interface[MAX_INTERFACES];
static struct sockaddr_storage address[MAX_INTERFACES];
static int interfaces, questions;
static struct addrinfo *answer; /* NULL: no server answers */

int getifaddrs(struct ifaddrs **list)
{
    for (int i = 0; i + 1 < interfaces; i++)
        interface[i].ifa_next = &interface[i + 1];
    *list = interface;
    return 0;
}

void freeifaddrs(struct ifaddrs *list)
{
    (void)list;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **list)
{
    (void)name;
    (void)service;
    (void)hints;
    questions++;
    *list = answer;
    return answer ? 0 : EAI_AGAIN;
}

void freeaddrinfo(struct addrinfo *list)
{
    (void)list;
}

static void take_interfaces_away(void)
{
    memset(interface, 0, sizeof interface);
    interfaces = questions = 0;
    answer = NULL;
}

static struct sockaddr *read_address(const char *text, struct sockaddr_storage *room)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)(void *)room;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)room;

    room->ss_family = strchr(text, ':') ? AF_INET6 : AF_INET;
    ck_assert_int_eq(
        inet_pton(room->ss_family, text,
                  room->ss_family == AF_INET ? (void *)&v4->sin_addr : (void *)&v6->sin6_addr),
        1);
    return (struct sockaddr *)(void *)room;
}

static void add_interface(const char *text, unsigned int flags)
{
    interface[interfaces].ifa_addr = read_address(text, &address[interfaces]);
    interface[interfaces].ifa_flags = flags;
    interfaces++;
}

static void assert_own_address_is(const char *text)
{
    struct ftc_address own = ftc_socket_own_address();
    char found[INET_ADDRSTRLEN] = "";

    ck_assert_uint_eq(own.family, AF_INET);
    ck_assert_ptr_nonnull(inet_ntop(AF_INET, own.bytes, found, sizeof found));
    ck_assert_str_eq(found, text);
}

START_TEST(the_only_address_is_taken_without_a_question)
{
    take_interfaces_away();
    add_interface("127.0.0.1", IFF_UP);
    add_interface("10.0.0.9", 0);
    add_interface("10.0.0.2", IFF_UP);
    assert_own_address_is("10.0.0.2");
    ck_assert_int_eq(questions, 0);
}
END_TEST

START_TEST(of_several_the_name_of_the_host_tells)
{
    take_interfaces_away();
    add_interface("127.0.0.1", IFF_UP);
    add_interface("10.0.0.2", IFF_UP);
    add_interface("10.1.0.2", IFF_UP);
    assert_own_address_is("10.0.0.2");
    ck_assert_int_eq(questions, 1);
}
END_TEST

START_TEST(an_address_of_ipv6_beside_one_of_ipv4_is_no_choice)
{
    take_interfaces_away();
    add_interface("2001:db8::2", IFF_UP);
    add_interface("10.0.0.2", IFF_UP);
    assert_own_address_is("10.0.0.2");
    ck_assert_int_eq(questions, 0);
}
END_TEST

START_TEST(of_a_name_the_address_of_ipv4_is_taken)
{
    struct sockaddr_storage room[2];
    struct addrinfo v4 = {.ai_addr = read_address("10.1.0.2", &room[0])};
    struct addrinfo v6 = {.ai_addr = read_address("2001:db8::2", &room[1]), .ai_next = &v4};

    take_interfaces_away();
    add_interface("10.0.0.2", IFF_UP);
    add_interface("10.1.0.2", IFF_UP);
    answer = &v6;
    assert_own_address_is("10.1.0.2");
}
END_TEST

START_TEST(without_ipv4_it_is_one_of_ipv6)
{
    struct ftc_address own;

    take_interfaces_away();
    add_interface("127.0.0.1", IFF_UP);
    add_interface("fe80::2", IFF_UP);
    add_interface("2001:db8::2", IFF_UP);
    own = ftc_socket_own_address();
    ck_assert_uint_eq(own.family, AF_INET6);
    ck_assert_uint_eq(own.bytes[0], 0x20);
    ck_assert_int_eq(questions, 0);
}
END_TEST

/* ---- answers ---- */

START_TEST(an_answer_is_checked)
{
    unsigned char body[512] = {0}, value[64];
    uint32_t *head = (uint32_t *)(void *)body;
    struct ftc_publication copy = {.value = value};
    struct ftc_query_reply to = {.copy = &copy};
    struct ftc_query q = {.kind = FTC_QUERY_PUBLISHED, .value_bytes = 8};

    ck_assert(!ftc_query_reply_read(&q, body, sizeof body, &to)); /* no */
    head[0] = 1;
    head[2] = FTC_VERDICT_VALUE;
    head[4] = 8;
    ck_assert(ftc_query_reply_read(&q, body, sizeof body, &to));
    ck_assert(!ftc_query_reply_read(&q, body, 39, &to)); /* cut */
    head[4] = 16;
    ck_assert(!ftc_query_reply_read(&q, body, sizeof body, &to));
    head[4] = 8;
    head[3] = FTC_FAILED_MAX + 1;
    ck_assert(!ftc_query_reply_read(&q, body, sizeof body, &to));
    head[3] = 0;
    head[2] = 77;
    ck_assert(!ftc_query_reply_read(&q, body, sizeof body, &to));
}
END_TEST

START_TEST(a_part_of_call_sites_is_checked)
{
    enum { HEAD = 32 };
    unsigned char body[HEAD + FTC_QUERY_SITES_BYTES], part[FTC_QUERY_SITES_BYTES];
    uint32_t *head = (uint32_t *)(void *)body;
    struct ftc_query q = {.kind = FTC_QUERY_SITES};
    struct ftc_query_reply to = {.sites = part, .sites_bytes = sizeof part};

    memset(body, 0, HEAD);
    memset(body + HEAD, 0x5a, sizeof body - HEAD);
    ck_assert(!ftc_query_reply_read(&q, body, sizeof body, &to)); /* no */
    head[0] = 1;
    ck_assert(!ftc_query_reply_read(&q, body, sizeof body, &to)); /* nothing */
    head[4] = FTC_QUERY_SITES_BYTES;
    ck_assert(!ftc_query_reply_read(&q, body, sizeof body - 1, &to)); /* cut */
    ck_assert(ftc_query_reply_read(&q, body, sizeof body, &to));
    ck_assert_uint_eq(to.sites_bytes, sizeof part);
    ck_assert_mem_eq(part, body + HEAD, sizeof part);
    head[4]++;
    ck_assert(!ftc_query_reply_read(&q, body, sizeof body, &to)); /* too long */
    head[4] = FTC_QUERY_SITES_BYTES - 16;
    ck_assert(!ftc_query_reply_read(&q, body, sizeof body, &to)); /* too short */
}
END_TEST

/* The last part has what is left, and behind it there is none. */
START_TEST(call_sites_are_told_in_parts)
{
    enum { REST = 64, HEAD = 32 };
    struct ftc_board_geometry g = unit_geometry(2, 8);
    struct ftc_publication copy = {0};
    struct ftc_query q = {.kind = FTC_QUERY_SITES, .rank = 1};
    struct ftc_board board;
    unsigned char *sites, *body;

    g.sites_bytes = FTC_QUERY_SITES_BYTES + REST;
    board = unit_board(g);
    sites = ftc_board_sites(&board, 1);
    for (uint32_t i = 0; i < g.sites_bytes; i++)
        sites[i] = (unsigned char)(i % 251 + 1);
    body = malloc(ftc_query_reply_bytes_max(&board));
    ck_assert_uint_eq(ftc_query_reply_write(&board, &q, &copy, body), HEAD + FTC_QUERY_SITES_BYTES);
    ck_assert_mem_eq(body + HEAD, sites, FTC_QUERY_SITES_BYTES);
    q.seq = 1;
    ck_assert_uint_eq(ftc_query_reply_write(&board, &q, &copy, body), HEAD + REST);
    ck_assert_mem_eq(body + HEAD, sites + FTC_QUERY_SITES_BYTES, REST);
    q.seq = 2;
    ck_assert_uint_eq(ftc_query_reply_write(&board, &q, &copy, body), HEAD);
    ck_assert_uint_eq(*(uint32_t *)(void *)body, 0);
    q.seq = 0;
    q.rank = 2;
    ck_assert_uint_eq(ftc_query_reply_write(&board, &q, &copy, body), HEAD);
    free(body);
    ftc_board_close(&board);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("net");
    UNIT_TEST(hash_is_that_of_its_authors);
    UNIT_TEST(those_of_one_job_recognise_each_other);
    UNIT_TEST(those_of_another_job_do_not);
    UNIT_TEST(what_was_overheard_proves_nothing);
    UNIT_TEST(a_greeting_names_two_ranks_of_the_job);
    UNIT_TEST(frames_arrive_whole_and_in_order);
    UNIT_TEST(there_is_no_room_until_somebody_reads);
    UNIT_TEST(without_the_key_nobody_comes_in);
    UNIT_TEST(who_is_not_wanted_now_is_told);
    UNIT_TEST(a_new_connection_is_wanted_in_place_of_one_that_is_stuck);
    UNIT_TEST(who_has_come_less_far_makes_room_first);
    UNIT_TEST(a_guest_has_two_seconds_to_prove_itself);
    UNIT_TEST(a_length_that_cannot_be_breaks_the_connection);
    UNIT_TEST(a_reserved_port_is_nobody_elses);
    UNIT_TEST(ports_are_of_the_range_of_mpiexec);
    UNIT_TEST(a_range_that_is_none_does_not_count);
    UNIT_TEST(the_only_address_is_taken_without_a_question);
    UNIT_TEST(of_several_the_name_of_the_host_tells);
    UNIT_TEST(an_address_of_ipv6_beside_one_of_ipv4_is_no_choice);
    UNIT_TEST(of_a_name_the_address_of_ipv4_is_taken);
    UNIT_TEST(without_ipv4_it_is_one_of_ipv6);
    UNIT_TEST(an_answer_is_checked);
    UNIT_TEST(a_part_of_call_sites_is_checked);
    UNIT_TEST(call_sites_are_told_in_parts);
    UNIT_END();
}
