/* What the job tells people once: who claims it, who takes it over, and when all have recovered. */
#include "board/announcement.h"
#include "board/end_of_job.h"
#include "board/rank_state.h"
#include "board/recovery_record.h"
#include "system/lines.h"
#include "unit_board.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 4, VALUE_BYTES = 8, FIRST = 0, SECOND = 1, VICTIM = 3, CLAIMANTS = 8 };

static struct ftc_board created(void)
{
    return unit_board(unit_geometry(SLOTS, VALUE_BYTES));
}

static const struct ftc_announcement death = {
    .kind = FTC_ANNOUNCEMENT_DEATH, .rank = VICTIM, .number = 1};
static const struct ftc_announcement report = {.kind = FTC_ANNOUNCEMENT_REPORT, .number = 1};

static struct ftc_announcer monitor_of(uint32_t world)
{
    return (struct ftc_announcer){.rank = world};
}

static struct ftc_announcer rank_of(uint32_t world)
{
    return (struct ftc_announcer){.rank = world, .is_rank = true};
}

static bool claims(const struct ftc_board *board, const struct ftc_announcement *announcement,
                   struct ftc_announcer announcer)
{
    return ftc_announcement_claim(board, announcement, &announcer);
}

static bool claims_death(const struct ftc_board *board)
{
    return claims(board, &death, monitor_of(FIRST));
}

static bool claims_end_of_job(const struct ftc_board *board)
{
    return ftc_end_of_job_claim(board, FIRST) && ftc_end_of_job_is_said(board);
}

/* The monitor process of FIRST, which is killed before it could do what it has claimed. */
static void claim_and_die(const struct ftc_board *board, bool (*claim)(const struct ftc_board *))
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        if (ftc_lifeline_guard(ftc_board_lifeline(board, FIRST)) == 0 && claim(board))
            raise(SIGKILL);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
}

START_TEST(one_of_two_claims_and_tells)
{
    struct ftc_board board = created();
    struct ftc_announcer first = monitor_of(FIRST);

    ck_assert(claims(&board, &death, first));
    ck_assert(!claims(&board, &death, monitor_of(SECOND)));
    ck_assert(!claims(&board, &death, first));
    ck_assert(!ftc_announcement_is_done(&board, &death));
    ftc_announcement_end(&board, &death, &first);
    ck_assert(ftc_announcement_is_done(&board, &death));
    ck_assert(!claims(&board, &death, monitor_of(SECOND)));
    ck_assert(claims(&board, &report, monitor_of(SECOND)));
    ftc_board_close(&board);
}
END_TEST

START_TEST(what_is_told_on_another_host_is_not_told_here)
{
    struct ftc_board board = created();
    struct ftc_announcer first = monitor_of(FIRST);

    ck_assert(claims(&board, &death, first));
    ftc_announcement_is_elsewhere(&board, &death); /* it is being told here already */
    ck_assert(!ftc_announcement_is_done(&board, &death));
    ftc_announcement_end(&board, &death, &first);
    ck_assert(ftc_announcement_is_done(&board, &death));
    ftc_announcement_is_elsewhere(&board, &report);
    ck_assert(ftc_announcement_is_done(&board, &report));
    ck_assert(!claims(&board, &report, first));
    ftc_board_close(&board);
}
END_TEST

START_TEST(what_a_dead_monitor_process_claimed_is_told_by_the_next)
{
    struct ftc_board board = created();
    struct ftc_announcer first = monitor_of(FIRST), second = monitor_of(SECOND);

    claim_and_die(&board, claims_death);
    ck_assert(!ftc_announcement_is_done(&board, &death));
    ck_assert(claims(&board, &death, second));
    ftc_announcement_end(&board, &death, &first); /* its word, which came late, does not count */
    ck_assert(!ftc_announcement_is_done(&board, &death));
    ftc_announcement_end(&board, &death, &second);
    ck_assert(ftc_announcement_is_done(&board, &death));
    ftc_board_close(&board);
}
END_TEST

