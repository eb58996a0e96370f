/* The pipes by which a launcher reads what a rank writes, and sends it standard input. */
#include "monitor/pipes.h"
#include "unit.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child finds that has both ends of @tube, of which this process keeps those that it says,
 * until then. */
static int find_with(int tube[2], bool reads, bool writes, int (*find)(pid_t launcher))
{
    int told[2], go[2], found = 0, status;
    pid_t child;

    ck_assert_int_eq(pipe(told), 0);
    ck_assert_int_eq(pipe(go), 0);
    child = fork();
    if (child == 0) {
        (void)!read(go[0], &found, 1);
        found = find(getppid());
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

static int found_with(int tube[2], bool reads, bool writes)
{
    return find_with(tube, reads, writes, ftc_pipes_output_to);
}

/* As find_with(), while end @end of @tube is @descriptor. */
static int find_as(int descriptor, int tube[2], int end, bool reads, bool writes,
                   int (*find)(pid_t launcher))
{
    int before = dup(descriptor), found;

    dup2(tube[end], descriptor);
    close(tube[end]);
    tube[end] = descriptor;
    found = find_with(tube, reads, writes, find);
    dup2(before, descriptor);
    close(before);
    return found;
}

static int input_with(int tube[2], bool reads, bool writes)
{
    return find_as(STDIN_FILENO, tube, 0, reads, writes, ftc_pipes_input_from);
}

/* Returns what is found while @descriptor is such a pipe. */
static int found_as(int descriptor)
{
    int tube[2];

    ck_assert_int_eq(pipe(tube), 0);
    return find_as(descriptor, tube, 1, true, false, ftc_pipes_output_to);
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
    ck_assert_int_eq(found_as(STDERR_FILENO), STDERR_FILENO);
}
END_TEST

/* Messages of the library must not come among the program's results. */
START_TEST(standard_output_is_none)
{
    ck_assert_int_eq(found_as(STDOUT_FILENO), -1);
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
    ck_assert_int_eq(ftc_pipes_output_to(child), -1);
}
END_TEST

START_TEST(the_pipe_that_the_launcher_writes_is_standard_input)
{
    int tube[2];

    ck_assert_int_eq(pipe(tube), 0);
    ck_assert_int_eq(input_with(tube, false, true), STDIN_FILENO);
}
END_TEST

/* The rest of it may be another process's, as in a shell. */
START_TEST(standard_input_of_others_is_none)
{
    int tube[2];

    ck_assert_int_eq(pipe(tube), 0);
    ck_assert_int_eq(input_with(tube, true, true), -1);
    ck_assert_int_eq(pipe(tube), 0);
    ck_assert_int_eq(input_with(tube, false, false), -1);
}
END_TEST

START_TEST(input_is_read_until_its_writer_closes_it)
{
    static const char input[200000];
    int tube[2];

    ck_assert_int_eq(pipe(tube), 0);
    ck_assert(!ftc_pipes_are_draining());
    ftc_pipes_drain(tube[0]);
    ck_assert_int_eq(write(tube[1], input, sizeof input), sizeof input);
    ck_assert(ftc_pipes_are_draining());
    close(tube[1]);
    while (ftc_pipes_are_draining())
        sched_yield();
    close(tube[0]);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("pipes");
    UNIT_TEST(the_pipe_that_the_launcher_reads_is_found);
    UNIT_TEST(standard_error_is_found_first);
    UNIT_TEST(standard_output_is_none);
    UNIT_TEST(a_pipe_that_nobody_reads_is_none);
    UNIT_TEST(a_pipe_into_which_the_launcher_writes_itself_is_none);
    UNIT_TEST(a_launcher_that_is_gone_reads_nothing);
    UNIT_TEST(the_pipe_that_the_launcher_writes_is_standard_input);
    UNIT_TEST(standard_input_of_others_is_none);
    UNIT_TEST(input_is_read_until_its_writer_closes_it);
    UNIT_END();
}
