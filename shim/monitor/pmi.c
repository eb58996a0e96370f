#include "pmi.h"

#include "system/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { FINALIZE_MS = 5000, SECOND_MS = 1000, LINE_MAX_BYTES = 1024 };

static bool environment_number(const char *name, long *value)
{
    const char *text = getenv(name);
    char *end;

    if (!text || !*text)
        return false;
    *value = strtol(text, &end, 10);
    return *end == '\0' && *value >= 0 && *value <= 1 << 30;
}

static bool is_stream_socket(int fd)
{
    int type;
    socklen_t size = sizeof type;

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

int ftc_pmi_fd(void)
{
    long fd, rank, size;

    if (!environment_number("PMI_FD", &fd) || !environment_number("PMI_RANK", &rank) ||
        !environment_number("PMI_SIZE", &size) || rank >= size || !is_stream_socket((int)fd))
        return -1;
    return (int)fd;
}

static bool readable_before(int fd, long deadline_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    for (;;) {
        long left = deadline_ms - ftc_clock_ms();
        int rv = poll(&p, 1, left > 0 ? (int)left : 0);

        if (rv > 0)
            return true;
        if (rv == 0 || errno != EINTR)
            return false;
    }
}

static bool line_is(const char *line, size_t length, const char *command)
{
    size_t n = strlen(command);

    return length >= n && memcmp(line, command, n) == 0 && (length == n || line[n] == ' ');
}

/* Reads byte by byte, so that nothing that follows the line is lost to a later caller. Returns 0,
 * -ETIMEDOUT or -EPIPE. */
static int read_line(int fd, long deadline_ms, char line[LINE_MAX_BYTES], size_t *length)
{
    *length = 0;
    for (;;) {
        char c;
        ssize_t n;

        if (!readable_before(fd, deadline_ms))
            return -ETIMEDOUT;
        n = recv(fd, &c, 1, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return -EPIPE;
        if (n < 0)
            continue;
        if (c == '\n')
            return 0;
        if (*length < LINE_MAX_BYTES)
            line[(*length)++] = c;
    }
}

enum ftc_pmi_answer ftc_pmi_wait(int fd, int timeout_ms)
{
    long deadline_ms = ftc_clock_ms() + timeout_ms;

    for (;;) {
        char line[LINE_MAX_BYTES];
        size_t length;
        int rv = read_line(fd, deadline_ms, line, &length);

        if (rv != 0)
            return rv == -EPIPE ? FTC_PMI_CLOSED : FTC_PMI_SILENCE;
        if (line_is(line, length, "cmd=finalize_ack"))
            return FTC_PMI_FINALIZE_ACK;
    }
}

void ftc_pmi_abort(int fd, int status)
{
    char command[64];
    int length = snprintf(command, sizeof command, "cmd=abort exitcode=%d\n", status);

    (void)!send(fd, command, (size_t)length, MSG_NOSIGNAL);
}

void ftc_pmi_finalize(int fd, bool may_be_second)
{
    static const char command[] = "cmd=finalize\n";
    ssize_t length = sizeof command - 1;

    /* One write: a command this short is never split by a stream socket that is not full. */
    if (send(fd, command, (size_t)length, MSG_NOSIGNAL) != length)
        return;
    if (ftc_pmi_wait(fd, FINALIZE_MS) == FTC_PMI_FINALIZE_ACK && may_be_second)
        (void)ftc_pmi_wait(fd, SECOND_MS);
    shutdown(fd, SHUT_RDWR);
}