START_TEST(the_job_that_a_dead_monitor_process_was_to_end_is_ended_by_the_next)
{
    struct ftc_board board = created();

    claim_and_die(&board, claims_end_of_job);
    ck_assert(!ftc_end_of_job_is_said(&board));
    ck_assert(ftc_end_of_job_claim(&board, SECOND));
    ck_assert(!ftc_end_of_job_claim(&board, VICTIM));
    ck_assert(ftc_end_of_job_is_said(&board) && !ftc_end_of_job_is_now(&board));
    ftc_end_of_job_begin(&board);
    ck_assert(ftc_end_of_job_is_said(&board) && ftc_end_of_job_is_now(&board));
    ck_assert(!ftc_end_of_job_claim(&board, SECOND));
    ftc_board_close(&board);
}
END_TEST

START_TEST(what_a_dead_rank_claimed_is_told_by_another)
{
    struct ftc_board board = created();

    ftc_board_advance(&board, FIRST, FTC_RANK_RUNNING);
    ck_assert(claims(&board, &report, rank_of(FIRST)));
    ck_assert(!claims(&board, &report, monitor_of(SECOND)));
    ftc_board_mark_failed(&board, FIRST, FTC_DEATH_SIGNAL, SIGKILL);
    ck_assert(claims(&board, &report, monitor_of(SECOND)));
    ftc_board_close(&board);
}
END_TEST

START_TEST(of_many_at_once_one_claims)
{
    struct ftc_board board = created();
    int start[2], claimed = 0, status;
    pid_t pid[CLAIMANTS];

    ck_assert_int_eq(pipe(start), 0);
    for (int i = 0; i < CLAIMANTS; i++) {
        pid[i] = fork();
        if (pid[i] == 0) {
            char byte;

            close(start[1]);
            (void)!read(start[0], &byte, 1); /* until the others are there */
            _exit(claims(&board, &death, monitor_of((uint32_t)i % SLOTS)));
        }
    }
    close(start[1]);
    for (int i = 0; i < CLAIMANTS; i++) {
        ck_assert_int_eq(waitpid(pid[i], &status, 0), pid[i]);
        claimed += WEXITSTATUS(status);
    }
    ck_assert_int_eq(claimed, 1);
    ftc_board_close(&board);
}
END_TEST

START_TEST(a_recovery_is_told_for_each_number_of_deaths)
{
    struct ftc_board board = created();
    struct ftc_announcement one = {.kind = FTC_ANNOUNCEMENT_RECOVERY, .number = 1}, three = one;
    struct ftc_announcer first = monitor_of(FIRST);

    three.number = 3;
    ck_assert(claims(&board, &one, first));
    ck_assert(!claims(&board, &three, monitor_of(SECOND)));
    ftc_announcement_end(&board, &one, &first);
    ck_assert(claims(&board, &three, monitor_of(SECOND)));
    ck_assert(ftc_announcement_is_done(&board, &one));
    ck_assert(!ftc_announcement_is_done(&board, &three));
    ftc_board_close(&board);
}
END_TEST

/* Anybody can write to the board: who is not there cannot keep others from telling. */
START_TEST(a_claim_of_nobody_does_not_count)
{
    static const uint64_t nobody[] = {(uint64_t)(SLOTS + 1) << 32, (uint64_t)0x8000 << 32,
                                      (uint64_t)0xffffffffu << 32, (uint64_t)0x10001 << 32};
    struct ftc_board board = created();

    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++) {
        atomic_store(&board.shared->report_announced, nobody[i]);
        ck_assert(claims(&board, &report, monitor_of(FIRST)));
    }
    ftc_board_close(&board);
}
END_TEST

