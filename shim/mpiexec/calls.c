#include "calls.h"

#include "authority.h"
#include "net/lease.h"
#include "system/imports.h"
#include "system/loaded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- connections ---- */

/* Adds the connection @fd. The authority begins with the second connection. With one host it stays
 * idle, and no process can connect. */
static void add(int fd)
{
    int count;

    ftc_proxies_lock();
    ftc_proxies_add(fd);
    count = ftc_proxies_count();
    ftc_proxies_unlock();
    if (count > 1)
        ftc_authority_begin();
}

static int accept_proxy(int listener, struct sockaddr *address, socklen_t *size)
{
    int fd = accept(listener, address, size);

    if (fd >= 0)
        add(fd);
    return fd;
}

static int make_pair(int domain, int type, int protocol, int fd[2])
{
    int rv = socketpair(domain, type, protocol, fd);

    if (rv == 0)
        ftc_proxies_mark_pair(fd);
    return rv;
}

static int close_any(int fd)
{
    struct ftc_proxy *p = ftc_proxies_of_fd(fd);

    ftc_proxies_unmark_pair(fd);
    if (p) {
        ftc_proxies_lock();
        ftc_proxies_close(p);
        ftc_proxies_unlock();
    }
    return close(fd);
}

static void set_state(struct ftc_proxy *p, enum ftc_proxy_state state)
{
    ftc_proxies_lock();
    if (p->state <= FTC_PROXY_KNOWN)
        p->state = state;
    ftc_proxies_unlock();
}

static void know(struct ftc_proxy *p)
{
    ftc_proxies_lock();
    ftc_proxies_know(p);
    ftc_proxies_unlock();
}

/* ---- reading: greetings ---- */

static ssize_t read_greeting(struct ftc_proxy *p, void *buffer, size_t bytes)
{
    ssize_t n;

    if (p->greeted == 0 && !ftc_wire_expects_greeting(&p->wire, bytes))
        set_state(p, FTC_PROXY_STRANGE);
    n = read(p->fd, buffer, bytes);
    if (p->state != FTC_PROXY_CONNECTED || n <= 0 ||
        p->greeted + (size_t)n > p->wire.greeting_bytes)
        return n;
    memcpy(p->greeting + p->greeted, buffer, (size_t)n);
    p->greeted += (size_t)n;
    if (p->greeted < p->wire.greeting_bytes)
        return n;
    if (ftc_wire_greet(&p->wire, p->greeting))
        know(p);
    else
        set_state(p, FTC_PROXY_STRANGE);
    return n;
}

/* ---- reading: messages ---- */

static bool reserve(struct ftc_proxy *p, size_t bytes)
{
    unsigned char *grown;

    if (bytes <= p->room)
        return true;
    grown = realloc(p->message, bytes);
    if (!grown)
        return false;
    p->message = grown;
    p->room = bytes;
    return true;
}

/* Reads @bytes from @fd and waits for all of them, as mpiexec does. Returns @bytes, or the value of
 * the last read(). */
