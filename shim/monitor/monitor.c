#include "monitor.h"

#include "board.h"
#include "pmi.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARKER "FTCOLL_INTERNAL_MONITOR"

enum { CONTROL_FD_MIN = 200, ATTACH_TIMEOUT_MS = 10000 };

/* What the rank sends with the board's descriptor. */
struct attach_request {
    uint32_t slot;
    struct ftc_monitor_options options;
};

static int control_fd = -1; /* of the rank */

/* ---- the rank's side ---- */

bool ftc_monitor_is_rank(void)
{
    return getenv("PMI_RANK") && ftc_pmi_fd() >= 0;
}

bool ftc_monitor_present(void)
{
    return control_fd >= 0;
}

static bool is_linked_with_mpi(void)
{
    return dlsym(RTLD_DEFAULT, "PMPI_Init") != NULL;
}

static void set_marker(int monitor, int fd)
{
    char text[64];

    snprintf(text, sizeof text, "%d:%d:%d", monitor, (int)getpid(), fd);
    setenv(MARKER, text, 1);
}

/* This process has had a monitor since before it was replaced by another program. */
static bool is_monitored_since_exec(const char *marker)
{
    int monitor, child, fd;

    if (sscanf(marker, "%d:%d:%d", &monitor, &child, &fd) != 3 || child != (int)getpid() ||
        monitor != (int)getppid() || fcntl(fd, F_GETFD) < 0)
        return false;
    control_fd = fd;
    return true;
}

static int wait_for_answer(void)
{
    struct pollfd p = {.fd = control_fd, .events = POLLIN};
    int32_t answer;
    int ready;

    do
        ready = poll(&p, 1, ATTACH_TIMEOUT_MS);
    while (ready < 0 && errno == EINTR);
    if (ready == 0)
        return -ETIMEDOUT;
    if (recv(control_fd, &answer, sizeof answer, 0) != (ssize_t)sizeof answer)
        return -EPIPE;
    return answer;
}

int ftc_monitor_attach(int board_fd, uint32_t slot, const struct ftc_monitor_options *options)
{
    struct attach_request request = {.slot = slot, .options = *options};
    struct iovec data = {.iov_base = &request, .iov_len = sizeof request};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {0};
    struct msghdr message = {
        .msg_iov = &data,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);

    if (control_fd < 0)
        return -ENOTCONN;
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &board_fd, sizeof board_fd);
    fcntl(control_fd, F_SETFD, FD_CLOEXEC);
    if (sendmsg(control_fd, &message, MSG_NOSIGNAL) != (ssize_t)sizeof request)
        return -errno;
    return wait_for_answer();
}

void ftc_monitor_finish_pmi(void)
{
    ftc_pmi_finalize(ftc_pmi_fd());
}

/* ---- the monitor process ---- */

struct monitor {
    pid_t child;
    int signals, control, pmi;
    struct ftc_board board;
    uint32_t slot;
    struct ftc_monitor_options options;
};

static bool is_attached(const struct monitor *m)
{
    return m->board.shared != NULL;
}

/* Everything that the program may want to see closed when its own process closes it. */
static void close_inherited(const struct monitor *m)
{
    DIR *directory = opendir("/proc/self/fd");
    struct dirent *entry;

    if (!directory)
        return;
    while ((entry = readdir(directory)) != NULL) {
        int fd = atoi(entry->d_name);

        if (entry->d_name[0] != '.' && fd != STDERR_FILENO && fd != m->signals &&
            fd != m->control && fd != m->pmi && fd != dirfd(directory))
            close(fd);
    }
    closedir(directory);
}

