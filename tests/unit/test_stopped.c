/* Jobs that a batch system stops as a whole, and later lets go on: nobody has waited meanwhile. And
 * jobs that end while nobody reads what they say: nobody waits for that for ever. And calls that
 * may yet end: the job goes on. */
#include "board/activity.h"
#include "board/mark.h"
#include "board/presence.h"
#include "board/rank_state.h"
#include "detector/silence.h"
#include "lifecycle/meeting.h"
#include "monitor/agent.h"
#include "monitor/blocked.h"
#include "monitor/end.h"
#include "monitor/monitor.h"
#include "progress/mismatch.h"
#include "progress/running.h"
#include "unit_board.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SELF, OTHER, DEAD, RANKS, VALUE_BYTES = 8, STOPPED_AT = 4 /* looks */, SOON = 3 };

static const uint64_t second_ns = 1000000000, stopped_ns = 15 * second_ns;

/* ---- a clock, of which those who wait move the hands ---- */

static const uint64_t start_ns = 1000 * 1000000000ull;
static uint64_t clock_ns;
static int naps;
static void (*after_nap)(void);

int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap___poll_chk(struct pollfd *fds, nfds_t count, int ms, size_t bytes);

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){.tv_sec = (time_t)(clock_ns / second_ns),
                           .tv_nsec = (long)(clock_ns % second_ns)};
    return 0;
}

static void pass(uint64_t ns)
{
    clock_ns += ns;
    if (++naps == STOPPED_AT)
        clock_ns += stopped_ns;
    if (after_nap)
        after_nap();
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)left;
    pass((uint64_t)time->tv_sec * second_ns + (uint64_t)time->tv_nsec);
    return 0;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
    (void)fds;
    (void)count;
    pass((uint64_t)ms * 1000000);
    return 0;
}

/* What poll() is with _FORTIFY_SOURCE. */
int __wrap___poll_chk(struct pollfd *fds, nfds_t count, int ms, size_t bytes)
{
    (void)bytes;
    return __wrap_poll(fds, count, ms);
}

/* ---- who may end the job, and when ---- */

static int ended_at;
static jmp_buf end;

_Noreturn void __wrap_ftc_rank_end_job(const struct ftc_monitored *rank, int status);
void __wrap_ftc_job_end(MPI_Comm comm, int status, const char *text);

void __wrap_ftc_rank_end_job(const struct ftc_monitored *rank, int status)
{
    (void)rank;
    (void)status;
    ended_at = naps;
    longjmp(end, 1);
}

void __wrap_ftc_job_end(MPI_Comm comm, int status, const char *text)
{
    (void)comm;
    (void)status;
    (void)text;
    ended_at = naps;
}

/* ---- a job ---- */

static struct ftc_board *board;
static enum ftc_call_kind watched; /* the native call */

static void setup(void)
{
    struct ftc_settings_error error;

    clock_ns = start_ns;
    naps = ended_at = 0;
    watched = FTC_CALL_BCAST;
    after_nap = NULL;
    ftc_library.suspects = false;
    ck_assert_int_eq(ftc_settings_parse_buffer("", 0, &ftc_library.settings, &error), 0);
    ftc_library.settings.on_blocked = FTC_ON_BLOCKED_ABORT;
    ftc_library.settings.origin[FTC_SETTING_on_blocked] = FTC_ORIGIN_ENVIRONMENT;
    ftc_library.board = unit_board(unit_geometry(RANKS, VALUE_BYTES));
    board = &ftc_library.board;
    for (uint32_t i = 0; i < RANKS; i++)
        ftc_board_advance(board, i, FTC_RANK_RUNNING);
}

static void teardown(void)
{
    ftc_board_close(board);
}

/* @rank is in a native call of @members. */
static void enter(uint32_t rank, uint64_t members)
{
    struct ftc_board_mark *mark = ftc_marks_of(board, rank);

    ftc_board_set(board, rank, 0)[0] = members;
    ftc_mark_begin(mark, (struct ftc_mark_start){.kind = watched, .peer = FTC_BOARD_ALL});
}

/* Not by the look after it, and yet some time. */
static void assert_ended_late(void)
{
    ck_assert_int_gt(ended_at, STOPPED_AT + SOON);
}

START_TEST(others_in_a_native_call_have_not_been_there_longer)
{
    uint32_t world[] = {SELF, OTHER};
    struct ftc_running running = {.mismatched = -1};
    struct ftc_comm c = {.id = 1, .size = 2, .rank = SELF, .world = world, .running = &running};
    struct ftc_mismatch_native mixed = {0};

    ftc_publication_open(board, SELF, 0, c.id);
    ftc_publish_call(board, SELF, 0, c.seq, &(struct ftc_note){.kind = FTC_CALL_BARRIER});
    ftc_activity_enter(board, SELF, c.id);
    enter(OTHER, 1u << SELF | 1u << OTHER);
    for (int i = 0; i < 100 && running.mismatched < 0; i++) {
        pass(second_ns);
        ftc_mismatch_look_at_native(&mixed, &c);
    }
    ck_assert_int_eq(running.mismatched, OTHER);
    ended_at = naps;
    assert_ended_late();
}
END_TEST

