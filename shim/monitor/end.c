#include "end.h"

#include "announce.h"
#include "board/death.h"
#include "board/end_of_job.h"
#include "board/lease.h"
#include "board/presence.h"
#include "board/rank_state.h"
#include "channel.h"
#include "leaseholder.h"
#include "mpi/callsite.h"
#include "net/lease.h"
#include "pipes.h"
#include "pmi.h"
#include "query_server.h"
#include "signals.h"
#include "system/clock.h"
#include "system/lines.h"
#include "system/own_code.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OUTER_MS = 100,
    REAP_MS = 1000,
    LATE_SIGNAL_MS = 100,
    END_MS = 1000,
    SITE_TEXT = 256,
    INPUT_MS = 50,
    OTHERS_AGAIN_NS = 1000000,
    NS_OF_MS = 1000000
};

/* Makes the other monitor processes neither enter nor announce a death of this rank after the end
 * of this process: this process has dealt with it, or the job ends. */
static void leave_alone(const struct ftc_monitored *rank)
{
    if (ftc_board_is_open(&rank->board))
        atomic_store(&ftc_board_lifeline(&rank->board, rank->world)->left_alone, true);
}

/* Reaps the program if it has ended. That can cost a core for milliseconds (Linux 6.18). The
 * survivors need the core for the operation in which the rank has died, so await_survivors() lets
 * that operation end first, if it ends within REAP_MS. */
static void reap(const struct ftc_monitored *rank)
{
    if (rank->job.ended > 0)
        waitpid(rank->job.ended, NULL, WNOHANG);
}

/* Shows that this monitor process ends as it should. Without this the other monitor processes enter
 * the death of its rank. */
static void say_goodbye(const struct ftc_monitored *rank)
{
    struct ftc_channel_message m = {.kind = FTC_CHANNEL_GOODBYE};

    reap(rank);
    leave_alone(rank);
    ftc_channel_send(rank->job.channel, m, NULL, 0);
}

/* Sends other hosts and mpiexec what they have to know of this rank, then says goodbye. */
static void leave(struct ftc_monitored *rank)
{
    ftc_query_server_finish(rank);
    ftc_leaseholder_finish(rank);
    say_goodbye(rank);
}

/* Ends this process by signal @number with its default effect, but without a second core dump. */
static void die_by(int number)
{
    struct rlimit none = {0, 0};
    sigset_t only;

    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
}

static _Noreturn void end_as_program(struct ftc_monitored *rank, int status)
{
    leave(rank);
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    die_by(WTERMSIG(status));
    _exit(128 + WTERMSIG(status));
}

static _Noreturn void end_well(struct ftc_monitored *rank)
{
    leave(rank);
    _exit(rank->options.settings.failure_exit_status);
}

/* Returns whether every rank is ready. Until then a death ends the job, as it does natively. */
static bool is_protected(const struct ftc_monitored *rank)
{
    return ftc_board_is_open(&rank->board) && ftc_presence_are_all_ready(&rank->board);
}

/* Signals by which the launcher passes on that the job is to end: after Ctrl-C, or after a signal
 * of a batch system or a user. */