static ssize_t read_all(int fd, unsigned char *to, size_t bytes)
{
    size_t done = 0;

    while (done < bytes) {
        ssize_t n = read(fd, to + done, bytes - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n;
        done += (size_t)n;
    }
    return (ssize_t)bytes;
}

static bool has_all(ssize_t n, size_t bytes)
{
    return n == (ssize_t)bytes && n > 0;
}

/* Reads the body after the header in @p->message. mpiexec is given nothing of a message before all
 * of it has arrived, so that a loss leaves no partial message. Returns the bytes of the message, or
 * the value of the last read(). */
static ssize_t fetch_body(struct ftc_proxy *p)
{
    size_t header = p->wire.header_bytes, body;
    enum ftc_wire_body kind = ftc_wire_read_header(&p->wire, p->message, &body);
    ssize_t n;

    p->bytes = header;
    p->awaits_each = kind == FTC_WIRE_OF_EACH;
    if (kind == FTC_WIRE_UNKNOWN || !reserve(p, header + body))
        set_state(p, FTC_PROXY_STRANGE);
    else if (body > 0) {
        n = read_all(p->fd, p->message + header, body);
        if (!has_all(n, body))
            return n;
        p->bytes += body;
    }
    return (ssize_t)p->bytes;
}

static ssize_t fetch_message(struct ftc_proxy *p)
{
    size_t header = p->wire.header_bytes;
    ssize_t n;

    p->bytes = p->given = 0;
    if (!reserve(p, FTC_WIRE_HEADER_MAX))
        return -1;
    n = read_all(p->fd, p->message, header);
    return has_all(n, header) ? fetch_body(p) : n;
}

static ssize_t hand_out(struct ftc_proxy *p, void *buffer, size_t bytes)
{
    size_t left = p->bytes - p->given, n = bytes < left ? bytes : left;

    memcpy(buffer, p->message + p->given, n);
    p->given += n;
    return (ssize_t)n;
}

/* ---- reading: messages made in place of a lost host ---- */

/* Makes the header of the message that a proxy sends when its processes have ended. The statuses
 * follow by hand_out_statuses(). */
static void make_exit_message(struct ftc_proxy *p)
{
    p->given = 0;
    p->bytes =
        reserve(p, FTC_WIRE_HEADER_MAX) ? ftc_wire_make_exit_header(&p->wire, p->message) : 0;
}

/* Fills @buffer with a status for each process, 4 bytes each: an exit with failure_exit_status, as
 * survivors have. */
static ssize_t hand_out_statuses(const struct ftc_proxy *p, void *buffer, size_t bytes)
{
    int32_t status = p->exit_status << 8;

    for (size_t i = 0; i < bytes / sizeof status; i++)
        memcpy((char *)buffer + i * sizeof status, &status, sizeof status);
    return (ssize_t)bytes;
}

/* Notes that @p's connection was closed or broke. Returns false if mpiexec has to handle that. */
static bool is_borne(struct ftc_proxy *p, bool was_closed)
{
    bool borne;

    ftc_proxies_lock();
    borne = ftc_authority_takes(p, was_closed);
    ftc_proxies_unlock();
    return borne;
}

/* Reads 4 bytes of each process. Only mpiexec knows how many processes there are. */
static ssize_t read_of_each(struct ftc_proxy *p, void *buffer, size_t bytes)
{
    ssize_t n;

    if (p->awaits_each)
        p->rest_of_each = bytes;
    p->awaits_each = false;
    n = read(p->fd, buffer, bytes);
    if (n <= 0 && !(n < 0 && errno == EINTR) && is_borne(p, n == 0)) {
        p->rest_of_each = 0;
        return hand_out_statuses(p, buffer, bytes);
    }
    p->rest_of_each -= n > 0 && (size_t)n <= p->rest_of_each ? (size_t)n : 0;
    return n;
}

static ssize_t read_message(struct ftc_proxy *p, void *buffer, size_t bytes)
{
    ssize_t n;

    if (p->given < p->bytes)
        return hand_out(p, buffer, bytes);
    if (p->is_over)
        return hand_out_statuses(p, buffer, bytes);
    if (p->awaits_each || p->rest_of_each > 0)
        return read_of_each(p, buffer, bytes);
    if (p->state == FTC_PROXY_STRANGE || !ftc_wire_expects_header(&p->wire, bytes)) {
        set_state(p, FTC_PROXY_STRANGE);
        return read(p->fd, buffer, bytes);
    }
    n = fetch_message(p);
    if (n > 0)
        return hand_out(p, buffer, bytes);
    if (!is_borne(p, n == 0))
        return n;
    p->is_over = true;
    make_exit_message(p);
    return hand_out(p, buffer, bytes);
}

static ssize_t read_any(int fd, void *buffer, size_t bytes)
{
    struct ftc_proxy *p;

    if (ftc_proxies_unmark_pair(fd))
        add(fd);
    p = ftc_proxies_of_fd(fd);
    if (!p)
        return read(fd, buffer, bytes);
    return p->state == FTC_PROXY_CONNECTED ? read_greeting(p, buffer, bytes)
                                           : read_message(p, buffer, bytes);
}

/* ---- writing ---- */

static bool is_any_lost(void)
{
    bool lost = false;

    for (int i = 0; i < ftc_proxies_count(); i++)
        lost |= ftc_proxies_at(i)->was_lost;
    return lost;
}

static bool would_be_borne(const struct ftc_proxy *p)
{
    bool borne;

    ftc_proxies_lock();
    borne = ftc_proxies_tolerate(p);
    ftc_proxies_unlock();
    return borne;
}

/* Writes for mpiexec. Drops what is for lost hosts, such as standard input and signals, and returns
 * @bytes, because mpiexec ends the job when it cannot write. @fd is negative where mpiexec has
 * closed the connection. */
static ssize_t write_any(int fd, const void *buffer, size_t bytes)
{
    struct ftc_proxy *p = ftc_proxies_of_fd(fd);
    ssize_t n;

    if (fd < 0)
        return is_any_lost() ? (ssize_t)bytes : write(fd, buffer, bytes);
    if (!p)
        return write(fd, buffer, bytes);
    if (p->was_lost)
        return (ssize_t)bytes;
    if (!would_be_borne(p)) /* mpiexec may then end by SIGPIPE, as natively */
        return write(fd, buffer, bytes);
    n = send(fd, buffer, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno != EINTR && errno != EAGAIN && is_borne(p, false))
        return (ssize_t)bytes;
    return n;
}

/* ---- processes ---- */

/* Executes @file in a process that mpiexec has forked. If the arguments end with "--proxy-id 3", it
 * becomes proxy 3, or a process that starts this proxy on another host. */
static int execute(const char *file, char *const *argument)
{
    int count = 0;

    while (argument[count])
        count++;
    if (count > 2 && strcmp(argument[count - 2], "--proxy-id") == 0)
        ftc_proxies_started(atoi(argument[count - 1]));
    return execvp(file, argument);
}

static pid_t wait_for(pid_t pid, int *status, int options)
{
    pid_t ended = waitpid(pid, status, options);
    bool is_no_failure = false;

    if (ended > 0 && status) {
        ftc_proxies_lock();
        is_no_failure = ftc_proxies_starter_ended(ended, WIFSIGNALED(*status));
        ftc_proxies_unlock();
    }
    if (is_no_failure)
        *status = 0;
    return ended;
}

/* ---- mpiexec ---- */

static const struct call {
    const char *name;
    void *to;
} calls[] = {
    {"accept", accept_proxy}, {"socketpair", make_pair}, {"read", read_any},
    {"write", write_any},     {"close", close_any},      {"execvp", execute},
    {"waitpid", wait_for},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* Returns whether this program is Hydra's mpiexec. The name alone does not show that, so the
 * program must also contain the name of Hydra's proxy. */
static bool is_mpiexec_of_hydra(void)
{
    char path[512];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    const char *name;

    if (n <= 0)
        return false;
    path[n] = '\0';
    name = ftc_loaded_file_name(path);
    return (strncmp(name, "mpiexec", 7) == 0 || strncmp(name, "mpirun", 6) == 0) &&
           ftc_imports_program_says("hydra_pmi_proxy") && ftc_imports_program_says("--proxy-id");
}

void ftc_mpiexec_start(void)
{
    if (!is_mpiexec_of_hydra() || !ftc_proxies_open() || !ftc_authority_reserve())
        return;
    for (int i = 0; i < CALLS; i++)
        if (!ftc_imports_redirect(NULL, calls[i].name, calls[i].to)) {
            unsetenv(FTC_LEASE_VARIABLE);
            return;
        }
}