START_TEST(lines_on_deaths_are_numbered_once_each)
{
    struct ftc_board board = created();

    ck_assert_uint_eq(ftc_announcement_number(&board, VICTIM), 1);
    ck_assert_uint_eq(ftc_announcement_number(&board, FIRST), 2);
    ck_assert_uint_eq(ftc_announcement_number(&board, VICTIM), 1);
    ck_assert_uint_eq(ftc_announcement_number_of_recovery(&board), 1);
    ck_assert_uint_eq(ftc_announcement_number_of_recovery(&board), 2);
    ftc_board_close(&board);
}
END_TEST

struct line {
    const struct ftc_board *board;
    atomic_bool is_begun;
};

static void *begin_line(void *argument)
{
    struct line *l = argument;
    struct ftc_announcer second = monitor_of(SECOND);

    ftc_announcement_begin_line(l->board, &second);
    atomic_store(&l->is_begun, true);
    ftc_announcement_end_line(l->board, &second);
    return NULL;
}

/* A process that has counted the living writes that before another one counts. */
START_TEST(lines_that_count_the_living_wait_for_each_other)
{
    struct ftc_board board = created();
    struct ftc_announcer first = rank_of(FIRST);
    struct line l = {.board = &board};
    pthread_t other;

    ftc_announcement_begin_line(&board, &first);
    ck_assert_int_eq(pthread_create(&other, NULL, begin_line, &l), 0);
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    ck_assert(!atomic_load(&l.is_begun));
    ftc_announcement_end_line(&board, &first);
    pthread_join(other, NULL);
    ck_assert(atomic_load(&l.is_begun));
    ftc_board_mark_failed(&board, FIRST, FTC_DEATH_SIGNAL, SIGKILL);
    ftc_announcement_begin_line(&board, &first); /* it ends in the middle of its line */
    begin_line(&l);
    ftc_board_close(&board);
}
END_TEST

/* ---- when all have recovered ---- */

START_TEST(all_have_recovered_once_each_living_rank_has)
{
    struct ftc_board board = created();
    uint64_t when_ns = 0;

    for (uint32_t i = 0; i < SLOTS; i++)
        ftc_board_advance(&board, i, FTC_RANK_RUNNING);
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    ftc_recovery_record_settle(&board, 0, 1, 50);
    ftc_recovery_record_settle(&board, 1, 1, 70);
    ck_assert(!ftc_recovery_record_is_settled(&board, 1, &when_ns));
    ftc_recovery_record_settle(&board, 2, 1, 60);
    ck_assert(ftc_recovery_record_is_settled(&board, 1, &when_ns));
    ck_assert_uint_eq(when_ns, 70);
    ck_assert(
        !ftc_recovery_record_is_settled(&board, 2, &when_ns)); /* none knows of a second death */
    ftc_board_close(&board);
}
END_TEST

START_TEST(who_has_ended_mpi_is_not_waited_for)
{
    struct ftc_board board = created();
    uint64_t when_ns;

    for (uint32_t i = 0; i < SLOTS; i++)
        ftc_board_advance(&board, i, i < 2 ? FTC_RANK_FINALIZED : FTC_RANK_RUNNING);
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    ftc_recovery_record_settle(&board, 2, 1, 50);
    ck_assert(ftc_recovery_record_is_settled(&board, 1, &when_ns));
    ck_assert_uint_eq(when_ns, 50);
    ftc_board_close(&board);
}
END_TEST

/* ---- lines ---- */

enum { TEXT_LINES = 300, LINE_BYTES = 50, TEXT_BYTES = TEXT_LINES * LINE_BYTES };

static void make_lines(char *text)
{
    memset(text, 'x', TEXT_BYTES);
    for (int i = 1; i <= TEXT_LINES; i++)
        text[i * LINE_BYTES - 1] = '\n';
}