static const int ends_job[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { ENDS_JOB = sizeof ends_job / sizeof ends_job[0] };

static bool was_told_to_end(const struct ftc_monitored *rank)
{
    for (size_t i = 0; i < ENDS_JOB; i++)
        if (sigismember(&rank->from_launcher, ends_job[i]) == 1)
            return true;
    return false;
}

/* Returns whether the launcher has caused the program's end. A program that handles the signal may
 * save its work and end MPI well, or be killed by something else meanwhile: the launcher has caused
 * neither. An exit before the end of MPI is taken for the signal handler's. */
static bool was_ended_by_launcher(const struct ftc_monitored *rank, int status)
{
    if (WIFSIGNALED(status))
        return sigismember(&rank->from_launcher, WTERMSIG(status)) == 1;
    return was_told_to_end(rank) &&
           (!ftc_board_is_open(&rank->board) ||
            ftc_board_state(&rank->board, rank->world) != FTC_RANK_FINALIZED);
}

static bool any_other(const struct ftc_monitored *rank, bool (*matches)(enum ftc_rank_state))
{
    for (uint32_t i = 0; i < rank->board.geometry.ranks; i++)
        if (i != rank->world && matches(ftc_board_state(&rank->board, i)))
            return true;
    return false;
}

static bool is_alive(enum ftc_rank_state state)
{
    return state != FTC_RANK_FAILED;
}

static bool is_in_mpi(enum ftc_rank_state state)
{
    return state == FTC_RANK_RUNNING;
}

/* ---- a host that is given up ---- */

static bool is_given_up(const struct ftc_monitored *rank)
{
    return ftc_board_is_open(&rank->board) && ftc_lease_has_ended(&rank->board);
}

/* Ends this process on a host that is given up, after it has killed the program if that still runs.
 * Waits before its own end until mpiexec has declared the host lost, because mpiexec takes a
 * process that ends badly for the end of the job. If the network is cut in one direction only,
 * mpiexec may have heard requests until now. */
static _Noreturn void end_with_host(struct ftc_monitored *rank)
{
    long wait_ms = rank->options.settings.unreachable_ms +
                   2 * ftc_lease_margin_ms(rank->options.settings.unreachable_ms);

    if (rank->job.child > 0)
        kill(rank->job.child, SIGKILL);
    reap(rank);
    leave_alone(rank);
    nanosleep(&(struct timespec){.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * NS_OF_MS},
              NULL);
    _exit(1);
}

/* Kills the ranks of this host that are in MPI. Each of the other monitor processes sees its own
 * rank end. */
_Noreturn void ftc_rank_end_host(struct ftc_monitored *rank)
{
    struct ftc_board *board = &rank->board;

    ftc_lease_end(board);
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_pid(board, i) > 1 && ftc_board_state(board, i) == FTC_RANK_RUNNING)
            kill(ftc_board_pid(board, i), SIGKILL);
    ftc_notice_host_stops(board, rank->options.settings.unreachable_ms);
    end_with_host(rank);
}

/* ---- the end of one rank ---- */

/* Announces what is due at the end. The last rank in MPI may have been lost with its host, and the
 * agent may be about to announce that. */
static void look_for_the_last(struct ftc_monitored *rank)
{
    if (ftc_board_has_other_hosts(&rank->board))
        ftc_announce_lost(rank);
    ftc_announce_due(rank);
}

static bool has_passed(uint64_t since_ns, int ms)
{
    return ftc_clock_ns() - since_ns > (uint64_t)ms * NS_OF_MS;
}

/* Returns whether a signal of the launcher that has ended the program has arrived here only after
 * the program's end. Later signals tell the survivors to end, and do not concern this process: it
 * ends as the survivors do. */
static bool was_ended_by_late_signal(const struct ftc_monitored *rank, int status, uint64_t end_ns)
{
    return !has_passed(end_ns, LATE_SIGNAL_MS) && ftc_signals_may_be_late(rank) &&
           was_ended_by_launcher(rank, status);
}

/* Waits until no survivor is in MPI. Meanwhile the account with the launcher stays open, because
 * the launcher takes the end of one account for the end of the job. Returns false if the launcher
 * or a monitor process ends the job meanwhile: what looked like a death of the rank may have been
 * the first sign of that.
 *
 * Sets *@is_settled when the launcher has answered. A rank may have died between its own last
 * command to the launcher and the answer. Then that answer settles the account, or two answers
 * come. The launcher takes a broken connection for the end of the job, so it must be able to send
 * both. */
static bool await_survivors(struct ftc_monitored *rank, int status, bool *is_settled)
{
    uint64_t began_ns = ftc_clock_ns();

    while (any_other(rank, is_in_mpi)) {
        enum ftc_pmi_answer answer = ftc_pmi_wait(rank->job.pmi, FTC_ANNOUNCE_TURN_MS);

        ftc_announce_due(rank);
        if (!rank->is_watching || has_passed(began_ns, REAP_MS))
            reap(rank);
        *is_settled = *is_settled || answer == FTC_PMI_FINALIZE_ACK;
        ftc_signals_forward(rank);
        if (answer == FTC_PMI_CLOSED || was_ended_by_late_signal(rank, status, began_ns) ||
            ftc_end_of_job_is_now(&rank->board))
            return false;
    }
    look_for_the_last(rank);
    return true;
}

