#include "process.h"

#include "agent.h"
#include "announce.h"
#include "blocked.h"
#include "channel.h"
#include "config/settings.h"
#include "end.h"
#include "net/socket.h"
#include "observer_ring.h"
#include "pipes.h"
#include "pmi.h"
#include "query_server.h"
#include "signals.h"
#include "system/lifeline.h"
#include "system/proc.h"
#include "system/scheduling.h"
#include "system/symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Fields of proc_pid_stat(5): where the argument strings are in memory. */
enum { STAT_ARG_START = 48, STAT_ARG_END = 49 };

static struct ftc_monitored rank = {.board.fd = -1, .listener = -1, .input = -1};

/* Descriptors that the monitor process keeps. It keeps the launcher's connection for its end, which
 * mpiexec sees when all processes that hold it have ended (net/socket.h). */
static const int error_output = STDERR_FILENO;
static int launcher = -1;
static int output = -1; /* error_output, or another pipe that the launcher reads (pipes.h) */
static const int *const kept[] = {&error_output, &rank.job.channel, &rank.job.tether,
                                  &rank.job.pmi, &rank.job.outer,   &rank.signals,
                                  &launcher,     &output,           &rank.input};
enum { KEPT = sizeof kept / sizeof kept[0] };

static bool is_kept(int fd)
{
    for (int i = 0; i < KEPT; i++)
        if (*kept[i] == fd)
            return true;
    return false;
}

static int highest_kept(void)
{
    int max = 0;

    for (int i = 0; i < KEPT; i++)
        if (*kept[i] > max)
            max = *kept[i];
    return max;
}

/* Opens the standard descriptors that the program was started without, so that no other file gets
 * their numbers. */
static void open_standard(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* Closes the descriptors that are not kept. The program's files, pipes and sockets must see their
 * end when the program closes them. */
static void close_inherited(void)
{
    int last = highest_kept(), null;

    for (int fd = 0; fd <= last; fd++)
        if (!is_kept(fd))
            close(fd);
    closefrom(last + 1);
    null = open("/dev/null", O_RDWR); /* lowest free number: standard input or output */
    if (null == STDIN_FILENO && !is_kept(STDOUT_FILENO))
        dup2(null, STDOUT_FILENO);
}

/* Names this process "ftcoll-monitor" in ps. A kill by the program's name then does not hit it. */
static void take_own_name(void)
{
    static const char stat[] = "/proc/self/stat";
    unsigned long start, end;
    char name[32];

    prctl(PR_SET_NAME, "ftcoll-monitor");
    if (!ftc_proc_stat_field(stat, STAT_ARG_START, &start) ||
        !ftc_proc_stat_field(stat, STAT_ARG_END, &end) || start == 0 || end <= start)
        return;
    memset((void *)start, 0, end - start);
    snprintf(name, sizeof name, "ftcoll-monitor %d", (int)rank.job.child);
    memcpy((void *)start, name, strnlen(name, end - start - 1));
}

static void open_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    rank.signals = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
    if (rank.signals < 0) {
        kill(rank.job.child, SIGKILL);
        _exit(1);
    }
}

/* Waits until the program's lock is released, and enters the death. Runs in a thread of its own,
 * because no call waits for a lock and for signals together. */
static void *watch_life(void *life)
{
    int status;

    ftc_lifeline_await_end(life);
    if (ftc_lifeline_is_ending(life, rank.job.child, &status)) {
        ftc_rank_enter_death(&rank, status);
        atomic_store(&rank.ending_status, status);
        atomic_store(&rank.is_ending, true);
        ftc_announce_wake(&rank);
        ftc_lifeline_list_threads(life, rank.job.child);
    }
    return NULL;
}

static void *watch_marks(void *unused)
{
    ftc_blocked_watch(&rank);
    return unused;
}

static void *watch_others(void *unused)
{
    ftc_observer_ring_watch(&rank);
    return unused;
}

static void *serve_other_hosts(void *unused)
{
    ftc_query_server_run(&rank);
    return unused;
}

static void *hear_other_hosts(void *unused)
{
    ftc_agent_run(&rank);
    return unused;
}

static bool start_for_other_hosts(void)
{
    return ftc_monitored_start_thread(serve_other_hosts, NULL) &&
           ftc_monitored_start_thread(hear_other_hosts, NULL);
}

/* Starts the threads that watch. Without the first one, the rank's death is known milliseconds
 * later. Returns 0 or a negative errno. */
static int start_watching(struct ftc_lifeline *life)
{
    int rv = ftc_lifeline_guard(life);

    if (rv != 0)
        return rv;
    (void)ftc_monitored_start_thread(watch_life, life);
    if (!ftc_monitored_start_thread(watch_others, NULL) ||
        (rank.options.settings.on_blocked != FTC_ON_BLOCKED_OFF &&
         !ftc_monitored_start_thread(watch_marks, NULL)) ||
        (ftc_board_has_other_hosts(&rank.board) && !start_for_other_hosts()))
        return -EAGAIN;
    return 0;
}

/* Returns whether a listener has come with @r if there are other hosts, and none otherwise. */
static bool has_listener(const struct ftc_board *board, const struct ftc_channel_received *r)
{
    return ftc_board_has_other_hosts(board) == (r->fd_count > 1);
}