/* A pipe of packets keeps apart what was written apart. */
START_TEST(lines_are_written_whole_and_as_a_pipe_takes_them)
{
    static char text[TEXT_BYTES], read_back[TEXT_BYTES];
    size_t used = 0;
    ssize_t n;
    int end[2];

    make_lines(text);
    ck_assert_int_eq(pipe2(end, O_DIRECT), 0);
    ck_assert(ftc_lines_write(end[1], text, sizeof text));
    close(end[1]);
    while ((n = read(end[0], read_back + used, sizeof read_back - used)) > 0) {
        used += (size_t)n;
        ck_assert_int_le(n, PIPE_BUF);
        ck_assert_int_eq(read_back[used - 1], '\n');
    }
    ck_assert_uint_eq(used, sizeof text);
    ck_assert_mem_eq(text, read_back, sizeof text);
}
END_TEST

/* Standard error is a pipe of packets meanwhile. */
static ssize_t say(const char *text, char read_back[TEXT_BYTES])
{
    int end[2], before = dup(STDERR_FILENO);
    ssize_t n;

    ck_assert_int_eq(pipe2(end, O_DIRECT), 0);
    ck_assert_int_eq(dup2(end[1], STDERR_FILENO), STDERR_FILENO);
    ftc_lines_say("%s\n", text);
    dup2(before, STDERR_FILENO);
    n = read(end[0], read_back, TEXT_BYTES);
    close(before);
    close(end[0]);
    close(end[1]);
    return n;
}

START_TEST(a_line_that_is_too_long_ends_as_one)
{
    static char text[2 * FTC_LINE_MAX + 1], read_back[TEXT_BYTES];

    for (size_t length = FTC_LINE_MAX - 3; length < 2 * FTC_LINE_MAX; length += 1 + length / 2048) {
        size_t told = length < FTC_LINE_MAX ? length : FTC_LINE_MAX - 1;

        memset(text, 'x', length);
        ck_assert_int_eq(say(text, read_back), (ssize_t)told + 1);
        ck_assert_mem_eq(read_back, text, told);
        ck_assert_int_eq(read_back[told], '\n');
    }
}
END_TEST

/* The program closes standard error, and opens a file of its own in its place. */
static int replace_error(const char *path)
{
    close(STDERR_FILENO);
    return open(path, O_RDWR);
}

/* Each test has a process of its own. */
START_TEST(a_file_in_place_of_standard_error_gets_no_lines)
{
    int before = dup(STDERR_FILENO), now;

    ck_assert_int_eq(ftc_lines_error(), STDERR_FILENO);
    ftc_lines_remember_error();
    ck_assert_int_eq(ftc_lines_error(), STDERR_FILENO);
    ck_assert_int_eq(replace_error("/dev/zero"), STDERR_FILENO);
    now = ftc_lines_error();
    dup2(before, STDERR_FILENO);
    ck_assert_int_eq(now, -1);
    ck_assert_int_eq(ftc_lines_error(), STDERR_FILENO);
    close(before);
}
END_TEST

START_TEST(standard_error_that_is_kept_gets_lines_when_it_is_closed)
{
    int before = dup(STDERR_FILENO), now, in_its_place;
    struct stat st, expected;

    ck_assert_int_eq(fstat(STDERR_FILENO, &expected), 0);
    ftc_lines_remember_error();
    ftc_lines_keep_error();
    ck_assert_int_eq(replace_error("/dev/zero"), STDERR_FILENO);
    now = ftc_lines_error();
    dup2(before, STDERR_FILENO);
    ck_assert_int_gt(now, STDERR_FILENO);
    ck_assert_int_eq(fstat(now, &st), 0);
    ck_assert(st.st_dev == expected.st_dev && st.st_ino == expected.st_ino);
    close(STDERR_FILENO);
    in_its_place = dup2(open("/dev/zero", O_RDWR), now); /* a program that closes all it finds */
    now = ftc_lines_error();
    dup2(before, STDERR_FILENO);
    ck_assert_int_ge(in_its_place, 0);
    ck_assert_int_eq(now, -1);
    close(before);
    close(in_its_place);
}
END_TEST

