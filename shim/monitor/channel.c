#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHANNEL_MAGIC 0x6674636du

enum { RANK_END_MIN = 700, END_MIN = STDERR_FILENO + 1, MAX_PASSED = 8 };

/* Ancillary data: the sender's credentials, and room for more descriptors than are allowed, so that
 * surplus ones are seen and closed. */
union control {
    char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(MAX_PASSED * sizeof(int))];
    struct cmsghdr alignment;
};

static int move_up(int fd, int least)
{
    int up = fd < least ? fcntl(fd, F_DUPFD, least) : -1;

    if (up < 0)
        return fd;
    close(fd);
    return up;
}

static int move_rank_end(int fd)
{
    struct rlimit limit;
    bool is_low = getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= RANK_END_MIN;

    return move_up(fd, is_low ? END_MIN : RANK_END_MIN);
}

/* Moves @fd past the standard descriptors. A program may be started without standard error, to
 * which the monitor process writes. */
static int move_monitor_end(int fd)
{
    return move_up(fd, END_MIN);
}

static int open_socket(struct ftc_channel_ends *ends)
{
    int pair[2], on = 1;

    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0)
        return -errno;
    ends->monitor = move_monitor_end(pair[0]);
    ends->rank = move_rank_end(pair[1]);
    return setsockopt(ends->monitor, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 ? 0 : -errno;
}

static int open_tether(struct ftc_channel_ends *ends)
{
    int pair[2];

    if (pipe(pair) != 0)
        return -errno;
    ends->tether_rank = move_rank_end(pair[0]);
    ends->tether_monitor = move_monitor_end(pair[1]);
    return 0;
}

int ftc_channel_open(struct ftc_channel_ends *ends)
{
    int rv;

    *ends = (struct ftc_channel_ends){-1, -1, -1, -1};
    rv = open_socket(ends);
    if (rv == 0)
        rv = open_tether(ends);
    if (rv != 0)
        ftc_channel_close(ends);
    return rv;
}

void ftc_channel_close(const struct ftc_channel_ends *ends)
{
    int fd[] = {ends->monitor, ends->rank, ends->tether_monitor, ends->tether_rank};

    for (size_t i = 0; i < sizeof fd / sizeof fd[0]; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

/* Asks for SIGKILL as the signal that reports input. End of file counts as input. The kernel
 * remembers the user that has asked, who has the right to kill this process, so this works after a
 * change of user too. */
void ftc_channel_tie(int tether)
{
    struct pollfd p = {.fd = tether};

    fcntl(tether, F_SETOWN, getpid());
    fcntl(tether, F_SETSIG, SIGKILL);
    fcntl(tether, F_SETFL, fcntl(tether, F_GETFL) | O_ASYNC);
    if (poll(&p, 1, 0) > 0 && (p.revents & POLLHUP))
        raise(SIGKILL);
}

static int socket_option(int fd, int name)
{
    int value;
    socklen_t size = sizeof value;

    return getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

bool ftc_channel_is_end(int fd)
{
    return socket_option(fd, SO_DOMAIN) == AF_UNIX && socket_option(fd, SO_TYPE) == SOCK_SEQPACKET;
}

int ftc_channel_send(int channel, struct ftc_channel_message m, const int *fd, size_t fd_count)
{
    union control control = {0};
    struct iovec iov = {.iov_base = &m, .iov_len = sizeof m};
    struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};

    m.magic = CHANNEL_MAGIC;
    if (fd_count > 0) {
        struct cmsghdr *c = &control.alignment;

        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(fd_count * sizeof *fd);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(fd_count * sizeof *fd);
        memcpy(CMSG_DATA(c), fd, fd_count * sizeof *fd);
    }
    return sendmsg(channel, &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

/* Keeps up to FTC_CHANNEL_FDS descriptors and closes the others. Returns how many have come. */
static size_t take_descriptors(const struct cmsghdr *c, struct ftc_channel_received *r)
{
    size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

    for (size_t i = 0; i < count; i++) {
        int fd;

        memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
        if (r->fd_count < FTC_CHANNEL_FDS)
            r->fd[r->fd_count++] = fd;
        else
            close(fd);
    }
    return count;
}

static size_t take_ancillary(struct msghdr *header, struct ftc_channel_received *r)
{
    size_t descriptors = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
        struct ucred sender;

        if (c->cmsg_level != SOL_SOCKET)
            continue;
        if (c->cmsg_type == SCM_RIGHTS)
            descriptors += take_descriptors(c, r);
        if (c->cmsg_type == SCM_CREDENTIALS && c->cmsg_len == CMSG_LEN(sizeof sender)) {
            memcpy(&sender, CMSG_DATA(c), sizeof sender);
            r->sender = sender.pid;
        }
    }
    return descriptors;
}

int ftc_channel_receive(int channel, struct ftc_channel_received *r)
{
    union control control;
    struct iovec iov = {.iov_base = &r->message, .iov_len = sizeof r->message};
    struct msghdr header = {.msg_iov = &iov,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof control.bytes};
    size_t descriptors;
    ssize_t n;

    *r = (struct ftc_channel_received){0};
    do
        n = recvmsg(channel, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN ? -EAGAIN : -EPIPE;
    descriptors = take_ancillary(&header, r);
    if (n == 0 && descriptors == 0 && r->sender == 0)
        return -EPIPE;
    if (n == (ssize_t)sizeof r->message && r->message.magic == CHANNEL_MAGIC &&
        descriptors <= FTC_CHANNEL_FDS && (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
        return 0;
    ftc_channel_drop(r);
    return -EPROTO;
}

void ftc_channel_drop(struct ftc_channel_received *r)
{
    while (r->fd_count > 0)
        close(r->fd[--r->fd_count]);
}

bool ftc_channel_is_deserted(int channel)
{
    struct pollfd p = {.fd = channel, .events = POLLIN};
    struct ftc_channel_message m;

    if (poll(&p, 1, 0) <= 0 || !(p.revents & POLLHUP))
        return false;
    return recv(channel, &m, sizeof m, MSG_PEEK | MSG_DONTWAIT) != (ssize_t)sizeof m ||
           m.magic != CHANNEL_MAGIC || m.kind != FTC_CHANNEL_GOODBYE;
}