static int attach_board(struct ftc_channel_received *r)
{
    const struct ftc_channel_message *m = &r->message;
    struct ftc_board board = {.fd = -1};
    int rv;

    if (ftc_board_is_open(&rank.board))
        return -EALREADY;
    if (r->fd_count < 1)
        return -EBADF;
    rv = ftc_board_map(&board, r->fd[0]);
    if (rv != 0)
        return rv;
    board.fd = -1; /* owned by the message as long as that may be refused */
    if (m->world >= board.geometry.ranks || m->options.settings.failure_exit_status < 0 ||
        m->options.settings.failure_exit_status > 255 || m->options.settings.blocked_ms < 1 ||
        m->options.settings.unreachable_ms < 1 || !has_listener(&board, r) ||
        !memchr(m->options.paths.report, '\0', FTC_REPORT_PATH_MAX) ||
        !memchr(m->options.paths.trace, '\0', FTC_REPORT_PATH_MAX)) {
        ftc_board_close(&board);
        return -EINVAL;
    }
    rank.board = board;
    rank.world = m->world;
    rank.options = m->options;
    if (r->fd_count > 1)
        rank.listener = r->fd[--r->fd_count]; /* owned by this process from here on */
    rank.board.fd = r->fd[--r->fd_count];     /* also owned by this process */
    return start_watching(ftc_board_lifeline(&board, m->world));
}

static void speak(const struct ftc_channel_message *m)
{
    if (m->wire == FTC_PMI_MUTE || m->wire == FTC_PMI_1 || m->wire == FTC_PMI_2)
        ftc_pmi_speak((enum ftc_pmi_wire)m->wire);
}

static void handle_message(struct ftc_channel_received *r)
{
    struct ftc_channel_message answer = {.kind = FTC_CHANNEL_ANSWER};

    if (r->sender != (rank.job.child > 0 ? rank.job.child : rank.job.ended))
        return;
    switch (r->message.kind) {
    case FTC_CHANNEL_ATTACH:
        speak(&r->message);
        answer.outcome = attach_board(r);
        break;
    case FTC_CHANNEL_STAND_DOWN:
        speak(&r->message);
        ftc_rank_stand_down(&rank);
        break;
    default:
        answer.outcome = -EPROTO;
    }
    ftc_channel_send(rank.job.channel, answer, NULL, 0);
}

/* Takes all messages that have arrived. Returns false once no process can send any more. */
static bool serve_channel(void)
{
    struct ftc_channel_received r;
    int rv;

    do {
        rv = ftc_channel_receive(rank.job.channel, &r);
        if (rv != 0)
            continue;
        handle_message(&r);
        ftc_channel_drop(&r);
    } while (rv == 0 || rv == -EPROTO);
    return rv != -EPIPE;
}

/* Returns whether the program has ended, and with which status as of waitpid(). Does not reap it
 * (end.c). */
static bool has_ended(int *status)
{
    siginfo_t end = {0};

    if (waitid(P_PID, (id_t)rank.job.child, &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        end.si_pid != rank.job.child)
        return false;
    *status =
        end.si_code == CLD_EXITED ? W_EXITCODE(end.si_status, 0) : W_EXITCODE(0, end.si_status);
    return true;
}

/* Forwards signals and checks for the program's end. Any signal can stand for that end, because of
 * several pending signals with the same number only one arrives. */
static void serve_signals(void)
{
    int status;

    ftc_signals_forward(&rank);
    if (!has_ended(&status))
        return;
    rank.job.ended = rank.job.child;
    rank.job.child = 0;
    serve_channel();
    ftc_rank_end(&rank, status);
}

/* Handles what other threads have seen. First handles the signals that came before that. */
static void serve_wakeup(void)
{
    ftc_announce_reset(&rank);
    serve_signals();
    if (atomic_load(&rank.is_ending))
        ftc_rank_announce_death(&rank, atomic_load(&rank.ending_status));
}

void ftc_monitor_run(const struct ftc_monitor_job *job)
{
    enum { SIGNALS, CHANNEL, OUTER, WAKEUP, SOURCES };
    struct pollfd source[SOURCES];

    rank.job = *job;
    launcher = ftc_socket_launcher();
    output = ftc_pipes_output_to(job->launcher);
    rank.input = ftc_pipes_input_from(job->launcher);
    open_standard();
    open_signals();
    ftc_signals_prepare(&rank);
    ftc_symbol_settle();
    close_inherited();
    ftc_announce_open(&rank);
    take_own_name();
    ftc_scheduling_ask_for_short_slice();
    source[SIGNALS] = (struct pollfd){.fd = rank.signals, .events = POLLIN};
    source[CHANNEL] = (struct pollfd){.fd = job->channel, .events = POLLIN};
    source[OUTER] = (struct pollfd){.fd = job->outer}; /* hang-up is always reported */
    source[WAKEUP] = (struct pollfd){.fd = rank.wakeup, .events = POLLIN};
    for (;;) {
        if (poll(source, SOURCES, ftc_announce_due(&rank) ? FTC_ANNOUNCE_TURN_MS : -1) < 0)
            continue;
        if (source[WAKEUP].revents)
            serve_wakeup();
        if (source[SIGNALS].revents)
            serve_signals();
        if (source[CHANNEL].revents && !serve_channel())
            source[CHANNEL].fd = -1;
        if (source[OUTER].revents) {
            if (ftc_channel_is_deserted(job->outer))
                kill(job->child, SIGKILL);
            source[OUTER].fd = -1;
        }
    }
}