START_TEST(without_standard_error_there_are_no_lines)
{
    int before = dup(STDERR_FILENO), now;

    close(STDERR_FILENO);
    ftc_lines_remember_error();
    ftc_lines_keep_error();
    open("/dev/zero", O_RDWR);
    now = ftc_lines_error();
    dup2(before, STDERR_FILENO);
    close(before);
    ck_assert_int_eq(now, -1);
}
END_TEST

START_TEST(lines_that_nobody_can_read_any_more_are_given_up)
{
    int end[2];

    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe(end), 0);
    close(end[0]);
    ck_assert(!ftc_lines_write(end[1], "a\n", 2));
}
END_TEST

static atomic_int waits; /* calls of poll() that may last, and of nanosleep(), in any thread */

START_TEST(lines_are_given_up_at_once_where_nothing_can_be_written)
{
    int end[2];

    ck_assert_int_eq(pipe(end), 0);
    waits = 0;
    ck_assert(!ftc_lines_write(end[0], "a\n", 2));
    ck_assert_int_eq(waits, 0);
    close(end[0]);
    close(end[1]);
    ck_assert(!ftc_lines_write(end[0], "a\n", 2));
}
END_TEST

/* Time that goes by while this process is stopped, before each look at the clock, and while it
 * waits; and signals that end its waits. */
static long stopped_s, later_s;
static int signals;
static bool is_waiting_in_vain, is_late_each_time;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    int rv = (int)syscall(SYS_clock_gettime, clock, time);

    later_s += stopped_s;
    time->tv_sec += later_s;
    return rv;
}

int poll(struct pollfd *p, nfds_t count, int timeout_ms)
{
    struct timespec wait = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};

    waits += timeout_ms != 0;
    if (is_late_each_time) {
        p->revents = POLLOUT;
        later_s++;
        return 1;
    }
    if (!is_waiting_in_vain)
        return ppoll(p, count, timeout_ms < 0 ? NULL : &wait, NULL);
    errno = EINTR; /* also of an earlier call */
    later_s += signals > 0 ? 1 : wait.tv_sec + 1;
    return signals-- > 0 ? -1 : 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    waits++;
    return (int)syscall(SYS_nanosleep, time, left);
}

START_TEST(lines_that_nobody_reads_are_given_up_whatever_signals_come)
{
    static const char much[1 << 20];
    int end[2], room;

    ck_assert_int_eq(pipe(end), 0);
    room = fcntl(end[1], F_GETPIPE_SZ);
    ck_assert(room > 0 && room <= (int)sizeof much);
    ck_assert_int_eq(write(end[1], much, (size_t)room), room);
    is_waiting_in_vain = true;
    signals = 3;
    alarm(200); /* where it writes and stays there */
    ck_assert(!ftc_lines_write(end[1], "a\n", 2));
    alarm(0);
    ck_assert_int_lt(signals, 0);
    is_waiting_in_vain = false;
    later_s = 0;
}
END_TEST

/* There is room, and others have it. */
START_TEST(lines_that_others_are_always_before_are_given_up)
{
    static char much[1 << 20];
    int end[2], room;

    ck_assert_int_eq(pipe(end), 0);
    room = fcntl(end[1], F_GETPIPE_SZ);
    ck_assert(room > 0 && room <= (int)sizeof much);
    ck_assert_int_eq(write(end[1], much, (size_t)room), room);
    if (pwritev2(end[1], &(struct iovec){much, 1}, 1, -1, RWF_NOWAIT) >= 0 || errno != EAGAIN)
        return; /* a kernel that does not know how */
    is_late_each_time = true;
    alarm(200); /* where it writes and stays there */
    ck_assert(!ftc_lines_write(end[1], "a\n", 2));
    alarm(0);
    is_late_each_time = false;
    later_s = 0;
}
END_TEST