/* Waits, for END_MS at most, until the launcher ends the job. The process that ends the job is
 * about to report the status of its rank to the launcher. The end of a rank that died before would
 * become the job's if it came first. */
static void await_end_of_job(struct ftc_monitored *rank, int status)
{
    uint64_t began_ns = ftc_clock_ns();

    while (!has_passed(began_ns, END_MS) && !was_ended_by_launcher(rank, status) &&
           ftc_pmi_wait(rank->job.pmi, FTC_ANNOUNCE_TURN_MS) != FTC_PMI_CLOSED)
        ftc_signals_forward(rank);
}

/* Waits until no rank of the job is in MPI or the job ends, if there are other hosts. Their ranks
 * may still ask what this one has published, and the board is gone with the last monitor process of
 * this host. On one host the board stays for the others. */
static void await_other_hosts(struct ftc_monitored *rank)
{
    while (ftc_board_has_other_hosts(&rank->board) && any_other(rank, is_in_mpi) &&
           !ftc_end_of_job_is_now(&rank->board)) {
        nanosleep(&(struct timespec){.tv_nsec = OTHERS_AGAIN_NS}, NULL);
        ftc_signals_forward(rank);
        ftc_announce_due(rank);
    }
    look_for_the_last(rank);
}

/* Aborts by PMI, because under Slurm the end of one process is not that of the job. Waits first
 * until messages are read, because Hydra ends the job as soon as one process has ended, and then
 * drops what it has not read. */
_Noreturn void ftc_rank_end_job(const struct ftc_monitored *rank, int status)
{
    ftc_announce_deaths(rank);
    ftc_announce_end(rank);
    ftc_lines_await_reader(STDERR_FILENO);
    ftc_end_of_job_begin(&rank->board);
    say_goodbye(rank);
    ftc_pmi_abort(rank->job.pmi, status, true);
    _exit(status);
}

static void say_forbidden(const struct ftc_monitored *rank, uint32_t world)
{
    char text[128];

    ftc_death_describe_end(&rank->board, world, rank->options.settings.max_failed, text,
                           sizeof text);
    ftc_lines_say("ftcoll: %s\n", text);
}

/* Counts all deaths so far against max_failed, not only that of @world. */
void ftc_rank_end_job_if_forbidden(const struct ftc_monitored *rank, uint32_t world, int status)
{
    if (!ftc_death_ends_job(&rank->board, world, rank->options.settings.max_failed))
        return;
    if (ftc_end_of_job_claim(&rank->board, rank->world)) /* else another process reports it */
        say_forbidden(rank, world);
    ftc_rank_end_job(rank, WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1);
}

/* Returns whether this death is left to others. Deaths on several hosts that are too many only
 * together are handled on the host of the last one, or by the agents if each host hears of the
 * other's death later. */
static bool is_left_to_others(const struct ftc_monitored *rank)
{
    const struct ftc_board *board = &rank->board;
    int deaths = 0;

    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        deaths += ftc_board_is_dead(board, i) &&
                  ftc_death_time_ns(board, i) <= ftc_death_time_ns(board, rank->world);
    return ftc_board_has_other_hosts(board) && !ftc_death_is_forbidden(board, rank->world) &&
           deaths <= rank->options.settings.max_failed;
}

static bool is_any_other_here(const struct ftc_monitored *rank)
{
    const struct ftc_board *board = &rank->board;

    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (i != rank->world && ftc_board_is_here(board, i) && !ftc_board_is_dead(board, i) &&
            ftc_lifeline_is_guarded(ftc_board_lifeline(board, i)))
            return true;
    return false;
}

static void pause_and_forward(struct ftc_monitored *rank)
{
    nanosleep(&(struct timespec){.tv_nsec = OTHERS_AGAIN_NS}, NULL);
    ftc_signals_forward(rank);
}

static bool is_input_on_its_way(uint64_t last_left_ns)
{
    return !has_passed(ftc_pipes_drained_ns(), INPUT_MS) && !has_passed(last_left_ns, END_MS);
}

