#include "monitor.h"

#include "channel.h"
#include "mpi/mpi_library.h"
#include "pmi.h"
#include "process.h"
#include "system/environment.h"
#include "system/lifeline.h"
#include "system/lines.h"
#include "system/proc.h"
#include "system/stopwatch.h"
#include "system/task_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARKER "FTCOLL_INTERNAL_MONITOR"

enum { ANSWER_MS = 5000, LOOK_MS = 100, NS_OF_MS = 1000000 };

/* Marker in the environment: which process monitors which, and their descriptors and PMI socket. */
struct marker {
    int monitor, child, channel, tether;
    unsigned long pmi_inode;
};

static const char *absence = "the program was not started by mpiexec of MPICH as an MPI program";

static unsigned long inode_of(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 ? (unsigned long)st.st_ino : 0;
}

/* Reads the marker. Returns false if neither this process nor one above it, up to the launcher, has
 * a monitor process. The marker of another job, within which this job's mpiexec was started, names
 * another PMI socket. */
static bool read_marker(struct marker *m)
{
    const char *text = getenv(MARKER);
    int pmi = ftc_pmi_fd(), end = 0;

    return text && pmi >= 0 &&
           sscanf(text, "%d:%d:%d:%d:%lu%n", &m->monitor, &m->child, &m->channel, &m->tether,
                  &m->pmi_inode, &end) == 5 &&
           text[end] == '\0' && m->pmi_inode == inode_of(pmi);
}

static void write_marker(const struct marker *m)
{
    char text[96];

    snprintf(text, sizeof text, "%d:%d:%d:%d:%lu", m->monitor, m->child, m->channel, m->tether,
             m->pmi_inode);
    setenv(MARKER, text, 1);
}

static bool is_linked_with_mpi(void)
{
    return ftc_mpi_linked() != FTC_MPI_NONE;
}

/* Returns whether @m is about this process. Its process id survives exec, and a process that it
 * forks has another one. */
static bool is_own(const struct marker *m)
{
    return m->child == (int)getpid() && m->monitor == (int)getppid() &&
           ftc_channel_is_end(m->channel);
}

static bool read_own_marker(struct marker *m)
{
    return read_marker(m) && is_own(m);
}

bool ftc_monitor_present(void)
{
    struct marker m;

    return read_own_marker(&m);
}

const char *ftc_monitor_absence(void)
{
    return ftc_monitor_present() ? NULL : absence;
}

bool ftc_monitor_is_rank(void)
{
    struct marker m;

    if (ftc_pmi_fd() < 0)
        return false;
    return !read_marker(&m) || is_own(&m) || is_linked_with_mpi();
}

/* Returns whether this process may fork. Otherwise a fork would take the program out of its
 * debugger's sight, or drop its other threads. Sets the reason for a message. */
static bool may_fork(void)
{
    static const char status[] = "/proc/self/status";
    unsigned long tracer = 0, threads = 1;

    ftc_proc_status_value(status, "TracerPid:", 10, &tracer);
    ftc_proc_status_value(status, "Threads:", 10, &threads);
    if (tracer != 0)
        absence = "the program runs under a debugger";
    else if (threads > 1)
        absence = "a library has started threads before the program began";
    else
        return true;
    return false;
}

/* Number of threads of a protected rank: the program's, UCX's, the library's, and four of the
 * monitor process. A native rank has the first two. */
enum { TASKS_OF_RANK = 7 };

/* Returns whether the limit of processes allows monitor processes for all ranks of this launcher.
 * Without this check a monitor process could take the place of a thread that MPI needs. */
static bool leaves_room(pid_t launcher)
{
    size_t ranks = (size_t)ftc_environment_number("MPI_LOCALNRANKS", 1);

    if (ftc_task_limit_allows(launcher, TASKS_OF_RANK * ranks))
        return true;
    absence = "the limit of processes (ulimit -u) leaves too few for it";
    return false;
}

struct signal_state {
    sigset_t mask;
    struct sigaction on_child;
};

/* Blocks all signals, and gives SIGCHLD its default disposition: an inherited "ignore" would make
 * the kernel drop the program's exit status. */
static void hold_signals(struct signal_state *before)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before->mask);
    sigaction(SIGCHLD, &standard, &before->on_child);
}

static void release_signals(const struct signal_state *before)
{
    sigaction(SIGCHLD, &before->on_child, NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* Makes the kernel kill the program when the monitor process ends, because no process would notice
 * the program's death then. The parent-death signal still works if the program closes all
 * descriptors, the tether if it changes its user or asks for another signal. */
static void depend_on(pid_t monitor, int tether)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != monitor)
        raise(SIGKILL);
    ftc_channel_tie(tether);
}

