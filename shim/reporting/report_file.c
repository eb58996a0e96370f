#include "report_file.h"

#include "system/file_limit.h"
#include "system/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 10000, USED_BYTES = FTC_REPORT_PATH_MAX + 16 };

void ftc_report_file_make_absolute(const char *name, char *path, size_t size)
{
    char directory[PATH_MAX];

    if (name[0] == '\0' || name[0] == '/' || !getcwd(directory, sizeof directory) ||
        (size_t)snprintf(path, size, "%s/%s", directory, name) >= size)
        snprintf(path, size, "%s", name);
}

/* Writes the directory of @path, the name of a file, to @directory. @path is not "". */
static void directory_of(const char *path, char directory[FTC_REPORT_PATH_MAX])
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        snprintf(directory, FTC_REPORT_PATH_MAX, ".");
    else
        snprintf(directory, FTC_REPORT_PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path),
                 path);
}

/* Checks whether a file can be created in @directory, by creating one without a name. Some file
 * systems have none (NFS); there only the permissions are checked. Returns 0 or a negative errno.
 */
static int try_in(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

    if (fd >= 0) {
        close(fd);
        return 0;
    }
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
        return -errno;
    return faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : -errno;
}

int ftc_report_file_try(const char *path)
{
    char directory[FTC_REPORT_PATH_MAX];
    struct stat status;

    if (lstat(path, &status) != 0 && errno != ENOENT)
        return -errno;
    directory_of(path, directory);
    return try_in(directory);
}

bool ftc_report_file_is_special(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* ---- writing ---- */

static bool write_all(int fd, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, text, bytes);

        if (n < 0 && errno != EINTR)
            return false;
        text += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Creates the file @name, which must not exist, not even as a link to nowhere. */
static int create(const char *name)
{
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
}

static int link_file(int fd, const char *name)
{
    char own[64];

    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 ? fd : -1;
}

/* Gives file @fd the first name of PATH, PATH.1, PATH.2 ... that does not exist, or creates a file
 * of that name if @fd is -1. @used gets the last name tried. Returns the file; -1 if @used cannot
 * be created. */
static int take_name(int fd, const char *path, char used[USED_BYTES])
{
    for (int i = 0; i < FILES; i++) {
        int taken;

        if (i == 0)
            snprintf(used, USED_BYTES, "%s", path);
        else
            snprintf(used, USED_BYTES, "%s.%d", path, i);
        taken = fd >= 0 ? link_file(fd, used) : create(used);
        if (taken >= 0 || errno != EEXIST)
            return taken;
    }
    return -1;
}

/* Writes a file without a name, which gets its name when it is complete, where the file system has
 * such files. A reader thus finds the whole report or none, even if the writer was killed. */
static bool write_unnamed(const char *path, const char *text, size_t bytes, char used[USED_BYTES])
{
    char directory[FTC_REPORT_PATH_MAX];
    bool done;
    int fd;

    directory_of(path, directory);
    fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0)
        return false;
    done = write_all(fd, text, bytes) && take_name(fd, path, used) >= 0;
    close(fd);
    return done;
}

/* Writes a file under its name, and removes it if there is no room for all of it. */
static bool write_named(const char *path, const char *text, size_t bytes, char used[USED_BYTES])
{
    int fd = take_name(-1, path, used), error;
    bool done;

    if (fd < 0)
        return false;
    done = write_all(fd, text, bytes);
    error = errno;
    close(fd);
    if (!done)
        unlink(used);
    errno = error;
    return done;
}

static bool write_to_file(const char *path, const char *text, size_t bytes)
{
    struct ftc_file_limit limit;
    char used[USED_BYTES];
    bool done;

    ftc_file_limit_hold(&limit);
    done = write_unnamed(path, text, bytes, used) || write_named(path, text, bytes, used);
    ftc_file_limit_release(&limit);
    if (done)
        return true;
    ftc_lines_say("ftcoll: cannot create report_file %s: %s; the report follows\n", used,
                  strerror(errno));
    return false;
}

/* ---- the text ---- */

/* Text in memory that a stream writes. A stream of open_memstream() shows no error if its memory
 * cannot grow (glibc 2.36). */
struct text {
    char *at;
    size_t bytes;
    bool is_short; /* no memory for the rest */
};

static ssize_t append(void *cookie, const char *from, size_t bytes)
{
    struct text *t = cookie;
    char *wider = t->is_short ? NULL : realloc(t->at, t->bytes + bytes);

    t->is_short = !wider;
    if (!wider)
        return 0;
    memcpy(wider + t->bytes, from, bytes);
    t->at = wider;
    t->bytes += bytes;
    return (ssize_t)bytes;
}

bool ftc_report_file_write(const char *path, void (*write)(FILE *f, const void *context),
                           const void *context)
{
    struct text t = {0};
    FILE *f = fopencookie(&t, "w", (cookie_io_functions_t){.write = append});
    bool is_in_file;

    if (f) {
        write(f, context);
        fclose(f);
    }
    if (!f || t.is_short)
        ftc_lines_say("ftcoll: no memory for the report%s\n", f ? ", which ends early" : "");
    is_in_file = t.bytes > 0 && path[0] && write_to_file(path, t.at, t.bytes);
    if (!is_in_file)
        ftc_lines_write(ftc_lines_error(), t.at, t.bytes);
    free(t.at);
    return is_in_file;
}
