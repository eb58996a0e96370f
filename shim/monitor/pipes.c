#include "pipes.h"

#include "monitored.h"
#include "system/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Descriptor of a process, as proc(5) shows it. */
struct end {
    int fd;
    unsigned long pipe;
    bool is_read, is_written;
};

/* Reads @fds up to the next end of a pipe. Returns false if there is none. */
static bool next_end(DIR *fds, struct end *e)
{
    const int directory = dirfd(fds);
    struct dirent *entry;
    char target[64];

    while (directory >= 0 && (entry = readdir(fds))) {
        ssize_t length = readlinkat(directory, entry->d_name, target, sizeof target - 1);
        struct stat link;

        target[length > 0 ? length : 0] = '\0';
        if (sscanf(target, "pipe:[%lu]", &e->pipe) != 1 ||
            fstatat(directory, entry->d_name, &link, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        e->fd = atoi(entry->d_name);
        e->is_read = (link.st_mode & S_IRUSR) != 0;
        e->is_written = (link.st_mode & S_IWUSR) != 0;
        return true;
    }
    return false;
}

/* Returns whether @process has only the reading end of @pipe, or only the writing end. */
static bool has_one_end(DIR *process, unsigned long pipe, bool is_reading_end)
{
    bool has = false;
    struct end e;

    rewinddir(process);
    while (next_end(process, &e)) {
        if (e.pipe == pipe && (is_reading_end ? e.is_written : e.is_read))
            return false;
        has |= e.pipe == pipe;
    }
    return has;
}

static int find_output(DIR *own, DIR *launcher)
{
    struct end e;

    while (next_end(own, &e))
        if (e.fd > STDOUT_FILENO && e.is_written && !e.is_read &&
            has_one_end(launcher, e.pipe, true))
            return e.fd;
    return -1;
}

static int find_input(DIR *own, DIR *launcher)
{
    struct end e;

    while (next_end(own, &e))
        if (e.fd == STDIN_FILENO && e.is_read && !e.is_written &&
            has_one_end(launcher, e.pipe, false))
            return e.fd;
    return -1;
}

static int find(pid_t launcher, int (*find_in)(DIR *own, DIR *launcher))
{
    DIR *own = opendir("/proc/self/fd"), *its;
    char path[32];
    int found = -1;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)launcher);
    its = opendir(path);
    if (own && its)
        found = find_in(own, its);
    if (own)
        closedir(own);
    if (its)
        closedir(its);
    return found;
}

int ftc_pipes_output_to(pid_t launcher)
{
    return find(launcher, find_output);
}

int ftc_pipes_input_from(pid_t launcher)
{
    return find(launcher, find_input);
}

/* ---- input that is left over ---- */

static int drained = -1;
static _Atomic bool is_draining;
static _Atomic uint64_t drained_ns;

/* Reads and drops the input. Polls first, because the program may have made the pipe nonblocking
 * for all processes that share it. */
static void *drain(void *unused)
{
    static char dropped[65536];
    struct pollfd input = {.fd = drained, .events = POLLIN};
    ssize_t bytes;

    do {
        poll(&input, 1, -1);
        bytes = read(drained, dropped, sizeof dropped);
        atomic_store(&drained_ns, ftc_clock_ns());
    } while (bytes > 0 || (bytes < 0 && errno == EAGAIN));
    atomic_store(&is_draining, false);
    return unused;
}

void ftc_pipes_drain(int input)
{
    if (input < 0 || drained >= 0)
        return;
    drained = input;
    atomic_store(&is_draining, true);
    if (!ftc_monitored_start_thread(drain, NULL))
        atomic_store(&is_draining, false);
}

bool ftc_pipes_are_draining(void)
{
    return atomic_load(&is_draining);
}

uint64_t ftc_pipes_drained_ns(void)
{
    return atomic_load(&drained_ns);
}
