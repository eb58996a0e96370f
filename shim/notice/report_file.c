#include "report_file.h"

#include "system/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 10000, SUFFIX_BYTES = 16 };

void ftc_report_file_make_absolute(const char *name, char path[FTC_REPORT_PATH_MAX])
{
    char directory[PATH_MAX];

    if (name[0] == '\0' || name[0] == '/' || !getcwd(directory, sizeof directory) ||
        snprintf(path, FTC_REPORT_PATH_MAX, "%s/%s", directory, name) >= FTC_REPORT_PATH_MAX)
        snprintf(path, FTC_REPORT_PATH_MAX, "%s", name);
}

/* The directory that @path, which is not "", names a file in. */
static void directory_of(const char *path, char directory[FTC_REPORT_PATH_MAX])
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        snprintf(directory, FTC_REPORT_PATH_MAX, ".");
    else
        snprintf(directory, FTC_REPORT_PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path),
                 path);
}

/* A file without a name is the whole truth; some file systems have none (NFS). */
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

static FILE *create(const char *path, char *used, size_t size)
{
    int fd = -1;

    for (int i = 0; fd < 0 && i < FILES; i++) {
        if (i == 0)
            snprintf(used, size, "%s", path);
        else
            snprintf(used, size, "%s.%d", path, i);
        fd = open(used, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd < 0 ? NULL : fdopen(fd, "w");
}

static void write_to_file(const char *path, const char *text, size_t bytes)
{
    char used[FTC_REPORT_PATH_MAX + SUFFIX_BYTES];
    FILE *f = create(path, used, sizeof used);

    if (!f) {
        fprintf(stderr, "ftcoll: cannot create report_file %s: %s; the report follows\n", used,
                strerror(errno));
        ftc_lines_write(STDERR_FILENO, text, bytes);
        return;
    }
    fwrite(text, 1, bytes, f);
    if (fclose(f) != 0)
        fprintf(stderr, "ftcoll: cannot write report_file %s: %s\n", used, strerror(errno));
}

void ftc_report_file_write(const char *path, void (*write)(FILE *f, const void *context),
                           const void *context)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);

    if (!f)
        return;
    write(f, context);
    fclose(f);
    if (bytes > 0 && path[0])
        write_to_file(path, text, bytes);
    else
        ftc_lines_write(STDERR_FILENO, text, bytes);
    free(text);
}