/* Waits while the dead rank's standard input has to be read, because Hydra ends the job if it
 * cannot write it. That is as long as survivors work, also after the end of MPI. Input that is on
 * its way then gets a second. */
static void await_end_of_input(struct ftc_monitored *rank)
{
    uint64_t last_left_ns;

    while (ftc_pipes_are_draining() && is_any_other_here(rank))
        pause_and_forward(rank);
    last_left_ns = ftc_clock_ns();
    while (ftc_pipes_are_draining() && is_input_on_its_way(last_left_ns))
        pause_and_forward(rank);
}

/* Ends this process with the job. All hosts end at the same time, and one of them reports. */
static _Noreturn void end_with_job(struct ftc_monitored *rank, int status)
{
    leave_alone(rank);
    if (is_protected(rank) && ftc_lease_is_first_left(&rank->board) && ftc_announce_end(rank))
        ftc_lines_await_reader(STDERR_FILENO);
    end_as_program(rank, status);
}

static int status_of_death(const struct ftc_board *board, uint32_t rank)
{
    enum ftc_death_cause cause = ftc_death_cause(board, rank);

    return cause == FTC_DEATH_SIGNAL || cause == FTC_DEATH_EXIT ? ftc_death_value(board, rank) : 1;
}

/* Returns the status of the last death that was not an exit with 0; 0: there is none. */
static int status_of_last_death(const struct ftc_board *board)
{
    uint64_t last_ns = 0;
    int status = 0;

    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        uint64_t death_ns = ftc_death_time_ns(board, i);
        int of_rank = status_of_death(board, i);

        if (of_rank != 0 && death_ns >= last_ns) {
            last_ns = death_ns;
            status = of_rank;
        }
    }
    return status;
}

/* Ends this process when no rank is left. No rank can have the result, so the job has failed,
 * unless all ranks exited with 0. The job gets the status of the last death by PMI abort: if
 * processes end with several statuses, Hydra takes any of them, or 255. */
static _Noreturn void end_with_nobody_left(struct ftc_monitored *rank, int status,
                                           bool is_last_announced, bool is_settled)
{
    int of_job = status_of_last_death(&rank->board);

    if (is_last_announced)
        ftc_lines_await_reader(STDERR_FILENO);
    if (!is_settled && of_job != 0)
        ftc_pmi_abort(rank->job.pmi, of_job, true);
    else if (!is_settled)
        ftc_pmi_finalize(rank->job.pmi, ftc_board_is_leaving(&rank->board, rank->world));
    end_as_program(rank, status);
}

static _Noreturn void end_dead(struct ftc_monitored *rank, int status)
{
    bool is_settled = false, is_last_announced;

    ftc_pipes_drain(rank->input);
    ftc_rank_announce_death(rank, status);
    if (!is_left_to_others(rank))
        ftc_rank_end_job_if_forbidden(rank, rank->world, status);
    if (!await_survivors(rank, status, &is_settled)) {
        await_end_of_job(rank, status);
        end_with_job(rank, status);
    }
    is_last_announced = ftc_announce_end(rank);
    if (!any_other(rank, is_alive))
        end_with_nobody_left(rank, status, is_last_announced, is_settled);
    if (!is_settled)
        ftc_pmi_finalize(rank->job.pmi, ftc_board_is_leaving(&rank->board, rank->world));
    await_end_of_input(rank);
    end_well(rank);
}

/* Returns whether the program was ended by a signal with which the launcher may have ended the job.
 * The program may have received it before the monitor process (Slurm). */
static bool may_be_of_launcher(int status)
{
    for (size_t i = 0; i < ENDS_JOB; i++)
        if (WIFSIGNALED(status) && WTERMSIG(status) == ends_job[i])
            return true;
    return false;
}

/* Returns whether the outer monitor process was killed as well. The launcher kills the process
 * group of the outer one. A monitor process below a script is not in that group, and sees its
 * program end at the same time. */
static bool was_killed_with_outer(const struct ftc_monitored *rank)
{
    struct pollfd outer = {.fd = rank->job.outer};

    return poll(&outer, 1, OUTER_MS) > 0 && ftc_channel_is_deserted(rank->job.outer);
}

/* Returns whether the program's end is a failure to announce. Where that cannot be known at once,
 * returns false until the program is over. */
