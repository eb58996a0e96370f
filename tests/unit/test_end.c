/* With which exit status a monitor process ends in place of its rank. */
#include "board/presence.h"
#include "board/rank_state.h"
#include "monitor/announce.h"
#include "monitor/end.h"
#include "unit_board.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SELF, OTHER, RANKS, STATUS = 3, STATUS_OF_FAILURE = 5 };

static struct ftc_monitored rank;

/* All ranks are protected. */
static void setup(void)
{
    rank = (struct ftc_monitored){
        .board = unit_board(unit_geometry(RANKS, 8)),
        .world = SELF,
        .signals = -1,
        .input = -1,
        .job = {.channel = -1, .tether = -1, .pmi = -1, .outer = -1},
        .options.settings = {.max_failed = RANKS, .failure_exit_status = STATUS_OF_FAILURE},
    };
    sigemptyset(&rank.from_launcher);
    for (uint32_t i = 0; i < RANKS; i++) {
        ftc_board_advance(&rank.board, i, FTC_RANK_RUNNING);
        ftc_presence_count(&rank.board, i, true);
    }
}

/* ---- what is told, and is told elsewhere ---- */

void ftc_announce_death(struct ftc_monitored *r)
{
    (void)r;
}

bool ftc_announce_end(const struct ftc_monitored *r)
{
    (void)r;
    return false;
}

/* Exit status of the monitor process of a rank whose program has exited with @status. */
static int exit_status_after(int status)
{
    int found = 0;
    pid_t pid = fork();

    if (pid == 0)
        ftc_rank_end(&rank, W_EXITCODE(status, 0));
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &found, 0), pid);
    ck_assert(WIFEXITED(found));
    return WEXITSTATUS(found);
}

/* The other ranks do not keep it waiting. */
static void let_others_finalize(void)
{
    ftc_board_advance(&rank.board, OTHER, FTC_RANK_FINALIZED);
}

START_TEST(a_death_that_is_tolerated_is_no_failure_of_the_job)
{
    let_others_finalize();
    ck_assert_int_eq(exit_status_after(STATUS), STATUS_OF_FAILURE);
}
END_TEST

/* It has handled the signal, and not come to MPI_Finalize. */
static int exit_status_told_to_end(int number)
{
    let_others_finalize();
    sigaddset(&rank.from_launcher, number);
    return exit_status_after(STATUS);
}

START_TEST(a_rank_that_exits_since_the_launcher_ends_the_job_has_not_died)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

    ck_assert_int_eq(exit_status_told_to_end(ends[_i]), STATUS);
}
END_TEST

START_TEST(a_rank_that_exits_after_any_other_signal_has_died)
{
    ck_assert_int_eq(exit_status_told_to_end(SIGUSR1), STATUS_OF_FAILURE);
}
END_TEST

/* Exit status of a survivor. */
static int exit_status_of_survivor(int status)
{
    ftc_board_mark_failed(&rank.board, OTHER, FTC_DEATH_SIGNAL, SIGKILL);
    ftc_board_advance(&rank.board, SELF, FTC_RANK_FINALIZED);
    return exit_status_after(status);
}

START_TEST(a_survivor_ends_with_failure_exit_status_unless_it_has_failed)
{
    ck_assert_int_eq(exit_status_of_survivor(0), STATUS_OF_FAILURE);
    ck_assert_int_eq(exit_status_of_survivor(STATUS), STATUS);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("end");
    tcase_add_checked_fixture(unit_case, setup, NULL);
    UNIT_TEST(a_death_that_is_tolerated_is_no_failure_of_the_job);
    tcase_add_loop_test(unit_case, a_rank_that_exits_since_the_launcher_ends_the_job_has_not_died,
                        0, 4);
    UNIT_TEST(a_rank_that_exits_after_any_other_signal_has_died);
    UNIT_TEST(a_survivor_ends_with_failure_exit_status_unless_it_has_failed);
    UNIT_END();
}
