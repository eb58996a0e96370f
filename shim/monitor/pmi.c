#include "pmi.h"

#include "system/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    BEGIN_MS = 5000,
    FINALIZE_MS = 5000,
    ABORT_MS = 5000,
    SECOND_MS = 1000,
    ASK_MS = 2000,
    LINE_MAX_BYTES = FTC_PMI_LINE_MAX
};

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

/* Sends @question and reads lines until one with @command comes, of which it takes the value of
 * @key, which comes last or ends with a blank. Returns 0 or what ftc_pmi_get_mapping() does. */
static int ask(int fd, const char *question, const char *command, const char *key, char *value,
               size_t size)
{
    long deadline_ms = ftc_clock_ms() + ASK_MS;
    char line[LINE_MAX_BYTES + 1];
    const char *found;
    size_t length;

    if (send(fd, question, strlen(question), MSG_NOSIGNAL) != (ssize_t)strlen(question))
        return -EPIPE;
    do {
        int rv = read_line(fd, deadline_ms, line, &length);

        if (rv != 0)
            return rv;
    } while (!line_is(line, length, command));
    line[length] = '\0';
    found = length < LINE_MAX_BYTES ? strstr(line, key) : NULL;
    if (!found)
        return -ENOENT;
    found += strlen(key);
    length = strcspn(found, " ");
    if (length == 0 || length >= size)
        return -ENOENT;
    snprintf(value, size, "%.*s", (int)length, found);
    return 0;
}

int ftc_pmi_get_mapping(int fd, char *text, size_t size)
{
    char name[256], question[384];
    int rv;

    if (fd < 0)
        return -ENOENT;
    rv = ask(fd, "cmd=get_my_kvsname\n", "cmd=my_kvsname", " kvsname=", name, sizeof name);
    if (rv != 0)
        return rv;
    snprintf(question, sizeof question, "cmd=get kvsname=%s key=PMI_process_mapping\n", name);
    return ask(fd, question, "cmd=get_result", " value=", text, size);
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

/* Slurm reads up to 64 bytes as the first command: no other may follow before it has answered. */
static void begin(int fd)
{
    static const char command[] = "cmd=init pmi_version=1 pmi_subversion=1\n";
    long deadline_ms = ftc_clock_ms() + BEGIN_MS;
    char line[LINE_MAX_BYTES];
    size_t length;

    if (send(fd, command, sizeof command - 1, MSG_NOSIGNAL) < 0)
        return;
    while (read_line(fd, deadline_ms, line, &length) == 0)
        if (line_is(line, length, "cmd=response_to_init"))
            return;
}

void ftc_pmi_abort(int fd, int status, bool has_begun)
{
    char command[64];
    int length = snprintf(command, sizeof command, "cmd=abort exitcode=%d\n", status);

    if (!has_begun)
        begin(fd);
    if (send(fd, command, (size_t)length, MSG_NOSIGNAL) == length)
        (void)ftc_pmi_wait(fd, ABORT_MS);
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
