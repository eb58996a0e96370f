/* What a launcher hears over the PMI socket when a rank ends the job or its account. */
#include "monitor/pmi.h"
#include "unit.h"

#include <linux/sockios.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int launcher, rank;

static void set_up(void)
{
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    launcher = pair[0];
    rank = pair[1];
}

static void tear_down(void)
{
    close(launcher);
    close(rank);
}

/* All that comes in one read, as Slurm takes the first command. */
static const char *heard(void)
{
    static char text[65];
    ssize_t n = read(launcher, text, sizeof text - 1);

    text[n < 0 ? 0 : n] = '\0';
    return text;
}

static void answer(const char *text)
{
    ck_assert_int_eq(write(launcher, text, strlen(text)), (ssize_t)strlen(text));
}

/* The process of the rank, in which @act runs. */
static pid_t start(void (*act)(void))
{
    pid_t child = fork();

    if (child == 0) {
        close(launcher);
        act();
        _exit(0);
    }
    close(rank);
    return child;
}

static void await_end(pid_t child)
{
    int status = 0;

    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static void abort_before_init(void)
{
    ftc_pmi_abort(rank, 7, false);
}

static void abort_after_init(void)
{
    ftc_pmi_abort(rank, 7, true);
}

static void finalize(void)
{
    ftc_pmi_finalize(rank, false);
}

START_TEST(before_mpi_an_abort_begins_pmi_and_waits_for_the_answer)
{
    pid_t child = start(abort_before_init);

    ck_assert_str_eq(heard(), "cmd=init pmi_version=1 pmi_subversion=1\n");
    answer("cmd=something_else rc=0\ncmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n");
    ck_assert_str_eq(heard(), "cmd=abort exitcode=7\n");
    close(launcher);
    await_end(child);
}
END_TEST

START_TEST(in_mpi_an_abort_is_the_only_command)
{
    pid_t child = start(abort_after_init);

    ck_assert_str_eq(heard(), "cmd=abort exitcode=7\n");
    shutdown(launcher, SHUT_WR);
    await_end(child);
    ck_assert_str_eq(heard(), "");
}
END_TEST

/* A first line is read, or dropped with the end of the process; a second is refused then. */
START_TEST(after_an_abort_the_launcher_ends_the_process)
{
    static const char line[] = "cmd=anything\n";
    pid_t child = start(abort_after_init);
    int unread = 1;

    ck_assert_str_eq(heard(), "cmd=abort exitcode=7\n");
    (void)!send(launcher, line, sizeof line - 1, MSG_NOSIGNAL);
    while (ioctl(launcher, SIOCOUTQ, &unread) == 0 && unread > 0)
        sched_yield();
    ck_assert_int_eq(send(launcher, line, sizeof line - 1, MSG_NOSIGNAL), sizeof line - 1);
    close(launcher);
    await_end(child);
}
END_TEST

START_TEST(a_launcher_that_has_gone_is_not_waited_for)
{
    pid_t child = start(abort_before_init);

    close(launcher);
    await_end(child);
}
END_TEST

START_TEST(finalize_waits_for_its_answer)
{
    pid_t child = start(finalize);

    ck_assert_str_eq(heard(), "cmd=finalize\n");
    answer("cmd=barrier_out\ncmd=finalize_ack rc=0\n");
    ck_assert_str_eq(heard(), "");
    await_end(child);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("pmi");
    tcase_add_checked_fixture(unit_case, set_up, tear_down);
    UNIT_TEST(before_mpi_an_abort_begins_pmi_and_waits_for_the_answer);
    UNIT_TEST(in_mpi_an_abort_is_the_only_command);
    UNIT_TEST(after_an_abort_the_launcher_ends_the_process);
    UNIT_TEST(a_launcher_that_has_gone_is_not_waited_for);
    UNIT_TEST(finalize_waits_for_its_answer);
    UNIT_END();
}
