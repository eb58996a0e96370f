/* What a launcher hears over the PMI socket when a rank ends the job or its account. */
#include "monitor/end.h"
#include "monitor/pmi.h"
#include "unit.h"

#include <errno.h>
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

static pid_t start_with_pmi2(void (*act)(void))
{
    ftc_pmi_speak(FTC_PMI_2);
    return start(act);
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

static void ask_mapping(void)
{
    char text[FTC_PMI_LINE_MAX];

    if (ftc_pmi_get_mapping(rank, text, sizeof text) != 0 || strcmp(text, "(vector,(0,1,4))") != 0)
        _exit(1);
}

static void ask_in_vain(void)
{
    char text[FTC_PMI_LINE_MAX];

    if (ftc_pmi_get_mapping(rank, text, sizeof text) != -ENOENT)
        _exit(1);
}

static void ask_somebody_else(void)
{
    char text[FTC_PMI_LINE_MAX];

    if (ftc_pmi_get_mapping(rank, text, sizeof text) != -EPROTO)
        _exit(1);
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

START_TEST(the_mapping_is_asked_for_in_two_steps)
{
    pid_t child = start(ask_mapping);

    ck_assert_str_eq(heard(), "cmd=get_my_kvsname\n");
    answer("cmd=my_kvsname kvsname=kvs_7_0\n");
    ck_assert_str_eq(heard(), "cmd=get kvsname=kvs_7_0 key=PMI_process_mapping\n");
    answer("cmd=get_result rc=0 msg=success value=(vector,(0,1,4))\n");
    await_end(child);
}
END_TEST

/* ---- a program that has announced the end of the job ---- */

static struct ftc_monitored stood_down(void)
{
    struct ftc_monitor_job job = {.pmi = rank, .channel = -1, .outer = -1};

    return (struct ftc_monitored){.board.fd = -1, .job = job, .stood_down = true};
}

/* And then a signal ended it. */
static void end_by_a_signal(void)
{
    struct ftc_monitored m = stood_down();

    ftc_rank_end(&m, SIGABRT);
}

/* The launcher's signal. */
static void end_by_the_launchers_signal(void)
{
    struct ftc_monitored m = stood_down();

    sigaddset(&m.from_launcher, SIGTERM);
    ftc_rank_end(&m, SIGTERM);
}

static void await_end_by(pid_t child, int number)
{
    int status = 0;

    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), number);
}

/* For Slurm the end of one process is not that of the job. */
START_TEST(the_launcher_is_told_to_end_the_job_though_a_signal_came_first)
{
    pid_t child = start(end_by_a_signal);

    ck_assert_str_eq(heard(), "cmd=abort exitcode=6\n");
    close(launcher);
    await_end_by(child, SIGABRT);
}
END_TEST

START_TEST(a_launcher_that_ends_the_job_itself_is_not_told)
{
    pid_t child = start(end_by_the_launchers_signal);

    await_end_by(child, SIGTERM);
    ck_assert_str_eq(heard(), "");
}
END_TEST

/* ---- PMI-2 ---- */

START_TEST(pmi2_finalize_waits_for_its_answer)
{
    pid_t child = start_with_pmi2(finalize);

    ck_assert_str_eq(heard(), "    13cmd=finalize;");
    answer("    34cmd=kvs-fence-response;rc=0;foo=1    28cmd=finalize-response;rc=0;;");
    ck_assert_str_eq(heard(), "");
    await_end(child);
}
END_TEST

START_TEST(pmi2_abort_names_the_whole_job)
{
    pid_t child = start_with_pmi2(abort_before_init);

    ck_assert_str_eq(heard(), "cmd=init pmi_version=2 pmi_subversion=0\n");
    answer("cmd=response_to_init rc=0 pmi_version=2 pmi_subversion=0\n");
    ck_assert_str_eq(heard(), "    45cmd=abort;isworld=TRUE;exitcode=7;msg=ftcoll;");
    close(launcher);
    await_end(child);
}
END_TEST

START_TEST(pmi2_mapping_is_an_attribute_of_the_job)
{
    pid_t child = start_with_pmi2(ask_mapping);

    ck_assert_str_eq(heard(), "    44cmd=info-getjobattr;key=PMI_process_mapping;");
    answer("    69cmd=info-getjobattr-response;rc=0;found=TRUE;value=(vector,(0,1,4));;");
    await_end(child);
}
END_TEST

START_TEST(pmi2_a_mapping_that_is_not_there)
{
    pid_t child = start_with_pmi2(ask_in_vain);

    heard();
    answer("46    cmd=info-getjobattr-response;rc=0;found=FALSE;"); /* as Slurm does it */
    await_end(child);
}
END_TEST

START_TEST(pmi2_what_is_no_message_is_none)
{
    pid_t child = start_with_pmi2(ask_somebody_else);

    heard();
    answer("cmd=my_kvsname kvsname=kvs_7_0\n");
    await_end(child);
}
END_TEST

START_TEST(nothing_is_said_to_one_that_does_not_answer)
{
    pid_t child;

    ftc_pmi_speak(FTC_PMI_MUTE);
    child = start(finalize);
    await_end(child);
    ck_assert_str_eq(heard(), "");
    ftc_pmi_speak(FTC_PMI_1);
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
    UNIT_TEST(the_mapping_is_asked_for_in_two_steps);
    UNIT_TEST(the_launcher_is_told_to_end_the_job_though_a_signal_came_first);
    UNIT_TEST(a_launcher_that_ends_the_job_itself_is_not_told);
    UNIT_TEST(pmi2_finalize_waits_for_its_answer);
    UNIT_TEST(pmi2_abort_names_the_whole_job);
    UNIT_TEST(pmi2_mapping_is_an_attribute_of_the_job);
    UNIT_TEST(pmi2_a_mapping_that_is_not_there);
    UNIT_TEST(pmi2_what_is_no_message_is_none);
    UNIT_TEST(nothing_is_said_to_one_that_does_not_answer);
    UNIT_END();
}
