#include "lines.h"

#include "clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

/* A pipe is ready when it has room for PIPE_BUF bytes. */
static bool await_room(int fd, long until_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    long left_ms = until_ms - ftc_clock_ms();

    return left_ms > 0 && (poll(&p, 1, (int)left_ms) > 0 || errno == EINTR);
}

/* How much of @text a pipe takes at once, up to the end of a line if there is one. */
static size_t portion(const char *text, size_t bytes)
{
    const char *end;

    if (bytes <= PIPE_BUF)
        return bytes;
    end = memrchr(text, '\n', PIPE_BUF);
    return end ? (size_t)(end - text) + 1 : PIPE_BUF;
}

bool ftc_lines_write(int fd, const char *text, size_t bytes)
{
    long until_ms = ftc_clock_ms() + PATIENCE_MS;

    while (bytes > 0 && await_room(fd, until_ms)) {
        ssize_t n = write(fd, text, portion(text, bytes));

        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        if (n <= 0)
            continue;
        text += n;
        bytes -= (size_t)n;
        until_ms = ftc_clock_ms() + PATIENCE_MS;
    }
    return bytes == 0;
}