/* Watches a call of @members, one of which is dead, as the monitor process of this rank does. */
static void watch_call_of(uint64_t members)
{
    struct ftc_monitored rank = {
        .board = *board,
        .world = SELF,
        .options.settings = {.on_blocked = FTC_ON_BLOCKED_ABORT,
                             .blocked_ms = ftc_library.settings.blocked_ms},
    };

    ftc_board_mark_failed(board, DEAD, FTC_DEATH_SIGNAL, 9);
    enter(SELF, members);
    if (setjmp(end) == 0)
        ftc_blocked_watch(&rank);
}

START_TEST(a_call_that_needs_the_dead_has_not_lasted_longer)
{
    watch_call_of(1u << SELF | 1u << DEAD);
    assert_ended_late();
}
END_TEST

/* Returns after how many looks, of which there are ten in blocked_ms (here a second), a call of
 * @kind that needs a dead rank ends the job. */
static int looks_until_end(enum ftc_call_kind kind)
{
    ftc_library.settings.blocked_ms = 1000;
    naps = STOPPED_AT; /* no stop any more */
    watched = kind;
    watch_call_of(1u << SELF | 1u << DEAD);
    ck_assert_int_gt(ended_at, 0);
    return ended_at - STOPPED_AT;
}

START_TEST(a_call_that_needs_the_dead_ends_the_job_after_blocked_ms)
{
    int looks = looks_until_end(FTC_CALL_BCAST);

    ck_assert_int_ge(looks, 10);
    ck_assert_int_lt(looks, 15);
}
END_TEST

/* Where ranks have threads and share cores with others, it may need seconds. */
START_TEST(a_call_that_the_rank_leaves_by_itself_is_given_time_for_that)
{
    int looks = looks_until_end(FTC_CALL_COMM_DUP);

    ck_assert_int_ge(looks, 50);
    ck_assert_int_lt(looks, 55);
}
END_TEST

static void finalize_after_a_while(void)
{
    enum { LONG = 40 }; /* naps: four times blocked_ms */

    if (naps == LONG)
        ftc_board_advance(board, SELF, FTC_RANK_FINALIZED);
}

/* The living member has not entered the call. It may be the root, and send this rank its data. */
START_TEST(a_call_that_may_yet_end_does_not_end_the_job)
{
    after_nap = finalize_after_a_while;
    watch_call_of(1u << SELF | 1u << OTHER | 1u << DEAD);
    ck_assert_int_eq(ended_at, 0);
}
END_TEST

static void come_after_a_while(void)
{
    if (naps == STOPPED_AT + SOON)
        for (uint32_t i = 0; i < RANKS; i++)
            if (i != SELF)
                ftc_presence_count(board, i, true);
}

START_TEST(those_who_do_not_come_have_not_been_awaited_longer)
{
    after_nap = come_after_a_while;
    ck_assert(ftc_meeting_close(true));
    ck_assert_int_eq(ended_at, 0);
}
END_TEST

/* ---- monitor = timeout ---- */

void __wrap_ftc_notice_deaths(const struct ftc_notice *n);

void __wrap_ftc_notice_deaths(const struct ftc_notice *n)
{
    (void)n;
    ended_at = naps;
}

static bool expects_other(const struct ftc_comm *c, int member)
{
    (void)c;
    return member == OTHER;
}

/* Neither has it been silent longer; it is, and that is found out later. */
START_TEST(one_that_shows_nothing_has_not_been_silent_longer)
{
    uint32_t world[] = {SELF, OTHER};
    int member[] = {0, 1};
    struct ftc_silence silence[2];
    bool dead[2] = {false};
    struct ftc_comm c = {
        .world = world, .member = member, .member_count = 2, .silence = silence, .dead = dead};

    ftc_library.suspects = true;
    ftc_silence_begin(&c);
    for (int i = 0; i < 1000 && ended_at == 0; i++) {
        ftc_silence_look(&c, expects_other);
        pass(second_ns / 100);
    }
    assert_ended_late();
    ck_assert(ftc_board_is_dead(board, OTHER));
    ck_assert_uint_le(clock_ns - start_ns, stopped_ns + 3 * second_ns);
}
END_TEST

/* ---- an agent, which hears nothing of the other host ---- */

static struct ftc_monitored on_one_of_two_hosts(void)
{
    board->shared->geometry.other_hosts = board->geometry.other_hosts = 1;
    ftc_directory_set_rank(board, OTHER, &(struct ftc_directory_rank){.host = 1});
    for (uint32_t i = 0; i < RANKS; i++)
        ftc_presence_count(board, i, true);
    return (struct ftc_monitored){
        .board = *board,
        .world = SELF,
        .options.settings = {.unreachable_ms = (int32_t)(stopped_ns / 1000000 * 2 / 3)},
    };
}

