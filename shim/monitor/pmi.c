#include "pmi.h"

#include "system/clock.h"
#include "system/environment.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { BEGIN_MS = 5000, FINALIZE_MS = 5000, ABORT_MS = 5000, SECOND_MS = 1000, ASK_MS = 10000 };

static enum ftc_pmi_wire wire = FTC_PMI_1;

void ftc_pmi_speak(enum ftc_pmi_wire spoken)
{
    wire = spoken;
}

enum ftc_pmi_wire ftc_pmi_spoken(void)
{
    return wire;
}

static bool is_stream_socket(int fd)
{
    int type;
    socklen_t size = sizeof type;

    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

int ftc_pmi_fd(void)
{
    long fd = ftc_environment_number("PMI_FD", -1), rank = ftc_environment_number("PMI_RANK", -1);

    if (fd < 0 || rank < 0 || rank >= ftc_environment_number("PMI_SIZE", -1) ||
        !is_stream_socket((int)fd))
        return -1;
    return (int)fd;
}

/* ---- which ranks share a host ---- */

/* Sends @question and drops commands up to @answer, from which it copies the value of @key. Returns
 * 0 or a negative errno. */
static int ask(int fd, const char *question, const char *answer, const char *key, char *value,
               size_t size)
{
    long deadline_ms = ftc_clock_ms() + ASK_MS;
    char line[FTC_PMI_LINE_MAX + 1];
    int rv = ftc_pmi_wire_send(fd, wire, question);

    if (rv != 0)
        return rv;
    do {
        rv = ftc_pmi_wire_receive(fd, wire, deadline_ms, line);
        if (rv != 0)
            return rv;
    } while (!ftc_pmi_wire_is(line, answer));
    return ftc_pmi_wire_value(line, key, value, size) ? 0 : -ENOENT;
}

static int ask_in_pmi1(int fd, char *text, size_t size)
{
    char name[256], question[384];
    int rv = ask(fd, "cmd=get_my_kvsname", "my_kvsname", "kvsname", name, sizeof name);

    if (rv != 0)
        return rv;
    snprintf(question, sizeof question, "cmd=get kvsname=%s key=PMI_process_mapping", name);
    return ask(fd, question, "get_result", "value", text, size);
}

int ftc_pmi_get_mapping(int fd, char *text, size_t size)
{
    if (fd < 0 || wire == FTC_PMI_MUTE)
        return -ENOENT;
    if (wire == FTC_PMI_1)
        return ask_in_pmi1(fd, text, size);
    return ask(fd, "cmd=info-getjobattr key=PMI_process_mapping", "info-getjobattr-response",
               "value", text, size);
}

/* ---- the end of an account ---- */

static bool is_end_of_account(const char *line)
{
    return ftc_pmi_wire_is(line, wire == FTC_PMI_1 ? "finalize_ack" : "finalize-response");
}

/* Waits for the end of the connection: a launcher that does not answer shows nothing else. */
static enum ftc_pmi_answer await_closing(int fd, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};

    return poll(&p, 1, timeout_ms) > 0 ? FTC_PMI_CLOSED : FTC_PMI_SILENCE;
}

enum ftc_pmi_answer ftc_pmi_wait(int fd, int timeout_ms)
{
    long deadline_ms = ftc_clock_ms() + timeout_ms;
    char line[FTC_PMI_LINE_MAX + 1];

    if (wire == FTC_PMI_MUTE)
        return await_closing(fd, timeout_ms);
    for (;;) {
        int rv = ftc_pmi_wire_receive(fd, wire, deadline_ms, line);

        if (rv != 0)
            return rv == -ETIMEDOUT ? FTC_PMI_SILENCE : FTC_PMI_CLOSED;
        if (is_end_of_account(line))
            return FTC_PMI_FINALIZE_ACK;
    }
}

void ftc_pmi_finalize(int fd, bool may_be_second)
{
    if (wire == FTC_PMI_MUTE || ftc_pmi_wire_send(fd, wire, "cmd=finalize") != 0)
        return;
    if (ftc_pmi_wait(fd, FINALIZE_MS) == FTC_PMI_FINALIZE_ACK && may_be_second)
        (void)ftc_pmi_wait(fd, SECOND_MS);
    shutdown(fd, SHUT_RDWR);
}

/* ---- the end of the job ---- */

/* Begins PMI, with a line in both forms. Slurm reads up to 64 bytes as the first command, so no
 * other may follow before it has answered. All ranks must ask for the same version. */
static void begin(int fd)
{
    long deadline_ms = ftc_clock_ms() + BEGIN_MS;
    char line[FTC_PMI_LINE_MAX + 1];

    if (ftc_pmi_wire_send(fd, FTC_PMI_1,
                          wire == FTC_PMI_2 ? "cmd=init pmi_version=2 pmi_subversion=0"
                                            : "cmd=init pmi_version=1 pmi_subversion=1") != 0)
        return;
    while (ftc_pmi_wire_receive(fd, FTC_PMI_1, deadline_ms, line) == 0)
        if (ftc_pmi_wire_is(line, "response_to_init"))
            return;
}

void ftc_pmi_abort(int fd, int status, bool has_begun)
{
    char command[64];

    if (wire == FTC_PMI_MUTE)
        return;
    if (!has_begun)
        begin(fd);
    snprintf(command, sizeof command,
             wire == FTC_PMI_1 ? "cmd=abort exitcode=%d"
                               : "cmd=abort isworld=TRUE exitcode=%d msg=ftcoll",
             status);
    if (ftc_pmi_wire_send(fd, wire, command) == 0)
        (void)ftc_pmi_wait(fd, ABORT_MS);
}
