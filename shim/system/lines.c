#include "lines.h"

#include "clock.h"
#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000, AGAIN_NS = 1000000, PASSED_ON_NS = 50000000 };

/* Waits until @fd is ready, at most until @until_ms. A pipe is ready when it has room for PIPE_BUF
 * bytes. Continues after signals. Checks once more after @until_ms, because this process may have
 * been stopped. */
static bool await_room(int fd, long until_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    for (;;) {
        long left_ms = until_ms - ftc_clock_ms();
        int n = poll(&p, 1, left_ms > 0 ? (int)left_ms : 0);

        if (n > 0)
            return true;
        if (left_ms <= 0 || (n < 0 && errno != EINTR))
            return false;
    }
}

/* Returns how many bytes of @text a pipe takes at once, up to the end of a line if there is one. */
static size_t portion(const char *text, size_t bytes)
{
    const char *end;

    if (bytes <= PIPE_BUF)
        return bytes;
    end = memrchr(text, '\n', PIPE_BUF);
    return end ? (size_t)(end - text) + 1 : PIPE_BUF;
}

/* Returns whether @fd is open for writing. If a program has closed its standard error, another file
 * may be there. The reading end of a pipe never gets room, so a wait for it would be in vain. */
static bool is_written(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

static bool is_stream(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

/* Writes without waiting. Several writers may be told that a pipe has room, and the first one fills
 * it. The others must not wait in write(), which has no time limit. Older kernels cannot do that
 * for pipes; there this calls write(). */
static ssize_t write_at_once(int fd, const char *text, size_t bytes)
{
    const struct iovec part = {(void *)(uintptr_t)text, bytes};
    ssize_t n;

    if (!is_stream(fd))
        return write(fd, text, bytes);
    n = pwritev2(fd, &part, 1, -1, RWF_NOWAIT);
    return n < 0 && errno != EAGAIN && errno != EINTR && errno != EPIPE ? write(fd, text, bytes)
                                                                        : n;
}

bool ftc_lines_write(int fd, const char *text, size_t bytes)
{
    long until_ms = ftc_clock_ms() + PATIENCE_MS;

    if (!is_written(fd))
        return false;
    while (bytes > 0 && await_room(fd, until_ms)) {
        ssize_t n = write_at_once(fd, text, portion(text, bytes));

        if (n < 0 && ((errno != EINTR && errno != EAGAIN) || ftc_clock_ms() > until_ms))
            return false;
        if (n <= 0)
            continue;
        text += n;
        bytes -= (size_t)n;
        until_ms = ftc_clock_ms() + PATIENCE_MS;
    }
    return bytes == 0;
}

/* ---- standard error ---- */

static struct {
    bool is_remembered;
    int kept; /* another descriptor of it, or -1 */
    bool is_open;
    dev_t device;
    ino_t inode;
} error = {.kept = -1};

void ftc_lines_remember_error(void)
{
    struct stat st;

    error.is_remembered = true;
    error.is_open = fstat(STDERR_FILENO, &st) == 0;
    if (!error.is_open)
        return;
    error.device = st.st_dev;
    error.inode = st.st_ino;
}

void ftc_lines_keep_error(void)
{
    if (error.is_open)
        error.kept = ftc_descriptor_copy(STDERR_FILENO);
}

static bool is_error(int fd)
{
    struct stat st;

    return error.is_open && fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == error.device &&
           st.st_ino == error.inode;
}

int ftc_lines_error(void)
{
    if (!error.is_remembered || is_error(STDERR_FILENO))
        return STDERR_FILENO;
    return is_error(error.kept) ? error.kept : -1;
}

void ftc_lines_say(const char *format, ...)
{
    char line[FTC_LINE_MAX + 1];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > FTC_LINE_MAX) {
        length = FTC_LINE_MAX;
        line[length - 1] = '\n';
    }
    ftc_lines_write(ftc_lines_error(), line, (size_t)length);
}

/* Returns whether the pipe or socket has a reader. Without one, unread data stay in a pipe. */
static bool has_reader(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};

    return poll(&p, 1, 0) <= 0 || (p.revents & (POLLERR | POLLHUP)) == 0;
}

/* Returns whether there are unread data: in a pipe, at either end, or sent and not taken by the
 * other side of a socket. */
static bool is_unread(int fd)
{
    struct stat st;
    int bytes = 0;

    if (fstat(fd, &st) != 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
        return false;
    return ioctl(fd, S_ISFIFO(st.st_mode) ? FIONREAD : SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

void ftc_lines_await_reader(int fd)
{
    long until_ms = ftc_clock_ms() + PATIENCE_MS;

    if (fd < 0)
        return;
    while (is_unread(fd) && has_reader(fd) && ftc_clock_ms() < until_ms)
        nanosleep(&(struct timespec){.tv_nsec = AGAIN_NS}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = PASSED_ON_NS}, NULL);
}