static void go_on_as_program(pid_t monitor, const struct ftc_channel_ends *ends, int pmi)
{
    struct marker m = {.monitor = (int)monitor,
                       .child = (int)getpid(),
                       .channel = ends->rank,
                       .tether = ends->tether_rank,
                       .pmi_inode = inode_of(pmi)};

    close(ends->monitor);
    close(ends->tether_monitor);
    depend_on(monitor, ends->tether_rank);
    write_marker(&m);
}

void ftc_monitor_start(void)
{
    struct marker outer;
    struct ftc_monitor_job job = {.launcher = getppid(), .pmi = ftc_pmi_fd(), .outer = -1};
    struct ftc_channel_ends ends;
    struct signal_state before;
    pid_t self = getpid();
    bool is_below = read_marker(&outer);

    if ((is_below && is_own(&outer)) || !may_fork())
        return;
    if (!is_below && !leaves_room(job.launcher))
        return;
    if (ftc_channel_open(&ends) != 0) {
        absence = "no socket pair or pipe for a monitor process";
        return;
    }
    if (is_below && ftc_channel_is_end(outer.channel))
        job.outer = outer.channel;
    hold_signals(&before);
    job.child = fork();
    job.channel = ends.monitor;
    job.tether = ends.tether_monitor;
    if (job.child > 0)
        ftc_monitor_run(&job);
    if (job.child == 0) {
        go_on_as_program(self, &ends, job.pmi);
    } else {
        absence = "the fork of a monitor process failed";
        ftc_channel_close(&ends);
    }
    release_signals(&before);
}

static int wait_for_answer(int channel)
{
    struct ftc_channel_received r;
    struct ftc_stopwatch stopwatch = {0};
    int rv;

    while ((rv = ftc_channel_receive(channel, &r)) != 0) {
        struct pollfd p = {.fd = channel, .events = POLLIN};

        if (rv != -EAGAIN)
            return rv;
        if (ftc_stopwatch_elapsed_ns(&stopwatch, (uint64_t)LOOK_MS * NS_OF_MS) >=
            (uint64_t)ANSWER_MS * NS_OF_MS)
            return -ETIMEDOUT;
        poll(&p, 1, LOOK_MS);
    }
    ftc_channel_drop(&r);
    return r.message.kind == FTC_CHANNEL_ANSWER ? r.message.outcome : -EPROTO;
}

static int ask(int channel, struct ftc_channel_message m, const int *fd, size_t fd_count)
{
    int rv = ftc_channel_send(channel, m, fd, fd_count);

    return rv != 0 ? rv : wait_for_answer(channel);
}

static int attach(int channel, struct ftc_channel_message m, const struct ftc_board *board,
                  int listener)
{
    int fd[FTC_CHANNEL_FDS] = {board->fd, listener},
        rv = ftc_lifeline_begin(ftc_board_lifeline(board, m.world));

    return rv != 0 ? rv : ask(channel, m, fd, listener >= 0 ? 2 : 1);
}

int ftc_monitor_attach(const struct ftc_board *board, uint32_t world, int listener,
                       const struct ftc_monitor_options *options)
{
    struct ftc_channel_message m = {
        .kind = FTC_CHANNEL_ATTACH,
        .world = world,
        .wire = (int32_t)ftc_pmi_spoken(),
        .options = *options,
    };
    struct marker own;
    int rv;

    if (!read_own_marker(&own)) {
        ftc_lines_say("ftcoll: no monitor process: %s\n", absence);
        return -ESRCH;
    }
    rv = attach(own.channel, m, board, listener);
    if (rv == 0) {
        fcntl(own.channel, F_SETFD, FD_CLOEXEC);
        fcntl(own.tether, F_SETFD, FD_CLOEXEC);
    } else {
        ftc_lines_say("ftcoll: monitor process %d did not map the shared memory: %s\n", own.monitor,
                      strerror(-rv));
    }
    return rv;
}

void ftc_monitor_finish_pmi(void)
{
    int pmi = ftc_pmi_fd();

    if (pmi >= 0)
        ftc_pmi_finalize(pmi, false);
}

void ftc_monitor_stand_down(void)
{
    struct ftc_channel_message m = {
        .kind = FTC_CHANNEL_STAND_DOWN,
        .wire = (int32_t)ftc_pmi_spoken(),
    };
    struct marker own;

    if (read_own_marker(&own))
        (void)ask(own.channel, m, NULL, 0); /* without an answer this rank goes on as well */
}
