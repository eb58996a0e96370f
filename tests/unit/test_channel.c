/* The descriptors between a rank and its monitor process. */
#include "monitor/channel.h"
#include "unit.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* A program that is started without standard input, output and error: exit status 0 if all ends
 * are other ones. */
static _Noreturn void open_without_standard_ones(void)
{
    struct ftc_channel_ends ends;
    bool is_open;

    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    is_open = ftc_channel_open(&ends) == 0;
    _exit(is_open && ends.monitor > STDERR_FILENO && ends.rank > STDERR_FILENO &&
                  ends.tether_monitor > STDERR_FILENO && ends.tether_rank > STDERR_FILENO
              ? 0
              : 1);
}

START_TEST(no_end_takes_the_place_of_a_standard_descriptor)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        open_without_standard_ones();
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(a_message_arrives_with_its_sender)
{
    struct ftc_channel_message m = {.kind = FTC_CHANNEL_STAND_DOWN, .world = 3};
    struct ftc_channel_received r;
    struct ftc_channel_ends ends;

    ck_assert_int_eq(ftc_channel_open(&ends), 0);
    ck_assert_int_eq(ftc_channel_receive(ends.monitor, &r), -EAGAIN);
    ck_assert_int_eq(ftc_channel_send(ends.rank, m, NULL, 0), 0);
    ck_assert_int_eq(ftc_channel_receive(ends.monitor, &r), 0);
    ck_assert_uint_eq(r.message.world, 3);
    ck_assert_int_eq(r.sender, getpid());
    ftc_channel_close(&ends);
}
END_TEST

/* Whether programs below the rank, which hold its end and read nothing from it, find it deserted
 * once the monitor process has gone; @last is its last message, or nothing. */
static bool is_deserted_after(const struct ftc_channel_message *last)
{
    struct ftc_channel_ends ends;
    bool is_deserted;

    ck_assert_int_eq(ftc_channel_open(&ends), 0);
    if (last)
        ck_assert_int_eq(ftc_channel_send(ends.monitor, *last, NULL, 0), 0);
    ck_assert(!ftc_channel_is_deserted(ends.rank));
    close(ends.monitor);
    ends.monitor = -1;
    is_deserted = ftc_channel_is_deserted(ends.rank);
    ftc_channel_close(&ends);
    return is_deserted;
}

/* A rank that was killed has not read the answer to what it had sent. */
START_TEST(a_monitor_process_that_ends_without_a_goodbye_leaves_its_channel_deserted)
{
    ck_assert(is_deserted_after(NULL));
    ck_assert(is_deserted_after(&(struct ftc_channel_message){.kind = FTC_CHANNEL_ANSWER}));
    ck_assert(!is_deserted_after(&(struct ftc_channel_message){.kind = FTC_CHANNEL_GOODBYE}));
}
END_TEST

int main(void)
{
    UNIT_BEGIN("channel");
    UNIT_TEST(no_end_takes_the_place_of_a_standard_descriptor);
    UNIT_TEST(a_message_arrives_with_its_sender);
    UNIT_TEST(a_monitor_process_that_ends_without_a_goodbye_leaves_its_channel_deserted);
    UNIT_END();
}