static int receive_request(int fd, struct attach_request *request)
{
    struct iovec data = {.iov_base = request, .iov_len = sizeof *request};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct msghdr message = {
        .msg_iov = &data,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    int board_fd = -1;

    if (got <= 0)
        return -1;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(&board_fd, CMSG_DATA(c), sizeof board_fd);
    if (got == (ssize_t)sizeof *request && !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        return board_fd;
    if (board_fd >= 0)
        close(board_fd);
    return -1;
}

static int32_t attach(struct monitor *m, int board_fd, const struct attach_request *request)
{
    int rv;

    if (is_attached(m))
        return -EALREADY;
    rv = ftc_board_map(&m->board, board_fd);
    if (rv != 0)
        return rv;
    if (request->slot >= m->board.geometry.slots) {
        ftc_board_close(&m->board);
        return -EINVAL;
    }
    m->slot = request->slot;
    m->options = request->options;
    return 0;
}

static void serve_control(struct monitor *m)
{
    struct attach_request request;
    int board_fd = receive_request(m->control, &request);
    int32_t answer;

    if (board_fd < 0) {
        close(m->control); /* closed by the program, or nonsense: no second chance */
        m->control = -1;
        return;
    }
    answer = attach(m, board_fd, &request);
    if (answer != 0)
        close(board_fd);
    send(m->control, &answer, sizeof answer, MSG_NOSIGNAL);
}

/* The launcher signals the whole process group, which the program is in. */
static void relay(const struct monitor *m, const struct signalfd_siginfo *s)
{
    bool to_the_group = s->ssi_code > 0 || (pid_t)s->ssi_pid == getppid();

    if (s->ssi_signo != SIGCHLD && s->ssi_signo != SIGPIPE && !to_the_group)
        kill(m->child, (int)s->ssi_signo);
}

static bool all_are_protected(const struct monitor *m)
{
    return is_attached(m) && atomic_load(&m->board.shared->ready) >= m->board.geometry.slots;
}

static bool somebody_failed(const struct monitor *m)
{
    return all_are_protected(m) && atomic_load(&m->board.shared->deaths) > 0;
}

static _Noreturn void end_as_child_did(int status)
{
    const struct rlimit none = {0};
    sigset_t all;
    int signal_number;

    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    signal_number = WTERMSIG(status);
    setrlimit(RLIMIT_CORE, &none); /* the child has dumped its own */
    signal(signal_number, SIG_DFL);
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(signal_number);
    _exit(128 + signal_number);
}

/* The rank owed the others something: they are told before anything else. */
static bool is_tolerated_death(struct monitor *m, int status)
{
    enum ftc_death_cause cause = WIFSIGNALED(status) ? FTC_DEATH_SIGNAL : FTC_DEATH_EXIT;
    int value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    bool in_finalize;

    if (!all_are_protected(m))
        return false;
    in_finalize = ftc_board_state(&m->board, m->slot) == FTC_RANK_FINALIZING;
    if (!ftc_board_mark_failed(&m->board, m->slot, cause, value) &&
        ftc_board_state(&m->board, m->slot) != FTC_RANK_FAILED)
        return false;
    if (in_finalize)
        ftc_pmi_stand_in_for_barrier(m->pmi);
    ftc_pmi_finalize(m->pmi);
    return true;
}

static _Noreturn void child_ended(struct monitor *m, int status)
{
    if (is_tolerated_death(m, status))
        _exit(0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && somebody_failed(m))
        _exit(m->options.failure_exit_status);
    end_as_child_did(status);
}

static void serve_signals(struct monitor *m)
{
    struct signalfd_siginfo s;
    int status;

    while (read(m->signals, &s, sizeof s) == (ssize_t)sizeof s)
        relay(m, &s);
    if (waitpid(m->child, &status, WNOHANG) == m->child)
        child_ended(m, status);
}

static _Noreturn void run(struct monitor *m)
{
    prctl(PR_SET_NAME, "ftcoll-monitor");
    close_inherited(m);
    for (;;) {
        struct pollfd p[2] = {{.fd = m->signals, .events = POLLIN},
                              {.fd = m->control, .events = POLLIN}};

        if (poll(p, 2, -1) < 0)
            continue;
        if (p[0].revents)
            serve_signals(m);
        if (p[1].revents)
            serve_control(m);
    }
}

static void become_child(pid_t monitor, int control, const sigset_t *mask)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != monitor)
        raise(SIGKILL); /* it died before the kernel was asked */
    sigprocmask(SIG_SETMASK, mask, NULL);
    control_fd = fcntl(control, F_DUPFD, CONTROL_FD_MIN);
    close(control);
    set_marker((int)monitor, control_fd);
}

static void fork_monitor(void)
{
    struct monitor m = {.board.fd = -1, .pmi = ftc_pmi_fd()};
    pid_t self = getpid();
    int pair[2];
    sigset_t all, mask;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &mask);
    m.signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    m.child = m.signals < 0 ? -1 : fork();
    if (m.child > 0) {
        close(pair[1]);
        m.control = pair[0];
        run(&m);
    }
    close(pair[0]);
    if (m.signals >= 0)
        close(m.signals);
    if (m.child == 0)
        become_child(self, pair[1], &mask);
    else
        close(pair[1]);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

void ftc_monitor_start(void)
{
    const char *marker = getenv(MARKER);

    if (marker && (is_monitored_since_exec(marker) || !is_linked_with_mpi()))
        return;
    fork_monitor();
}
