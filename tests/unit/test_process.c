/* What a monitor process keeps of its rank. The file under test is part of this one. */
#include "monitor/process.c"

#include "unit.h"

#include <sys/socket.h>

/* Exit status of a process that does @act. */
static int status_of(int (*act)(void))
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        _exit(act());
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static int copy_from(int least)
{
    return fcntl(STDERR_FILENO, F_DUPFD, least);
}

/* The program's files are below and above of what is kept. */
static int close_the_files_of_the_program(void)
{
    int low = copy_from(STDERR_FILENO + 1), channel = copy_from(low + 1),
        high = copy_from(channel + 100);

    rank.job = (struct ftc_monitor_job){.channel = channel, .tether = -1, .pmi = -1, .outer = -1};
    rank.signals = -1;
    close_inherited();
    return is_open(low) + 2 * is_open(high) + 4 * !is_open(channel) + 8 * !is_open(STDERR_FILENO);
}

/* The other end of a pipe waits for the end of file, and a file system cannot be unmounted. */
START_TEST(a_monitor_process_closes_what_it_does_not_need)
{
    ck_assert_int_eq(status_of(close_the_files_of_the_program), 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("process");
    UNIT_TEST(a_monitor_process_closes_what_it_does_not_need);
    UNIT_END();
}
