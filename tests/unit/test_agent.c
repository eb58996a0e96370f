/* What the agent of a host makes of the news of other hosts. The file under test is part of this
 * one. */
#include "monitor/agent.c"

#include "unit_board.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <sys/socket.h>
#include <unistd.h>

/* Rank i is on host i. */
enum { HOSTS = 3, VALUE_BYTES = 8, FRAME_MAX = 512, PATIENCE = 100 };

static const uint64_t key[2];
static struct ftc_monitored rank;
static int other = -1; /* the end of who tells the news of the last host */
static int forbidden;
static jmp_buf end_of_job;
static bool may_end;

/* ---- what an agent uses beside the board ---- */

void ftc_rank_end_job(const struct ftc_monitored *r, int status)
{
    (void)r;
    if (may_end)
        longjmp(end_of_job, status);
    ck_abort_msg("the job ends with %d", status);
    _exit(status);
}

void ftc_rank_end_host(struct ftc_monitored *r)
{
    if (may_end)
        longjmp(end_of_job, 1);
    ck_abort_msg("host %u ends", r->board.geometry.host);
    _exit(1);
}

void ftc_rank_end_job_if_forbidden(const struct ftc_monitored *r, uint32_t world, int status)
{
    (void)status;
    forbidden += ftc_death_ends_job(&r->board, world, r->options.settings.max_failed);
}

void ftc_announce_lost(struct ftc_monitored *r)
{
    (void)r;
}

void ftc_leaseholder_open(void)
{
}

void ftc_leaseholder_list(struct pollfd source[FTC_LEASEHOLDER_SOURCES])
{
    for (int i = 0; i < FTC_LEASEHOLDER_SOURCES; i++)
        source[i] = (struct pollfd){.fd = -1};
}

int ftc_leaseholder_patience_ms(const struct ftc_monitored *r)
{
    (void)r;
    return -1;
}

bool ftc_leaseholder_turn(struct ftc_monitored *r, uint64_t now_ns)
{
    (void)r;
    (void)now_ns;
    return false;
}

static bool has_failed; /* the lease has run out, and has been asked for in vain */

bool ftc_leaseholder_has_failed(const struct ftc_monitored *r)
{
    (void)r;
    return has_failed;
}

size_t ftc_query_server_frame_max(const struct ftc_board *board)
{
    (void)board;
    return FRAME_MAX;
}

/* ---- hosts ---- */

static struct ftc_board board_of(uint32_t host)
{
    struct ftc_board board = unit_board_of(host, HOSTS, HOSTS, VALUE_BYTES);

    for (uint32_t i = 0; i < HOSTS; i++) {
        ftc_board_advance(&board, i, FTC_RANK_RUNNING);
        ftc_presence_count(&board, i, true);
    }
    return board;
}

static void open_agent_of(uint32_t host)
{
    rank = (struct ftc_monitored){.board = board_of(host), .world = host};
    rank.options.settings.unreachable_ms = 60000;
    agent = (struct agent){0};
    forbidden = 0;
    open_agent(&agent, &rank);
}

static void close_agent(void)
{
    for (uint32_t i = 0; i < agent.count; i++)
        ftc_connection_close(&agent.source[i].c);
    if (other >= 0)
        close(other);
    other = -1;
    ftc_board_close(&rank.board);
}

static struct source *last_source(void)
{
    return &agent.source[agent.count - 1];
}

/* A monitor process there has proved who it is. */
static void connect_to_last(void)
{
    struct ftc_connection *c = &last_source()->c;
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    other = pair[1];
    ftc_connection_accept(c, pair[0], key);
    c->state = FTC_CONNECTION_ASKS;
    ftc_connection_answer(c, FTC_WELCOME, FRAME_MAX);
    ck_assert_int_eq(c->state, FTC_CONNECTION_OPEN);
}

union news {
    _Alignas(FTC_FRAME_ALIGNMENT) unsigned char bytes[FRAME_MAX];
    struct ftc_frame frame;
};

/* The rank on @host has died. */
static void tell_of_death(union news *news, uint32_t host, uint32_t forbids)
{
    struct ftc_board there = board_of(host);
    struct ftc_replica r;

    ftc_board_forbid(&there, host, forbids);
    ftc_board_mark_failed(&there, host, FTC_DEATH_SIGNAL, SIGKILL);
    r = ftc_replica_take(&there, host, ftc_clock_ns());
    ftc_frame_begin(&news->frame, FTC_PURPOSE_UPDATES, 0, sizeof r);
    memcpy(news->frame.body, &r, sizeof r);
    ftc_board_close(&there);
}

