#include "board_listener.h"

#include "monitor/channel.h"
#include "net/siphash.h"
#include "system/descriptor.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { LISTENERS = 2, WAITING = 64, PATIENCE_MS = 200 };

static struct {
    int listener[LISTENERS];
    char path[sizeof((struct sockaddr_un *)0)->sun_path]; /* of the one in /dev/shm */
    uint64_t proof;
    int board;
} own = {.listener = {-1, -1}};

/* Returns a keyed hash. The domain separates names from proofs: a process that sees a name cannot
 * derive the proof from it. */
static uint64_t hash(const uint64_t key[2], const char *domain)
{
    return ftc_siphash(key, domain, strlen(domain));
}

/* Sets the address of listener @number and returns its size. Listener 0 has an abstract name,
 * listener 1 a file. */
static socklen_t name(struct sockaddr_un *at, int number, const uint64_t key[2])
{
    const size_t before = offsetof(struct sockaddr_un, sun_path);
    int length;

    *at = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (number > 0) {
        snprintf(at->sun_path, sizeof at->sun_path, "/dev/shm/ftcoll-%016llx",
                 (unsigned long long)hash(key, "file"));
        return sizeof *at;
    }
    length = snprintf(at->sun_path + 1, sizeof at->sun_path - 1, "ftcoll-%016llx",
                      (unsigned long long)hash(key, "name"));
    return (socklen_t)(before + 1 + (size_t)length);
}

/* Returns the process at the other end if it is of this user, in any user namespace; else 0. */
static pid_t own_peer(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid()
               ? peer.pid
               : 0;
}

static void limit_patience(int fd)
{
    struct timeval t = {.tv_usec = PATIENCE_MS * 1000};

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
}

/* ---- the rank that has made the board ---- */

static int listen_at(int number, const uint64_t key[2])
{
    struct sockaddr_un at;
    socklen_t size = name(&at, number, key);
    int fd = ftc_descriptor_leave_standard(
        socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    bool is_bound = fd >= 0 && fchmod(fd, 0600) == 0 && bind(fd, (struct sockaddr *)&at, size) == 0;

    if (is_bound && number > 0)
        memcpy(own.path, at.sun_path, sizeof own.path);
    if (is_bound && listen(fd, WAITING) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

void ftc_board_listener_open(const uint64_t key[2], int board)
{
    own.proof = hash(key, "proof");
    own.board = board;
    for (int i = 0; i < LISTENERS; i++)
        own.listener[i] = listen_at(i, key);
}

static void serve_one(int fd)
{
    uint64_t proof;

    limit_patience(fd);
    if (own_peer(fd) != 0 && recv(fd, &proof, sizeof proof, 0) == (ssize_t)sizeof proof &&
        proof == own.proof)
        (void)ftc_channel_send(fd, (struct ftc_channel_message){.kind = FTC_CHANNEL_BOARD},
                               &own.board, 1);
    close(fd);
}

void ftc_board_listener_serve(void)
{
    for (int i = 0; i < LISTENERS; i++)
        for (int fd; own.listener[i] >= 0 &&
                     (fd = accept4(own.listener[i], NULL, NULL, SOCK_CLOEXEC)) >= 0;)
            serve_one(fd);
}

void ftc_board_listener_close(void)
{
    for (int i = 0; i < LISTENERS; i++)
        if (own.listener[i] >= 0)
            close(own.listener[i]);
    if (own.path[0] != '\0')
        unlink(own.path);
    own.path[0] = '\0';
    own.listener[0] = own.listener[1] = -1;
}

/* ---- a rank that wants it ---- */

static int connect_to(int number, int pid, const uint64_t key[2])
{
    struct sockaddr_un at;
    socklen_t size = name(&at, number, key);
    int fd = ftc_descriptor_leave_standard(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)), rv;

    if (fd < 0)
        return -errno;
    limit_patience(fd);
    rv = connect(fd, (struct sockaddr *)&at, size) != 0 ? -errno
         : own_peer(fd) == pid                          ? 0
                                                        : -EACCES;
    if (rv == 0)
        return fd;
    close(fd);
    return rv;
}

static int receive_board(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct ftc_channel_received r;

    if (poll(&p, 1, PATIENCE_MS) <= 0 || ftc_channel_receive(fd, &r) != 0)
        return -EAGAIN;
    if (r.message.kind == FTC_CHANNEL_BOARD && r.fd_count == 1)
        return ftc_descriptor_leave_standard(r.fd[0]);
    ftc_channel_drop(&r);
    return -EACCES;
}

int ftc_board_listener_fetch(int pid, const uint64_t key[2])
{
    uint64_t proof = hash(key, "proof");
    int fd = connect_to(0, pid, key), board;

    if (fd < 0)
        fd = connect_to(1, pid, key);
    if (fd < 0)
        return fd;
    board = send(fd, &proof, sizeof proof, MSG_NOSIGNAL) == (ssize_t)sizeof proof
                ? receive_board(fd)
                : -EAGAIN;
    close(fd);
    return board;
}
