/* Trust in a settings file, and its opening. */
#include "settings_table.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 8 };

static bool is_trusted_owner(uid_t owner)
{
    return owner == geteuid() || owner == 0;
}

static bool is_allowed_kind(const struct stat *status, bool named)
{
    return S_ISREG(status->st_mode) || (named && S_ISCHR(status->st_mode));
}

/* Fills file->why if the file or link that @status describes is not trusted. */
static void judge(const struct stat *status, bool named, struct ftc_settings_file *file)
{
    const char *what = S_ISLNK(status->st_mode) ? "a link on the way to it" : "it";

    if (!is_trusted_owner(status->st_uid))
        snprintf(file->why, sizeof file->why, "%s belongs to another user (uid %u)", what,
                 (unsigned)status->st_uid);
    else if (S_ISLNK(status->st_mode))
        return;
    else if (!is_allowed_kind(status, named))
        snprintf(file->why, sizeof file->why, "it is not a regular file");
    else if (S_ISREG(status->st_mode) && (status->st_mode & (S_IWGRP | S_IWOTH)) != 0)
        snprintf(file->why, sizeof file->why,
                 "others than its owner may write to it (mode %04o; chmod go-w)",
                 (unsigned)status->st_mode & 07777);
}

/* Writes to @target where the link at @path leads. @fd is a descriptor of the link itself. A
 * relative target begins at the directory of @path. Returns 0 or a negative errno. */
static int read_link(int fd, const char *path, char target[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    size_t directory = slash ? (size_t)(slash + 1 - path) : 0;
    char to[PATH_MAX];
    ssize_t length = readlinkat(fd, "", to, sizeof to);

    if (length < 0)
        return -errno;
    if (length > 0 && to[0] == '/')
        directory = 0;
    if (directory + (size_t)length >= PATH_MAX)
        return -ENAMETOOLONG;
    memmove(target, path, directory);
    memcpy(target + directory, to, (size_t)length);
    target[directory + (size_t)length] = '\0';
    return 0;
}

/* Checks the file or link at @path without opening it. A file of another user may be a trap for
 * processes that open it, such as a pipe on which a process waits, or a file with a lease. Returns
 * 1 if a trusted link is there, with its target in @path. Otherwise returns 0 or a negative errno.
 * Fills file->why if the file or link is not trusted. */
static int look(char path[PATH_MAX], bool named, struct ftc_settings_file *file)
{
    int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), rv = 0;
    struct stat status;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) != 0)
        rv = -errno;
    else
        judge(&status, named, file);
    if (rv == 0 && file->why[0] == '\0' && S_ISLNK(status.st_mode)) {
        rv = read_link(fd, path, path);
        rv = rv < 0 ? rv : 1;
    }
    close(fd);
    return rv;
}

/* Opens @path and checks the open file again, because another file may have taken its place since
 * the last check. Returns 0 or a negative errno. The caller closes file->fd after an error or if
 * the file is not trusted. */
static int open_judged(const char *path, bool named, struct ftc_settings_file *file)
{
    struct stat status;

    file->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file->fd < 0 || fstat(file->fd, &status) != 0)
        return -errno;
    judge(&status, named, file);
    file->is_own = status.st_uid == geteuid() && status.st_nlink == 1;
    return 0;
}

int ftc_settings_open(const char *path, bool named, struct ftc_settings_file *file)
{
    char at[PATH_MAX];
    int links = 0, rv;

    *file = (struct ftc_settings_file){.fd = -1};
    if (strlen(path) >= sizeof at)
        return -ENAMETOOLONG;
    memcpy(at, path, strlen(path) + 1);
    while ((rv = look(at, named, file)) == 1)
        if (++links > LINKS_MAX)
            return -ELOOP;
    if (rv == 0 && file->why[0] == '\0')
        rv = open_judged(at, named, file);
    if (file->fd >= 0 && (rv != 0 || file->why[0] != '\0')) {
        close(file->fd);
        file->fd = -1;
    }
    return rv;
}