START_TEST(lines_that_there_is_room_for_are_written_after_a_stop)
{
    int end[2];

    ck_assert_int_eq(pipe(end), 0);
    stopped_s = 10;
    ck_assert(ftc_lines_write(end[1], "a\n", 2));
    stopped_s = later_s = 0;
}
END_TEST

enum { LATE_NS = 200000000 };

static int channel[2];
static atomic_bool has_read;

static void *read_late(void *unused)
{
    char text[16];

    nanosleep(&(struct timespec){.tv_nsec = LATE_NS}, NULL);
    atomic_store(&has_read, true);
    return read(channel[0], text, sizeof text) == 2 ? unused : NULL;
}

static void check_on_pipe_and_socket(void (*check)(void))
{
    ck_assert_int_eq(pipe(channel), 0);
    check();
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, channel), 0);
    check();
}

static void check_reader_awaited(void)
{
    pthread_t reader;

    has_read = false;
    ck_assert(ftc_lines_write(channel[1], "a\n", 2));
    ck_assert_int_eq(pthread_create(&reader, NULL, read_late, NULL), 0);
    ftc_lines_await_reader(channel[1]);
    ck_assert(has_read);
    pthread_join(reader, NULL);
    close(channel[0]);
    close(channel[1]);
}

START_TEST(a_late_reader_is_waited_for)
{
    check_on_pipe_and_socket(check_reader_awaited);
}
END_TEST

/* A process that is left of a job which has ended is not to stay for it. */
static void check_nobody_awaited(void)
{
    ck_assert(ftc_lines_write(channel[1], "a\n", 2));
    close(channel[0]);
    waits = 0;
    ftc_lines_await_reader(channel[1]);
    ck_assert_int_le(waits, 1); /* for the launcher, to pass on what has been read */
    close(channel[1]);
}

START_TEST(a_reader_that_has_gone_is_not_waited_for)
{
    check_on_pipe_and_socket(check_nobody_awaited);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("announcement");
    UNIT_TEST(one_of_two_claims_and_tells);
    UNIT_TEST(what_is_told_on_another_host_is_not_told_here);
    UNIT_TEST(what_a_dead_monitor_process_claimed_is_told_by_the_next);
    UNIT_TEST(the_job_that_a_dead_monitor_process_was_to_end_is_ended_by_the_next);
    UNIT_TEST(what_a_dead_rank_claimed_is_told_by_another);
    UNIT_TEST(of_many_at_once_one_claims);
    UNIT_TEST(a_recovery_is_told_for_each_number_of_deaths);
    UNIT_TEST(a_claim_of_nobody_does_not_count);
    UNIT_TEST(lines_on_deaths_are_numbered_once_each);
    UNIT_TEST(lines_that_count_the_living_wait_for_each_other);
    UNIT_TEST(all_have_recovered_once_each_living_rank_has);
    UNIT_TEST(who_has_ended_mpi_is_not_waited_for);
    UNIT_TEST(lines_are_written_whole_and_as_a_pipe_takes_them);
    UNIT_TEST(a_line_that_is_too_long_ends_as_one);
    UNIT_TEST(a_file_in_place_of_standard_error_gets_no_lines);
    UNIT_TEST(standard_error_that_is_kept_gets_lines_when_it_is_closed);
    UNIT_TEST(without_standard_error_there_are_no_lines);
    UNIT_TEST(lines_that_nobody_can_read_any_more_are_given_up);
    UNIT_TEST(lines_are_given_up_at_once_where_nothing_can_be_written);
    UNIT_TEST(lines_that_nobody_reads_are_given_up_whatever_signals_come);
    UNIT_TEST(lines_that_others_are_always_before_are_given_up);
    UNIT_TEST(lines_that_there_is_room_for_are_written_after_a_stop);
    UNIT_TEST(a_late_reader_is_waited_for);
    UNIT_TEST(a_reader_that_has_gone_is_not_waited_for);
    UNIT_END();
}
