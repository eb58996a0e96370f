#include "output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One descriptor of a process, as proc(5) shows it. */
struct end {
    int fd;
    unsigned long pipe;
    bool is_read, is_written;
};

/* True with the next one of @fds that is the end of a pipe. */
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

static bool only_reads(DIR *launcher, unsigned long pipe)
{
    bool reads = false;
    struct end e;

    rewinddir(launcher);
    while (next_end(launcher, &e)) {
        if (e.pipe == pipe && e.is_written)
            return false;
        reads |= e.pipe == pipe;
    }
    return reads;
}

static int find(DIR *own, DIR *launcher)
{
    struct end e;

    while (next_end(own, &e))
        if (e.fd > STDOUT_FILENO && e.is_written && !e.is_read && only_reads(launcher, e.pipe))
            return e.fd;
    return -1;
}

int ftc_output_to(pid_t launcher)
{
    DIR *own = opendir("/proc/self/fd"), *its;
    char path[32];
    int found = -1;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)launcher);
    its = opendir(path);
    if (own && its)
        found = find(own, its);
    if (own)
        closedir(own);
    if (its)
        closedir(its);
    return found;
}