/* The rank on the last host, which is critical, has died. */
static void tell_of_critical_death(void)
{
    union news news;

    tell_of_death(&news, last_source()->host, FTC_FORBID_ANY);
    ck_assert_int_eq(send(other, &news, news.frame.bytes, 0), (ssize_t)news.frame.bytes);
}

static void hear_of_critical_death(void)
{
    connect_to_last();
    tell_of_critical_death();
    for (int i = 0; i < PATIENCE && ftc_board_deaths(&rank.board) == 0; i++)
        turn(&agent);
    ck_assert_uint_eq(ftc_board_deaths(&rank.board), 1);
}

/* ---- deaths that a setting forbids ---- */

static bool is_seen_to_after(int ms)
{
    look_for_forbidden(&agent, agent.death_ns + (uint64_t)ms * NS_OF_MS);
    return forbidden > 0;
}

/* Which has more to say of it. */
START_TEST(a_forbidden_death_is_its_own_hosts_first)
{
    open_agent_of(0);
    hear_of_critical_death();
    ck_assert_int_eq(forbidden, 0);
    ck_assert(!is_seen_to_after(FORBIDDEN_MS - 1));
    ck_assert(is_seen_to_after(FORBIDDEN_MS));
}
END_TEST

START_TEST(then_the_first_host_sees_to_it_and_then_others)
{
    open_agent_of(1);
    hear_of_critical_death();
    ck_assert(!is_seen_to_after(2 * FORBIDDEN_MS - 1));
    ck_assert(is_seen_to_after(2 * FORBIDDEN_MS));
}
END_TEST

START_TEST(a_lost_host_is_not_the_first)
{
    open_agent_of(1);
    ftc_lease_lose_host(&rank.board, 0, FTC_HOST_ENDED);
    agent.death_ns = 1;
    agent.dead = 0;
    ftc_board_forbid(&rank.board, 0, FTC_FORBID_ANY);
    ck_assert(is_seen_to_after(FORBIDDEN_MS));
}
END_TEST

/* The hosts of all other ranks are lost at once, and a death of the first of them is forbidden. */
START_TEST(a_forbidden_death_is_seen_to_though_others_are_lost_with_it)
{
    open_agent_of(0);
    rank.options.settings.max_failed = HOSTS;
    ftc_board_forbid(&rank.board, 1, FTC_FORBID_ANY);
    for (uint32_t host = 1; host < HOSTS; host++)
        ftc_lease_lose_host(&rank.board, host, FTC_HOST_ENDED);
    note_losses(&agent, 1);
    ck_assert(is_seen_to_after(FORBIDDEN_MS));
}
END_TEST

START_TEST(a_forbidden_death_is_seen_to_though_others_are_heard_of_after_it)
{
    union news news;

    open_agent_of(0);
    rank.options.settings.max_failed = HOSTS;
    hear_of_critical_death();
    tell_of_death(&news, agent.source[0].host, 0);
    enter(&agent, &agent.source[0], &news.frame);
    ck_assert_uint_eq(ftc_board_deaths(&rank.board), 2);
    ck_assert(is_seen_to_after(FORBIDDEN_MS));
}
END_TEST

/* ---- hosts that are silent ---- */

/* A second later its connection has ended. Returns whether it has been heard until then. */
static bool is_heard_to_the_end(void)
{
    uint64_t since_ns = last_source()->silent_since_ns;

    agent.look_ns += 1000 * (uint64_t)NS_OF_MS;
    close(other);
    other = -1;
    while (last_source()->c.state == FTC_CONNECTION_OPEN)
        hear(&agent, last_source());
    ck_assert_int_eq(last_source()->c.state, FTC_CONNECTION_LOST);
    return last_source()->silent_since_ns > since_ns;
}

START_TEST(a_host_is_silent_from_the_end_of_its_connection)
{
    open_agent_of(0);
    hear_of_critical_death();
    ck_assert(is_heard_to_the_end());
}
END_TEST

