#include "pmi_wire.h"

#include "system/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { LENGTH_DIGITS = 6 };

/* ---- out ---- */

static void replace(char *text, char from, char to)
{
    for (; *text; text++)
        if (*text == from)
            *text = to;
}

static int form(enum ftc_pmi_wire wire, const char *words, char *text, size_t size)
{
    int length;

    if (wire == FTC_PMI_1)
        return snprintf(text, size, "%s\n", words);
    length = snprintf(text, size, "%*zu%s;", LENGTH_DIGITS, strlen(words) + 1, words);
    replace(text + LENGTH_DIGITS, ' ', ';');
    return length;
}

int ftc_pmi_wire_send(int fd, enum ftc_pmi_wire wire, const char *words)
{
    char text[FTC_PMI_LINE_MAX];
    int length = form(wire, words, text, sizeof text);

    return send(fd, text, (size_t)length, MSG_NOSIGNAL) == length ? 0 : -EPIPE;
}

/* ---- in ---- */

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

/* Reads one byte, so that nothing is taken that follows a command. Returns 0, -ETIMEDOUT or
 * -EPIPE. */
static int read_byte(int fd, long deadline_ms, char *c)
{
    for (;;) {
        ssize_t n;

        if (!readable_before(fd, deadline_ms))
            return -ETIMEDOUT;
        n = recv(fd, c, 1, MSG_DONTWAIT);
        if (n > 0)
            return 0;
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return -EPIPE;
    }
}

static int read_line(int fd, long deadline_ms, char line[FTC_PMI_LINE_MAX + 1])
{
    size_t length = 0;
    int rv;
    char c;

    for (rv = read_byte(fd, deadline_ms, &c); rv == 0 && c != '\n';
         rv = read_byte(fd, deadline_ms, &c))
        if (length < FTC_PMI_LINE_MAX)
            line[length++] = c;
    line[length] = '\0';
    return rv;
}

static int read_counted(int fd, long deadline_ms, size_t count, char *text, size_t room)
{
    int rv = 0;
    char c;

    for (size_t i = 0; i < count && rv == 0; i++) {
        rv = read_byte(fd, deadline_ms, &c);
        if (rv == 0 && i < room)
            text[i] = c;
    }
    text[count < room ? count : room] = '\0';
    return rv;
}

/* Reads a command of PMI-2. Hydra puts blanks before the digits of its length, Slurm after them. */
static int read_message(int fd, long deadline_ms, char line[FTC_PMI_LINE_MAX + 1])
{
    char digits[LENGTH_DIGITS + 1], *end;
    long length;
    int rv = read_counted(fd, deadline_ms, LENGTH_DIGITS, digits, LENGTH_DIGITS);

    if (rv != 0)
        return rv;
    length = strtol(digits, &end, 10);
    if (end + strspn(end, " ") != digits + LENGTH_DIGITS || length < 0)
        return -EPROTO;
    rv = read_counted(fd, deadline_ms, (size_t)length, line, FTC_PMI_LINE_MAX);
    replace(line, ';', ' ');
    return rv;
}

int ftc_pmi_wire_receive(int fd, enum ftc_pmi_wire wire, long deadline_ms,
                         char line[FTC_PMI_LINE_MAX + 1])
{
    return wire == FTC_PMI_1 ? read_line(fd, deadline_ms, line)
                             : read_message(fd, deadline_ms, line);
}

/* ---- words ---- */

bool ftc_pmi_wire_is(const char *line, const char *name)
{
    static const char command[] = "cmd=";
    size_t n = strlen(name);

    if (strncmp(line, command, strlen(command)) != 0)
        return false;
    line += strlen(command);
    return strncmp(line, name, n) == 0 && (line[n] == '\0' || line[n] == ' ');
}

bool ftc_pmi_wire_value(const char *line, const char *key, char *value, size_t size)
{
    size_t n = strlen(key), length;

    for (; *line; line += strspn(line, " ")) {
        length = strcspn(line, " ");
        if (length > n + 1 && strncmp(line, key, n) == 0 && line[n] == '=') {
            snprintf(value, size, "%.*s", (int)(length - n - 1), line + n + 1);
            return length - n - 1 < size;
        }
        line += length;
    }
    return false;
}
