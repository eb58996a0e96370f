/* What a monitor process tells other hosts, where it cannot have a thread for that: limits of the
 * system, such as ulimit -u, may be reached. The file under test is part of this one. */
#include "monitor/service.c"

#include "unit_board.h"

#include <sys/socket.h>

enum { RANKS = 2, HERE = 0, THERE = 1, VALUE_BYTES = 8 };

static struct ftc_monitored rank;
static struct client client;
static bool has_threads;
static int other; /* the agent's end */

bool ftc_monitored_start_thread(void *(*run)(void *), void *argument)
{
    (void)run;
    (void)argument;
    return has_threads;
}

/* An agent of another host has proved who it is, and asks for news. */
static void set_up(void)
{
    static const uint64_t key[2];
    struct ftc_board_geometry g = unit_geometry(RANKS, VALUE_BYTES);
    int pair[2];

    service = (struct service){.bell = -1};
    client = (struct client){0};
    g.other_hosts = 1;
    rank.board = unit_board(g);
    ftc_directory_set_rank(&rank.board, THERE, &(struct ftc_directory_rank){.host = 1});
    ck_assert(open_service(&service, &rank));
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    other = pair[1];
    ftc_connection_accept(&client.c, pair[0], key);
    client.c.state = FTC_CONNECTION_ASKS;
    client.c.handshake.greeting.purpose = FTC_PURPOSE_NEWS;
}

static void tear_down(void)
{
    ftc_connection_close(&client.c);
    free(client.sent);
    close(other);
    close(service.bell);
    free(service.rank_here);
    free(service.copy.value);
    ftc_board_close(&rank.board);
}

/* A turn of the service. */
static void welcome_and_tell(void)
{
    welcome(&service, &client);
    send_news(&service, &client);
}

/* So many bytes have come to it, after the welcome. */
static size_t bytes_of_news(void)
{
    unsigned char bytes[4096];
    ssize_t n = recv(other, bytes, sizeof bytes, 0);

    ck_assert_int_ge(n, (ssize_t)sizeof(struct ftc_reply));
    return (size_t)n - sizeof(struct ftc_reply);
}

START_TEST(an_agent_is_told_of_the_ranks_here)
{
    has_threads = true;
    welcome_and_tell();
    ck_assert_int_eq(client.c.state, FTC_CONNECTION_OPEN);
    ck_assert_uint_eq(bytes_of_news(), ftc_frame_bytes(sizeof(struct ftc_replica)));
}
END_TEST

/* It asks another monitor process then, and this one goes on. */
START_TEST(without_a_thread_it_is_left)
{
    has_threads = false;
    welcome_and_tell();
    ck_assert_int_eq(client.c.state, FTC_CONNECTION_NONE);
    ck_assert_uint_eq(bytes_of_news(), 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("service");
    tcase_add_checked_fixture(unit_case, set_up, tear_down);
    UNIT_TEST(an_agent_is_told_of_the_ranks_here);
    UNIT_TEST(without_a_thread_it_is_left);
    UNIT_END();
}