/* Its monitor processes may lack a thread for it, one like the other. */
START_TEST(a_host_that_lets_in_and_tells_nothing_is_silent)
{
    open_agent_of(0);
    connect_to_last();
    ck_assert(!is_heard_to_the_end());
}
END_TEST

static bool ends_after(int ms)
{
    agent.look_ns = last_source()->silent_since_ns + (uint64_t)ms * NS_OF_MS;
    may_end = true;
    if (setjmp(end_of_job) != 0)
        return true;
    look_for_silence(&agent, last_source());
    may_end = false;
    return false;
}

/* It may have been cut off before it could tell the launcher. */
START_TEST(a_host_that_is_silent_after_it_has_said_that_the_job_ends_ends_it)
{
    open_agent_of(0);
    ck_assert(ftc_end_of_job_claim(&rank.board, last_source()->host));
    ck_assert(!ends_after(rank.options.settings.unreachable_ms - 1));
    ck_assert(ends_after(rank.options.settings.unreachable_ms));
}
END_TEST

/* ---- mpiexec is silent ---- */

/* Only the last host is left beside this one, and is heard. */
static void lose_mpiexec(void)
{
    open_agent_of(0);
    for (uint32_t i = 0; i + 1 < agent.count; i++)
        ftc_lease_lose_host(&rank.board, agent.source[i].host, FTC_HOST_ENDED);
    connect_to_last();
    last_source()->has_data = true;
    has_failed = true;
}

static bool ends_host_after(int ms)
{
    uint64_t before_ns = agent.look_ns;
    bool ends = true;

    agent.look_ns += (uint64_t)ms * NS_OF_MS;
    may_end = true;
    if (setjmp(end_of_job) == 0) {
        look_at_lease(&agent);
        ends = false;
    }
    may_end = false;
    agent.look_ns = before_ns;
    return ends;
}

START_TEST(hosts_that_hear_each_other_wait_for_mpiexec)
{
    lose_mpiexec();
    ck_assert(!ftc_lease_awaits_mpiexec(&rank.board));
    ck_assert(!ends_host_after(0));
    ck_assert(ftc_lease_awaits_mpiexec(&rank.board));
    ck_assert(!ends_host_after(FTC_LEASE_MPIEXEC_MS - 1));
    ck_assert(ends_host_after(FTC_LEASE_MPIEXEC_MS));
}
END_TEST

START_TEST(the_wait_for_mpiexec_ends_with_a_lease)
{
    lose_mpiexec();
    ck_assert(!ends_host_after(0));
    ftc_lease_renew(&rank.board, 1, ftc_clock_ahead_ns()); /* of long ago */
    ck_assert(ftc_lease_awaits_mpiexec(&rank.board));
    ftc_lease_renew(&rank.board, UINT64_MAX, ftc_clock_ahead_ns());
    ck_assert(!ftc_lease_awaits_mpiexec(&rank.board));
    has_failed = false;
    ck_assert(!ends_host_after(0));
    ck_assert_uint_eq(agent.alone_since_ns, 0);
}
END_TEST

START_TEST(a_host_that_does_not_hear_all_others_ends)
{
    lose_mpiexec();
    last_source()->has_data = false;
    ck_assert(ends_host_after(0));
    last_source()->has_data = true;
    ck_assert(!ends_host_after(0));
    ftc_connection_close(&last_source()->c);
    ck_assert(ends_host_after(0));
}
END_TEST

START_TEST(a_host_that_is_given_up_ends)
{
    lose_mpiexec();
    ftc_lease_agree(&rank.board, true);
    ftc_lease_end(&rank.board);
    ck_assert(ends_host_after(0));
}
END_TEST

/* ---- hosts that have gone ---- */

/* The last host can be reached there. */
static int open_listener(void)
{
    struct ftc_address address = {.family = AF_INET, .bytes = {127, 0, 0, 1}};
    uint32_t host = last_source()->host;
    uint16_t port;
    int listener = ftc_socket_listen(&address, &port);

    ck_assert_int_ge(listener, 0);
    ftc_directory_set_host(&rank.board, host, "there", &address);
    ftc_directory_set_rank(&rank.board, host,
                           &(struct ftc_directory_rank){.host = host, .query_port = port});
    return listener;
}

