/* What a monitor process does for other hosts: where it cannot have a thread for that, as limits of
 * the system, such as ulimit -u, may be reached; and whom it ends in their name. The file under
 * test is part of this one. */
#include "monitor/query_server.c"

#include "board/death.h"
#include "unit_board.h"

#include <sys/socket.h>
#include <sys/wait.h>

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

    server = (struct server){.wakeup = -1};
    client = (struct client){0};
    g.other_hosts = 1;
    rank.board = unit_board(g);
    ftc_directory_set_rank(&rank.board, THERE, &(struct ftc_directory_rank){.host = 1});
    ck_assert(open_server(&server, &rank));
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    other = pair[1];
    ftc_connection_accept(&client.c, pair[0], key);
    client.c.state = FTC_CONNECTION_ASKS;
    client.c.handshake.greeting.purpose = FTC_PURPOSE_UPDATES;
}

static void tear_down(void)
{
    ftc_connection_close(&client.c);
    free(client.sent);
    close(other);
    close(server.wakeup);
    free(server.rank_here);
    free(server.copy.value);
    ftc_board_close(&rank.board);
}

/* A turn of the server. */
static void welcome_and_tell(void)
{
    welcome(&server, &client);
    send_updates(&server, &client);
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

/* It may take mpiexec for silent, and wait for it. */
START_TEST(an_agent_of_a_lost_host_is_left)
{
    has_threads = true;
    client.c.handshake.greeting.from = THERE;
    welcome_and_tell();
    ck_assert(!is_lost(&server, &client));
    ftc_lease_lose_host(&rank.board, 1, FTC_HOST_SILENT);
    ck_assert(is_lost(&server, &client));
    client.c.handshake.greeting.from = UINT32_MAX;
    ck_assert(!is_lost(&server, &client));
}
END_TEST

/* ---- who is silent ---- */

static pid_t program; /* of rank HERE */

static void start_program(void)
{
    program = fork();
    if (program == 0)
        for (;;)
            pause();
    ck_assert_int_gt(program, 0);
    rank.options.ends_silent = 1;
    for (uint32_t i = 0; i < RANKS; i++) {
        ftc_presence_count(&rank.board, i, true);
        ftc_board_advance(&rank.board, i, FTC_RANK_RUNNING);
    }
    ftc_board_introduce(&rank.board, HERE, program);
    ftc_activity_beat(&rank.board, HERE);
}

/* Rank THERE asks for the end of @silent, which had @heartbeat. */
static void accuse(uint32_t silent, uint64_t heartbeat)
{
    end_silent(&server, &(struct ftc_query){.rank = silent, .heartbeat = heartbeat}, THERE);
}

static void end_program(bool is_killed)
{
    int status;

    if (!is_killed) {
        ck_assert_int_eq(waitpid(program, &status, WNOHANG), 0);
        kill(program, SIGKILL);
    }
    ck_assert_int_eq(waitpid(program, &status, 0), program);
    ck_assert_int_eq(ftc_board_is_dead(&rank.board, HERE), is_killed);
}

START_TEST(a_silent_rank_is_ended_in_the_name_of_who_waits)
{
    start_program();
    accuse(HERE, 1);
    end_program(true);
    ck_assert_int_eq(ftc_death_cause(&rank.board, HERE), FTC_DEATH_SUSPECTED);
    ck_assert_int_eq(ftc_death_suspected_by(&rank.board, HERE), THERE);
}
END_TEST

START_TEST(one_that_has_given_a_sign_of_life_since_is_not_ended)
{
    start_program();
    ftc_activity_beat(&rank.board, HERE);
    accuse(HERE, 1);
    end_program(false);
}
END_TEST

START_TEST(nobody_is_ended_where_silence_means_nothing)
{
    start_program();
    rank.options.ends_silent = 0;
    accuse(HERE, 1);
    end_program(false);
}
END_TEST

START_TEST(of_ranks_elsewhere_other_boards_are_judges)
{
    start_program();
    ftc_activity_beat(&rank.board, THERE);
    ftc_board_introduce(&rank.board, THERE, program);
    accuse(THERE, 1);
    accuse(RANKS, 1);
    ck_assert(!ftc_board_is_dead(&rank.board, THERE));
    end_program(false);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("query_server");
    tcase_add_checked_fixture(unit_case, set_up, tear_down);
    UNIT_TEST(an_agent_is_told_of_the_ranks_here);
    UNIT_TEST(without_a_thread_it_is_left);
    UNIT_TEST(an_agent_of_a_lost_host_is_left);
    UNIT_TEST(a_silent_rank_is_ended_in_the_name_of_who_waits);
    UNIT_TEST(one_that_has_given_a_sign_of_life_since_is_not_ended);
    UNIT_TEST(nobody_is_ended_where_silence_means_nothing);
    UNIT_TEST(of_ranks_elsewhere_other_boards_are_judges);
    UNIT_END();
}
