/* A rank may not return with a result once the others may have given up its host. */
#include "detector/silence.h"
#include "monitor/monitor.h"
#include "unit_board.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { VALUE_BYTES = 8, UNREACHABLE_MS = 20 };

struct ftc_library ftc_library;

static atomic_int *told; /* in shared memory */

void ftc_notice_host_stops(struct ftc_board *board, int unreachable_ms)
{
    (void)board;
    (void)unreachable_ms;
    atomic_fetch_add(told, 1);
}

void ftc_notice_deaths(const struct ftc_notice *notice)
{
    (void)notice;
    abort();
}

void ftc_monitor_finish_pmi(void)
{
    abort();
}

/* A rank on the first of two hosts, whose lease has run out. */
static void set_up(void)
{
    struct ftc_board_geometry g = unit_geometry(2, VALUE_BYTES);

    g.other_hosts = 1;
    ftc_library = (struct ftc_library){.board = unit_board(g), .world_rank = 0};
    ftc_library.settings.unreachable_ms = UNREACHABLE_MS;
    ftc_lease_agree(&ftc_library.board, true);
    ftc_lease_renew(&ftc_library.board, 1, ftc_clock_ahead_ns());
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(told, MAP_FAILED);
}

/* How a process ends that would return. */
static int end_of_one_that_waits(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        ftc_fence_await_lease();
        _exit(0);
    }
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static bool is_killed(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

START_TEST(with_a_lease_it_returns)
{
    ftc_lease_renew(&ftc_library.board, UINT64_MAX, ftc_clock_ahead_ns());
    ck_assert_int_eq(end_of_one_that_waits(), 0);
    ck_assert_int_eq(atomic_load(told), 0);
}
END_TEST

/* The agent kills the ranks of its host at any instant after that: what they began to say would be
 * lost. */
START_TEST(that_the_host_is_given_up_is_told_by_the_agent)
{
    ftc_lease_end(&ftc_library.board);
    ck_assert(is_killed(end_of_one_that_waits()));
    ck_assert_int_eq(atomic_load(told), 0);
}
END_TEST

START_TEST(without_an_agent_it_stops_by_itself_and_says_so)
{
    ck_assert(is_killed(end_of_one_that_waits()));
    ck_assert_int_eq(atomic_load(told), 1);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("fence");
    tcase_add_checked_fixture(unit_case, set_up, NULL);
    UNIT_TEST(with_a_lease_it_returns);
    UNIT_TEST(that_the_host_is_given_up_is_told_by_the_agent);
    UNIT_TEST(without_an_agent_it_stops_by_itself_and_says_so);
    UNIT_END();
}
