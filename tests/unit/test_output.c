/* The pipes by which a launcher reads what a rank writes. */
#include "monitor/output.h"
#include "unit.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child finds that has both ends of @tube, of which this process keeps those that it says,
 * until then. */
static int found_with(int tube[2], bool reads, bool writes)
{
    int told[2], go[2], found = 0, status;
    pid_t child;

    ck_assert_int_eq(pipe(told), 0);
    ck_assert_int_eq(pipe(go), 0);
    child = fork();
    if (child == 0) {
        (void)!read(go[0], &found, 1);
        found = ftc_output_to(getppid());
        _exit(write(told[1], &found, sizeof found) == (ssize_t)sizeof found ? 0 : 1);
    }
    if (!reads)
        close(tube[0]);
    if (!writes)
        close(tube[1]);
    ck_assert_int_eq(write(go[1], "", 1), 1);
    ck_assert_int_eq(read(told[0], &found, sizeof found), sizeof found);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    if (reads)
        close(tube[0]);
    if (writes)
        close(tube[1]);
    for (int i = 0; i < 2; i++) {
        close(told[i]);
        close(go[i]);
    }
    return found;
}

START_TEST(the_pipe_that_the_launcher_reads_is_found)
{
    int tube[2], writing;

    ck_assert_int_eq(pipe(tube), 0);
    writing = tube[1];
    ck_assert_int_eq(found_with(tube, true, false), writing);
}
END_TEST

/* Where standard error is one of them there is no need of another. */
START_TEST(standard_error_is_found_first)
{
    int tube[2], before = dup(STDERR_FILENO);

    ck_assert_int_eq(pipe(tube), 0);
    dup2(tube[1], STDERR_FILENO);
    close(tube[1]);
    tube[1] = STDERR_FILENO;
    ck_assert_int_eq(found_with(tube, true, false), STDERR_FILENO);
    dup2(before, STDERR_FILENO);
    close(before);
}
END_TEST

START_TEST(a_pipe_that_nobody_reads_is_none)
{
    int tube[2];

    ck_assert_int_eq(pipe(tube), 0);
    ck_assert_int_eq(found_with(tube, false, false), -1);
}
END_TEST

START_TEST(a_pipe_into_which_the_launcher_writes_itself_is_none)
{
    int tube[2];

    ck_assert_int_eq(pipe(tube), 0);
    ck_assert_int_eq(found_with(tube, true, true), -1);
}
END_TEST

START_TEST(a_launcher_that_is_gone_reads_nothing)
{
    pid_t child = fork();

    if (child == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    ck_assert_int_eq(ftc_output_to(child), -1);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("output");
    UNIT_TEST(the_pipe_that_the_launcher_reads_is_found);
    UNIT_TEST(standard_error_is_found_first);
    UNIT_TEST(a_pipe_that_nobody_reads_is_none);
    UNIT_TEST(a_pipe_into_which_the_launcher_writes_itself_is_none);
    UNIT_TEST(a_launcher_that_is_gone_reads_nothing);
    UNIT_END();
}