static bool is_failure(const struct ftc_monitored *rank, int status)
{
    bool is_over = rank->job.child == 0, is_inner = rank->job.outer >= 0;

    if (!is_protected(rank) || is_given_up(rank) || rank->stood_down ||
        was_ended_by_launcher(rank, status))
        return false;
    if (!is_over && (is_inner || may_be_of_launcher(status)))
        return false;
    return !is_inner || !was_killed_with_outer(rank);
}

static void say_crash(const struct ftc_monitored *rank, uint64_t offset)
{
    char place[SITE_TEXT], death[64];

    ftc_callsite_name_in(getpid(), ftc_own_code_address(offset) + 1, place, sizeof place);
    ftc_death_name(&rank->board, rank->world, death, sizeof death);
    ftc_lines_say("ftcoll: rank %d crashed inside the library, at %s (%s): the library has a "
                  "defect, or a buffer of the program cannot be read or written; the job ends, as "
                  "it does natively\n",
                  (int)rank->world, place, death);
}

/* Ends the job if the program crashed inside the library. Survivors may wait for what the library
 * has left undone, or have received what it has done wrong. */
static void end_job_if_crashed(struct ftc_monitored *rank, int status)
{
    uint64_t offset;

    if (!ftc_death_crashed_at(&rank->board, rank->world, &offset))
        return;
    if (ftc_end_of_job_claim(&rank->board, rank->world)) /* else another process reports why */
        say_crash(rank, offset);
    ftc_rank_end_job(rank, WIFSIGNALED(status) ? WTERMSIG(status) : 1);
}

void ftc_rank_announce_death(struct ftc_monitored *rank, int status)
{
    if (!ftc_board_is_open(&rank->board) || !ftc_board_is_dead(&rank->board, rank->world) ||
        !is_failure(rank, status))
        return;
    end_job_if_crashed(rank, status);
    ftc_announce_death(rank);
}

void ftc_rank_stand_down(struct ftc_monitored *rank)
{
    rank->stood_down = true;
    if (!ftc_board_is_open(&rank->board))
        return;
    ftc_signals_forward(rank);
    if (!was_ended_by_launcher(rank, 0)) {
        ftc_announce_await_first_host(rank);
        ftc_announce_deaths(rank);
    }
    if (ftc_announce_end(rank))
        ftc_lines_await_reader(STDERR_FILENO);
    leave_alone(rank);
    ftc_end_of_job_begin(&rank->board);
}

void ftc_rank_enter_death(struct ftc_monitored *rank, int status)
{
    if (!is_protected(rank) || rank->stood_down || is_given_up(rank))
        return;
    if (WIFSIGNALED(status))
        ftc_board_mark_failed(&rank->board, rank->world, FTC_DEATH_SIGNAL, WTERMSIG(status));
    else
        ftc_board_mark_failed(&rank->board, rank->world, FTC_DEATH_EXIT, WEXITSTATUS(status));
}

/* Aborts the job by PMI if MPI has ended the program. The end of a rank alone would end the job as
 * well, but Hydra gives such a job one of several statuses by chance: this one, 9 or 255. Under
 * Slurm it would end one process only. */
static void report_abort(const struct ftc_monitored *rank, int status)
{
    if (!rank->stood_down || (WIFSIGNALED(status) && was_ended_by_launcher(rank, status)))
        return;
    ftc_lines_await_reader(STDERR_FILENO);
    ftc_pmi_abort(rank->job.pmi, WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), true);
}

void ftc_rank_end(struct ftc_monitored *rank, int status)
{
    if (is_given_up(rank))
        end_with_host(rank);
    report_abort(rank, status);
    ftc_rank_enter_death(rank, status); /* survivors wait for this, even if they have to end */
    if (!is_protected(rank) || rank->stood_down || was_ended_by_launcher(rank, status))
        end_with_job(rank, status);
    if (ftc_board_is_dead(&rank->board, rank->world)) {
        ftc_board_wake_watchers(&rank->board);
        end_dead(rank, status);
    }
    await_other_hosts(rank);
    if (status == 0 && ftc_board_deaths(&rank->board) > 0)
        end_well(rank);
    end_as_program(rank, status);
}
