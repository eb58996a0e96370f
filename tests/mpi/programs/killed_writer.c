/* killed_writer: a library that is preloaded behind the one under test. Of the processes of a job
 * that write a text with $KILLED_WRITES in it to standard error, by a system call itself, the first
 * is killed: just before, or with KILLED_WHEN=after just behind. It leaves a file "killed". */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_line(int fd, const char *text, size_t bytes)
{
    const char *words = getenv("KILLED_WRITES");

    return fd == STDERR_FILENO && words && memmem(text, bytes, words, strlen(words)) != NULL;
}

static void die_once(void)
{
    if (open("killed", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) >= 0)
        raise(SIGKILL);
}

static ssize_t write_with(int flags, int fd, const struct iovec *part)
{
    int is_after = getenv("KILLED_WHEN") != NULL,
        is_meant = is_line(fd, part->iov_base, part->iov_len);
    ssize_t written;

    if (is_meant && !is_after)
        die_once();
    written = flags == 0 ? syscall(SYS_write, fd, part->iov_base, part->iov_len)
                         : syscall(SYS_pwritev2, fd, part, 1, -1, -1, flags);
    if (is_meant && is_after)
        die_once();
    return written;
}

ssize_t write(int fd, const void *text, size_t bytes)
{
    return write_with(0, fd, &(struct iovec){(void *)text, bytes});
}

/* As of lines, which have one part each. */
ssize_t pwritev2(int fd, const struct iovec *part, int count, off_t offset, int flags)
{
    (void)count;
    (void)offset;
    return write_with(flags, fd, part);
}
