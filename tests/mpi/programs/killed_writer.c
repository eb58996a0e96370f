/* killed_writer: a library that is preloaded behind the one under test. Of the processes of a job
 * that write a text with $KILLED_WRITES in it to standard error, by write() itself, the first is
 * killed: just before, or with KILLED_WHEN=after just behind. It leaves a file "killed". */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

ssize_t write(int fd, const void *text, size_t bytes)
{
    int is_after = getenv("KILLED_WHEN") != NULL, is_meant = is_line(fd, text, bytes);
    ssize_t written;

    if (is_meant && !is_after)
        die_once();
    written = syscall(SYS_write, fd, text, bytes);
    if (is_meant && is_after)
        die_once();
    return written;
}