static bool is_tried(int listener)
{
    struct pollfd p = {.fd = listener, .events = POLLIN};

    look_after(&agent, last_source(), ftc_clock_ns());
    return poll(&p, 1, PATIENCE) > 0;
}

/* Of the last host; only the first @left ranks are in MPI. */
static int listener_with(uint32_t left)
{
    int listener;

    open_agent_of(0);
    listener = open_listener();
    for (uint32_t i = left; i < HOSTS; i++)
        ftc_board_advance(&rank.board, i, FTC_RANK_FINALIZED);
    return listener;
}

/* One rank of the job goes on for long after MPI_Finalize. */
START_TEST(no_host_is_looked_for_when_all_are_through)
{
    int listener = listener_with(0);

    ck_assert(!is_tried(listener));
    ck_assert_int_eq(patience_ms(&agent), -1);
    close(listener);
}
END_TEST

START_TEST(a_host_is_looked_for_while_any_rank_is_in_mpi)
{
    int listener = listener_with(1);

    ck_assert(is_tried(listener));
    ck_assert_int_eq(patience_ms(&agent), TURN_MS);
    close(listener);
}
END_TEST

/* ---- news by a network ---- */

static struct ftc_connection welcomed_by_last(int listener)
{
    struct ftc_connection c = {.fd = -1};

    ftc_connection_accept(&c, ftc_socket_accept(listener), key);
    for (int i = 0; i < PATIENCE && last_source()->c.state != FTC_CONNECTION_OPEN; i++) {
        hear(&agent, last_source());
        ftc_connection_progress(&c, HOSTS - 1, HOSTS);
        if (c.state == FTC_CONNECTION_ASKS)
            ftc_connection_answer(&c, FTC_WELCOME, FRAME_MAX);
        poll(NULL, 0, 1);
    }
    ck_assert_int_eq(last_source()->c.state, FTC_CONNECTION_OPEN);
    return c;
}

static int patience_of_kernel_ms(const struct ftc_connection *c)
{
    int ms = -1;

    ck_assert_int_eq(getsockopt(c->fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, &(socklen_t){sizeof ms}),
                     0);
    return ms;
}

static int patience_with_news_ms(int unreachable_ms)
{
    struct ftc_connection c;
    int listener, ms;

    open_agent_of(0);
    rank.options.settings.unreachable_ms = unreachable_ms;
    listener = open_listener();
    ck_assert(is_tried(listener));
    c = welcomed_by_last(listener);
    ms = patience_of_kernel_ms(&last_source()->c);
    close_agent();
    ftc_connection_close(&c);
    close(listener);
    return ms;
}

/* Who tells the news gives up a connection after three seconds, also where a host may be silent for
 * an hour. */
START_TEST(an_agent_trusts_a_connection_no_longer_than_its_other_end)
{
    ck_assert_int_eq(patience_with_news_ms(3600000), FTC_QUERY_SERVER_SILENT_MS);
    ck_assert_int_eq(patience_with_news_ms(500), 500);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("agent");
    tcase_add_checked_fixture(unit_case, NULL, close_agent);
    UNIT_TEST(a_forbidden_death_is_its_own_hosts_first);
    UNIT_TEST(then_the_first_host_sees_to_it_and_then_others);
    UNIT_TEST(a_lost_host_is_not_the_first);
    UNIT_TEST(a_forbidden_death_is_seen_to_though_others_are_lost_with_it);
    UNIT_TEST(a_forbidden_death_is_seen_to_though_others_are_heard_of_after_it);
    UNIT_TEST(an_agent_trusts_a_connection_no_longer_than_its_other_end);
    UNIT_TEST(a_host_is_silent_from_the_end_of_its_connection);
    UNIT_TEST(a_host_that_lets_in_and_tells_nothing_is_silent);
    UNIT_TEST(a_host_that_is_silent_after_it_has_said_that_the_job_ends_ends_it);
    UNIT_TEST(hosts_that_hear_each_other_wait_for_mpiexec);
    UNIT_TEST(the_wait_for_mpiexec_ends_with_a_lease);
    UNIT_TEST(a_host_that_does_not_hear_all_others_ends);
    UNIT_TEST(a_host_that_is_given_up_ends);
    UNIT_TEST(no_host_is_looked_for_when_all_are_through);
    UNIT_TEST(a_host_is_looked_for_while_any_rank_is_in_mpi);
    UNIT_END();
}