static void await_the_other_host(void)
{
    struct ftc_monitored rank = on_one_of_two_hosts();

    if (setjmp(end) == 0)
        ftc_agent_run(&rank);
}

START_TEST(a_host_that_is_not_heard_has_not_been_silent_longer)
{
    await_the_other_host();
    assert_ended_late();
}
END_TEST

/* ---- nobody reads ---- */

enum { REAL_SECONDS = 200, PIPE_BYTES = 4096 };

static void fill_standard_error(void)
{
    static const char bytes[PIPE_BYTES];
    int pair[2];

    if (pipe(pair) != 0 || fcntl(pair[1], F_SETPIPE_SZ, PIPE_BYTES) != PIPE_BYTES ||
        write(pair[1], bytes, sizeof bytes) != (ssize_t)sizeof bytes ||
        dup2(pair[1], STDERR_FILENO) < 0)
        _exit(100);
}

/* Exit status of a process that does @act. */
static int status_unread(void (*act)(void))
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(REAL_SECONDS);
        fill_standard_error();
        act();
        _exit(101);
    }
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void die_of_a_forbidden_death(void)
{
    struct ftc_monitored rank = {.board = *board, .world = SELF, .job = {.pmi = -1, .outer = -1}};

    ftc_rank_end_job_if_forbidden(&rank, DEAD, SIGKILL);
}

START_TEST(a_forbidden_death_ends_the_job_though_nobody_reads)
{
    ftc_board_forbid(board, DEAD, FTC_FORBID_ANY);
    ftc_board_mark_failed(board, DEAD, FTC_DEATH_SIGNAL, SIGKILL);
    ck_assert_int_eq(status_unread(die_of_a_forbidden_death), 1);
}
END_TEST

static void await_the_other_host_and_leave(void)
{
    await_the_other_host();
    _exit(0);
}

START_TEST(a_host_that_is_not_heard_ends_the_job_though_nobody_reads)
{
    ck_assert_int_eq(status_unread(await_the_other_host_and_leave), 0);
}
END_TEST

/* ---- a monitor process that answers late ---- */

static int descriptor = -1;

int __wrap_ftc_pmi_fd(void);
bool __wrap_ftc_channel_is_end(int fd);
int __wrap_ftc_channel_send(int channel, struct ftc_channel_message m, const int *fd,
                            size_t fd_count);
int __wrap_ftc_channel_receive(int channel, struct ftc_channel_received *r);

int __wrap_ftc_pmi_fd(void)
{
    return descriptor;
}

bool __wrap_ftc_channel_is_end(int fd)
{
    return fd == descriptor;
}

int __wrap_ftc_channel_send(int channel, struct ftc_channel_message m, const int *fd,
                            size_t fd_count)
{
    (void)channel;
    (void)m;
    (void)fd;
    (void)fd_count;
    return 0;
}

int __wrap_ftc_channel_receive(int channel, struct ftc_channel_received *r)
{
    (void)channel;
    if (naps < STOPPED_AT + SOON)
        return -EAGAIN;
    *r = (struct ftc_channel_received){.message = {.kind = FTC_CHANNEL_ANSWER}};
    return 0;
}

static void mark_as_monitored(void)
{
    struct stat st;
    char text[96];

    descriptor = open("/dev/null", O_RDWR);
    ck_assert_int_eq(fstat(descriptor, &st), 0);
    snprintf(text, sizeof text, "%d:%d:%d:%d:%lu", (int)getppid(), (int)getpid(), descriptor,
             descriptor, (unsigned long)st.st_ino);
    setenv("FTCOLL_INTERNAL_MONITOR", text, 1);
}

START_TEST(an_answer_has_not_been_awaited_longer)
{
    const struct ftc_monitor_options options = {0};

    mark_as_monitored();
    ck_assert_int_eq(ftc_monitor_attach(board, SELF, -1, &options), 0);
}
END_TEST

int main(void)
{
    UNIT_BEGIN("stopped");
    tcase_add_checked_fixture(unit_case, setup, teardown);
    UNIT_TEST(others_in_a_native_call_have_not_been_there_longer);
    UNIT_TEST(a_call_that_needs_the_dead_has_not_lasted_longer);
    UNIT_TEST(a_call_that_needs_the_dead_ends_the_job_after_blocked_ms);
    UNIT_TEST(a_call_that_the_rank_leaves_by_itself_is_given_time_for_that);
    UNIT_TEST(a_call_that_may_yet_end_does_not_end_the_job);
    UNIT_TEST(those_who_do_not_come_have_not_been_awaited_longer);
    UNIT_TEST(one_that_shows_nothing_has_not_been_silent_longer);
    UNIT_TEST(a_host_that_is_not_heard_has_not_been_silent_longer);
    UNIT_TEST(a_forbidden_death_ends_the_job_though_nobody_reads);
    UNIT_TEST(a_host_that_is_not_heard_ends_the_job_though_nobody_reads);
    UNIT_TEST(an_answer_has_not_been_awaited_longer);
    UNIT_END();
}
