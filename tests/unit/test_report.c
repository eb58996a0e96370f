/* The report of a job that ends early, from what is on the board, and the file that it goes to. */
#include "board/announcement.h"
#include "board/death.h"
#include "board/directory.h"
#include "board/end_of_job.h"
#include "board/failure_site.h"
#include "board/lease.h"
#include "board/rank_state.h"
#include "board/recovery_record.h"
#include "call/call.h"
#include "call/policy.h"
#include "config/settings.h"
#include "reporting/advice.h"
#include "reporting/failures.h"
#include "reporting/report.h"
#include "system/clock.h"
#include "unit_board.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 3, VICTIM = 2, COMMUNICATOR = 7, VALUE_BYTES = 64, TEXT_BYTES = 1 << 14 };

static struct ftc_board board;
static struct ftc_settings settings;
static struct ftc_report_paths paths;
static struct ftc_notice notice = {.board = &board, .settings = &settings, .paths = &paths};
static char directory[] = "/tmp/ftcoll-report-XXXXXX";
static char text[TEXT_BYTES];

static void (*while_it_waits)(void); /* what others do in its first pause */
static int pauses;

int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    (void)left;
    if (pauses++ == 0 && while_it_waits)
        while_it_waits();
    return 0;
}

/* The monitor process of rank 0 is to report the death of VICTIM, which has been told of. */
static void setup(void)
{
    board = unit_board(unit_geometry(SLOTS, VALUE_BYTES));
    pauses = 0;
    while_it_waits = NULL;
    settings = (struct ftc_settings){.f = 1,
                                     .timeout_ms = 7,
                                     .report = FTC_REPORT_FAILURES,
                                     .report_format = FTC_REPORT_FORMAT_JSON};
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(paths.report, sizeof paths.report, "%s/report", directory);
}

static void teardown(void)
{
    char command[128];

    ftc_board_close(&board);
    snprintf(command, sizeof command, "rm -r %s", directory);
    ck_assert_int_eq(system(command), 0);
}

/* Rank 1 has been the first to meet VICTIM's death. */
static struct ftc_operation_id notice_in(uint32_t call, uint32_t seq)
{
    struct ftc_operation_id in = {COMMUNICATOR, call, seq};

    ftc_recovery_record_notice(&board, VICTIM, 1, &in);
    return in;
}

static void tell(uint32_t world)
{
    ftc_notice_death(&notice, world);
}

/* What was written to the file of that name; "" if there is none. */
static const char *written(const char *name)
{
    char path[sizeof paths.report + 8];
    FILE *f;
    size_t length;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    f = fopen(path, "r");
    length = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[length] = '\0';
    if (f)
        fclose(f);
    return text;
}

static void expect(const char *part)
{
    ck_assert_msg(strstr(written("report"), part), "'%s' is not in:\n%s", part, text);
}

START_TEST(it_names_who_has_failed)
{
    ftc_board_introduce(&board, VICTIM, 4711);
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    notice_in(FTC_CALL_ALLREDUCE, 78);
    ftc_recovery_record_recovered(&board, VICTIM, ftc_death_time_ns(&board, VICTIM) + 1234567);
    tell(VICTIM);
    ck_assert(ftc_report_write_early(&notice));
    expect("{\"ftcoll\":\"report\",\"schema\":1,\"version\":\"");
    expect("\"writer\":{\"rank\":0,\"is_monitor_process\":true,\"host\":\"");
    expect("\"ended_early\":true,\"ranks\":3,\"failed\":1,\"f\":1,\"failure_domain\":\"rank\","
           "\"failures\":[{\"rank\":2,\"host\"");
    expect("\"pid\":4711,\"time\":\"20");
    expect("\"death\":\"killed by signal 9 (Killed)\",\"signal\":9,\"exit_status\":null,"
           "\"suspected_by\":null,\"missed_in\":{\"call\":\"MPI_Allreduce\",\"operation\":78,"
           "\"site\":null,\"stack\":[],\"noticed_by\":1,\"noticed_after_us\":");
    expect(
        "\"result_after_us\":1234.567,\"error_after_us\":null}}],\"require_all_at_unnamed\":null");
    expect(",\"calls\":null,\"links\":null,\"coverage\":null,\"settings\":null}\n");
}
END_TEST

START_TEST(an_operation_that_returned_an_error_had_no_result)
{
    struct ftc_operation_id in;

    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    in = notice_in(FTC_CALL_ALLREDUCE, 78);
    ftc_recovery_record_fail(&board, VICTIM, &in);
    ftc_recovery_record_recovered(&board, VICTIM, ftc_death_time_ns(&board, VICTIM) + 1234567);
    tell(VICTIM);
    ck_assert(ftc_report_write_early(&notice));
    expect("\"result_after_us\":null,\"error_after_us\":1234.567}}]");
}
END_TEST

/* Its number means nothing to processes of this one, but something to people. */
START_TEST(it_names_the_process_of_another_host)
{
    struct ftc_announcement death = {.kind = FTC_ANNOUNCEMENT_DEATH, .rank = VICTIM, .number = 1};
    struct ftc_board_geometry g = unit_geometry(SLOTS, VALUE_BYTES);

    ftc_board_close(&board);
    g.other_hosts = 1;
    board = unit_board(g);
    ftc_directory_set_rank(&board, VICTIM, &(struct ftc_directory_rank){.host = 1});
    ftc_board_introduce(&board, VICTIM, 4711);
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    ck_assert(ftc_announcement_claim(&board, &death, &notice.self)); /* it is told there */
    ftc_announcement_end(&board, &death, &notice.self);
    ck_assert(ftc_report_write_early(&notice));
    expect("\"pid\":4711,\"time\":\"20");
}
END_TEST

static void await_ns(uint64_t then_ns)
{
    while (ftc_clock_ns() <= then_ns)
        sched_yield();
}

/* VICTIM is of the other one. */
static void be_on_two_hosts(void)
{
    struct ftc_board_geometry g = unit_geometry(SLOTS, VALUE_BYTES);

    ftc_board_close(&board);
    g.other_hosts = 1;
    board = unit_board(g);
    ftc_directory_set_rank(&board, VICTIM, &(struct ftc_directory_rank){.host = 1});
}

/* Ranks 0 and VICTIM have died, on two hosts, and rank 1 has had its result since @settled_ns. */
static void let_two_die_on_two_hosts(uint64_t settled_ns)
{
    be_on_two_hosts();
    ftc_board_advance(&board, 1, FTC_RANK_RUNNING);
    for (uint32_t rank = 0; rank <= VICTIM; rank += VICTIM) {
        struct ftc_announcement death = {.kind = FTC_ANNOUNCEMENT_DEATH, .rank = rank, .number = 1};

        ftc_board_mark_failed(&board, rank, FTC_DEATH_SIGNAL, SIGKILL);
        await_ns(ftc_death_time_ns(&board, rank));
        ck_assert(ftc_announcement_claim(&board, &death, &notice.self));
        ftc_announcement_end(&board, &death, &notice.self);
    }
    ftc_recovery_record_settle(&board, 1, 2, settled_ns);
}

static bool is_recovery_told(void)
{
    struct ftc_announcement recovery = {.kind = FTC_ANNOUNCEMENT_RECOVERY, .number = 2};

    return ftc_announcement_is_done(&board, &recovery);
}

/* There the last death may be another, by a clock that has heard later of the one here. */
START_TEST(a_recovery_that_another_host_does_not_tell_is_told_here)
{
    const uint64_t patience_ns = 1000000000;

    let_two_die_on_two_hosts(ftc_clock_ns());
    ck_assert(!ftc_notice_recovery(&notice));
    ck_assert(!is_recovery_told());
    ftc_recovery_record_settle(&board, 1, 2, ftc_clock_ns() - patience_ns);
    ck_assert(ftc_notice_recovery(&notice));
    ck_assert(is_recovery_told());
}
END_TEST

/* The other hosts know of it, and VICTIM's was lost before it could tell people. */
static void let_one_die_elsewhere(void)
{
    be_on_two_hosts();
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
}

START_TEST(a_death_that_no_host_tells_is_told_before_the_report)
{
    let_one_die_elsewhere();
    ftc_notice_rest_of_other_hosts(&notice);
    ck_assert(ftc_notice_has_failed(&board, VICTIM));
    ck_assert_int_eq(pauses, 1000);
}
END_TEST

static void lose_host(void)
{
    ck_assert(ftc_lease_lose_host(&board, 1, FTC_HOST_ENDED));
    ftc_notice_lost_hosts(&notice);
}

START_TEST(it_is_left_to_whoever_hears_of_the_lost_host)
{
    let_one_die_elsewhere();
    while_it_waits = lose_host;
    ftc_notice_rest_of_other_hosts(&notice);
    ck_assert(ftc_notice_has_failed(&board, VICTIM));
    ck_assert_int_eq(pauses, 1);
}
END_TEST

START_TEST(the_end_of_the_job_waits_for_no_death_to_be_told)
{
    let_one_die_elsewhere();
    ck_assert(ftc_end_of_job_claim(&board, 0));
    ftc_notice_rest_of_other_hosts(&notice);
    ck_assert(!ftc_notice_has_failed(&board, VICTIM));
    ck_assert_int_eq(pauses, 0);
}
END_TEST

/* Who says so has it told before. */
START_TEST(who_ends_the_job_tells_a_death_that_no_host_tells)
{
    let_one_die_elsewhere();
    ck_assert(ftc_end_of_job_claim(&board, 0));
    ftc_notice_rest_before_end(&notice);
    ck_assert(ftc_notice_has_failed(&board, VICTIM));
    ck_assert_int_eq(pauses, 500);
    ck_assert(ftc_report_write_early(&notice));
    expect("\"ended_early\":true,\"ranks\":3,\"failed\":1,");
}
END_TEST

static void end_job(void)
{
    ftc_end_of_job_begin(&board);
}

START_TEST(a_job_that_another_host_ends_has_all_told_there)
{
    let_one_die_elsewhere();
    while_it_waits = end_job;
    ftc_notice_rest_before_end(&notice);
    ck_assert(!ftc_notice_has_failed(&board, VICTIM));
    ck_assert_int_eq(pauses, 1);
}
END_TEST

static void lose(uint32_t host)
{
    ck_assert(ftc_lease_lose_host(&board, host, FTC_HOST_ENDED));
    ftc_notice_lost_hosts(&notice);
}

/* Rank i is on host i, and this one is 1. The first was to tell of the last. */
START_TEST(what_a_host_was_to_tell_that_is_lost_itself_is_told_by_the_next)
{
    ftc_board_close(&board);
    board = unit_board_of(1, SLOTS, SLOTS, VALUE_BYTES);
    lose(VICTIM);
    ck_assert(!ftc_notice_has_failed(&board, VICTIM));
    ck_assert_uint_eq(ftc_lease_losses_announced(&board), 0);
    lose(0);
    ck_assert(ftc_notice_has_failed(&board, VICTIM) && ftc_notice_has_failed(&board, 0));
    ck_assert_uint_eq(ftc_lease_losses_announced(&board), 1 << VICTIM | 1);
}
END_TEST

START_TEST(how_they_died_is_told_by_numbers)
{
    ftc_board_mark_failed(&board, 0, FTC_DEATH_EXIT, 3);
    ftc_board_mark_failed(&board, 1, FTC_DEATH_SUSPECTED, 2);
    ftc_board_mark_failed(&board, 2, FTC_DEATH_SUSPECTED, -1);
    for (uint32_t i = 0; i < SLOTS; i++)
        tell(i);
    ck_assert(ftc_report_write_early(&notice));
    expect(
        "\"death\":\"exited with status 3 without MPI_Finalize\",\"signal\":null,\"exit_status\":3,"
        "\"suspected_by\":null,\"missed_in\":null}");
    expect("\"death\":\"silent for more than timeout_ms = 7\",\"signal\":null,\"exit_status\":null,"
           "\"suspected_by\":2,");
    expect("\"suspected_by\":null,\"missed_in\":null}],");
    expect("\"failed\":3,");
}
END_TEST

START_TEST(an_operation_without_an_end_has_none)
{
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    notice_in(FTC_CALL_FINALIZE, 4);
    tell(VICTIM);
    ck_assert(ftc_report_write_early(&notice));
    expect("\"missed_in\":{\"call\":\"MPI_Finalize\",\"operation\":null,");
    expect("\"result_after_us\":null,\"error_after_us\":null}");
}
END_TEST

/* ---- where the operation was called ---- */

/* VICTIM's death was met in operation 78, from where rank @by comes. */
static void leave(uint32_t by, uint32_t call, uint32_t seq, const void *address)
{
    struct ftc_operation_id of = {COMMUNICATOR, call, seq};

    ftc_failure_site_leave(&board, VICTIM, by, &of, address);
}

static void die_in_78(void)
{
    ftc_board_introduce(&board, 0, (int)getpid());
    ftc_board_introduce(&board, 1, (int)getpid());
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    notice_in(FTC_CALL_ALLREDUCE, 78);
}

static const char *place(void)
{
    return (const char *)(uintptr_t)&getpid + 2;
}

START_TEST(a_survivor_is_asked_where_it_was)
{
    die_in_78();
    leave(1, FTC_CALL_ALLREDUCE, 78, place());
    tell(VICTIM);
    ck_assert(ftc_report_write_early(&notice));
    expect("\"operation\":78,\"site\":\"libc.so.6(");
}
END_TEST

START_TEST(what_was_found_while_it_lived_is_kept)
{
    die_in_78();
    leave(1, FTC_CALL_ALLREDUCE, 78, place());
    ftc_failure_find_site(&board, VICTIM);
    ftc_board_mark_failed(&board, 1, FTC_DEATH_SIGNAL, SIGKILL);
    tell(VICTIM);
    ck_assert(ftc_report_write_early(&notice));
    expect("\"operation\":78,\"site\":\"libc.so.6(");
}
END_TEST

START_TEST(the_dead_and_those_of_another_operation_are_not_asked)
{
    const struct ftc_operation_id elsewhere = {COMMUNICATOR + 1, FTC_CALL_ALLREDUCE, 78};
    struct ftc_site_address found;

    die_in_78();
    leave(1, FTC_CALL_ALLREDUCE, 79, place());
    leave(1, FTC_CALL_REDUCE, 78, place());
    ftc_failure_site_leave(&board, VICTIM, 1, &elsewhere, place());
    leave(1, FTC_CALL_ALLREDUCE, 78, NULL);
    leave(1, FTC_CALL_ALLREDUCE, 78, (const void *)UINTPTR_MAX);
    ck_assert(!ftc_failure_site_address(&board, VICTIM, &found));
    leave(1, FTC_CALL_ALLREDUCE, 78, place());
    ck_assert(ftc_failure_site_address(&board, VICTIM, &found));
    leave(0, FTC_CALL_ALLREDUCE, 78, place() + 1);
    ck_assert(ftc_failure_site_address(&board, VICTIM, &found));
    ck_assert_uint_eq(found.address, (uintptr_t)place());
    ftc_board_mark_failed(&board, 1, FTC_DEATH_SIGNAL, SIGKILL);
    ck_assert(!ftc_failure_site_address(&board, VICTIM, &found));
    leave(0, FTC_CALL_ALLREDUCE, 78, place() + 1);
    ck_assert(ftc_failure_site_address(&board, VICTIM, &found));
    ck_assert_uint_eq(found.address, (uintptr_t)place() + 1);
}
END_TEST

START_TEST(a_name_may_be_any_bytes)
{
    char name[FTC_BOARD_SITE_TEXT];

    die_in_78();
    ck_assert(!ftc_failure_site_name(&board, VICTIM, name));
    ck_assert(ftc_failure_site_claim(&board, VICTIM));
    ck_assert(!ftc_failure_site_claim(&board, VICTIM));
    ck_assert(!ftc_failure_site_name(&board, VICTIM, name));
    ftc_failure_site_keep(&board, VICTIM, "a\033[2J\n\x7f\xc3\xa9");
    ck_assert(ftc_failure_site_name(&board, VICTIM, name));
    ck_assert_str_eq(name, "a?[2J??\xc3\xa9");
    memset(board.shared->rank[VICTIM].failure_site.name, 'x', FTC_BOARD_SITE_TEXT);
    ck_assert(ftc_failure_site_name(&board, VICTIM, name));
    ck_assert_uint_eq(strlen(name), FTC_BOARD_SITE_TEXT - 1);
}
END_TEST

/* ---- who has failed ---- */

/* Who has died, but was not told of, was ended by the launcher. */
START_TEST(nothing_is_written_of_those_who_were_ended)
{
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGTERM);
    ck_assert(!ftc_report_write_early(&notice));
    ck_assert_str_eq(written("report"), "");
    ftc_board_mark_failed(&board, 1, FTC_DEATH_SIGNAL, SIGSEGV);
    tell(1);
    ck_assert(ftc_report_write_early(&notice));
    expect("\"failed\":1,\"f\":1,\"failure_domain\":\"rank\",\"failures\":[{\"rank\":1,");
}
END_TEST

/* ---- deaths on which nothing has been said yet ---- */

static sem_t guarded, dismissed;

/* The monitor process of VICTIM. */
static void *guard(void *life)
{
    int rv = ftc_lifeline_guard(life);

    sem_post(&guarded);
    sem_wait(&dismissed);
    return rv == 0 ? life : NULL;
}

static void begin_guard(pthread_t *thread)
{
    sem_init(&guarded, 0, 0);
    sem_init(&dismissed, 0, 0);
    ck_assert_int_eq(pthread_create(thread, NULL, guard, ftc_board_lifeline(&board, VICTIM)), 0);
    sem_wait(&guarded);
}

static void end_guard(pthread_t thread)
{
    void *life;

    sem_post(&dismissed);
    ck_assert_int_eq(pthread_join(thread, &life), 0);
    ck_assert_ptr_nonnull(life);
}

/* That of rank 1 has been told of, that of VICTIM not yet. */
static void report_two_deaths(void)
{
    ftc_board_mark_failed(&board, 1, FTC_DEATH_SIGNAL, SIGKILL);
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_EXIT, 0);
    tell(1);
    ck_assert(ftc_report_write_early(&notice));
}

static void report_while(void (*act)(void))
{
    pthread_t thread;

    begin_guard(&thread);
    while_it_waits = act;
    report_two_deaths();
    end_guard(thread);
}

static void tell_of_victim(void)
{
    struct ftc_notice theirs = notice;

    theirs.self.rank = VICTIM;
    ftc_notice_death(&theirs, VICTIM);
}

static void leave_victim_alone(void)
{
    atomic_store(&ftc_board_lifeline(&board, VICTIM)->left_alone, true);
}

START_TEST(a_death_that_is_about_to_be_told_is_in_it)
{
    report_while(tell_of_victim);
    expect("\"failed\":2,");
    ck_assert_int_eq(pauses, 1);
}
END_TEST

START_TEST(a_death_that_is_no_failure_is_not)
{
    report_while(leave_victim_alone);
    expect("\"failed\":1,");
    ck_assert_int_eq(pauses, 1);
}
END_TEST

START_TEST(nobody_is_waited_for_longer_than_a_second)
{
    report_while(NULL);
    expect("\"failed\":1,");
    ck_assert_int_eq(pauses, 1000);
}
END_TEST

START_TEST(a_monitor_process_that_has_gone_is_not_waited_for)
{
    pthread_t thread;

    begin_guard(&thread);
    end_guard(thread);
    while (!ftc_lifeline_is_unguarded(ftc_board_lifeline(&board, VICTIM)))
        sched_yield(); /* until the kernel has given the lock up */
    report_two_deaths();
    expect("\"failed\":1,");
    ck_assert_int_eq(pauses, 0);
}
END_TEST

/* ---- somebody else is at it ---- */

static const struct ftc_announcement report = {.kind = FTC_ANNOUNCEMENT_REPORT, .number = 1};
static struct ftc_announcer rival = {.rank = 1, .is_rank = true};

static void end_rival(void)
{
    ftc_announcement_end(&board, &report, &rival);
}

static void kill_rival(void)
{
    ftc_board_mark_failed(&board, rival.rank, FTC_DEATH_SIGNAL, SIGKILL);
}

static void report_beside_rival(void (*act)(void))
{
    ftc_board_advance(&board, rival.rank, FTC_RANK_RUNNING);
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    tell(VICTIM);
    ck_assert(ftc_announcement_claim(&board, &report, &rival));
    while_it_waits = act;
    ck_assert(ftc_report_write_early(&notice));
    ck_assert_int_eq(pauses, 1);
}

START_TEST(what_another_writes_is_waited_for)
{
    report_beside_rival(end_rival);
    ck_assert_str_eq(written("report"), "");
}
END_TEST

START_TEST(what_another_could_not_write_is_written)
{
    report_beside_rival(kill_rival);
    expect("\"failed\":1,");
}
END_TEST

/* ---- who reads it ---- */

static int reader;

/* Whoever sees it done ends the job, and with it the reader. */
static void read_late(void)
{
    ck_assert(!ftc_notice_is_reported(&board));
    ck_assert_int_gt(read(reader, text, sizeof text - 1), 0);
}

START_TEST(it_is_done_when_it_has_been_read)
{
    int end[2];

    ck_assert_int_eq(pipe(end), 0);
    reader = end[0];
    paths.report[0] = '\0';
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    tell(VICTIM);
    while_it_waits = read_late;
    ck_assert_int_eq(dup2(end[1], STDERR_FILENO), STDERR_FILENO);
    ck_assert(ftc_report_write_early(&notice));
    ck_assert_int_gt(pauses, 0);
    ck_assert(ftc_notice_is_reported(&board));
    ck_assert_ptr_nonnull(strstr(text, "\"failed\":1"));
}
END_TEST

/* ---- the file ---- */

START_TEST(it_is_written_once_and_over_nothing)
{
    char other[sizeof paths.report];

    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    tell(VICTIM);
    ck_assert_int_eq(symlink("other", paths.report), 0);
    ck_assert(ftc_report_write_early(&notice));
    ck_assert(ftc_report_write_early(&notice)); /* it is there, and nothing is added */
    ck_assert_str_eq(written("other"), "");
    ck_assert_ptr_nonnull(strstr(written("report.1"), "\"failed\":1"));
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
    snprintf(other, sizeof other, "%.900s/report.2", directory);
    ck_assert_int_ne(access(other, F_OK), 0);
}
END_TEST

/* The monitor process of rank 0, which is killed when the file has FILE_BYTES. */
enum { FILE_BYTES = 100 };

static bool dies_of_writing;

ssize_t write(int fd, const void *bytes, size_t count)
{
    if (dies_of_writing && syscall(SYS_write, fd, bytes, (size_t)FILE_BYTES) == FILE_BYTES)
        raise(SIGKILL);
    return syscall(SYS_write, fd, bytes, count);
}

static void report_and_die(void)
{
    dies_of_writing = true;
    if (ftc_lifeline_guard(ftc_board_lifeline(&board, 0)) == 0)
        ftc_report_write_early(&notice);
    _exit(1);
}

START_TEST(a_file_is_whole_although_its_first_writer_is_killed)
{
    int fd = open(directory, O_TMPFILE | O_WRONLY, 0600), status;
    pid_t pid;

    if (fd < 0) {
        printf("skipped: /tmp has no files without a name: %s\n", strerror(errno));
        return;
    }
    close(fd);
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    tell(VICTIM);
    pid = fork();
    if (pid == 0)
        report_and_die();
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ck_assert_str_eq(written("report"), "");
    notice.self.rank = 1;
    ck_assert(ftc_report_write_early(&notice));
    notice.self.rank = 0;
    expect("{\"ftcoll\":\"report\"");
    expect("\"settings\":null}\n");
    ck_assert_str_eq(written("report.1"), "");
}
END_TEST

/* Check itself writes to a file. */
static bool report_within(rlim_t bytes)
{
    struct rlimit before, limit;
    bool done;

    getrlimit(RLIMIT_FSIZE, &before);
    limit = (struct rlimit){bytes, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    done = ftc_report_write_early(&notice);
    setrlimit(RLIMIT_FSIZE, &before);
    return done;
}

static void read_all(void)
{
    ssize_t n = read(reader, text, sizeof text - 1);

    text[n > 0 ? n : 0] = '\0';
}

START_TEST(a_file_that_would_be_too_large_is_not_there)
{
    const char *said = "/report: File too large; the report follows\n{\"ftcoll\":\"report\"";
    int end[2], console = dup(STDERR_FILENO);
    bool is_written;

    ck_assert_int_eq(pipe(end), 0);
    reader = end[0];
    while_it_waits = read_all;
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    tell(VICTIM);
    dup2(end[1], STDERR_FILENO);
    is_written = report_within(FILE_BYTES);
    dup2(console, STDERR_FILENO);
    ck_assert(is_written);
    ck_assert_msg(strstr(text, said), "'%s' is not in:\n%s", said, text);
    ck_assert_int_ne(access(paths.report, F_OK), 0);
}
END_TEST

/* Any process of the job can write to the board. */
START_TEST(whatever_is_on_the_board_it_is_one_line)
{
    ftc_board_mark_failed(&board, VICTIM, (enum ftc_death_cause)77, INT32_MIN);
    tell(VICTIM);
    memset(&board.shared->rank[VICTIM].recovery, 0xff, sizeof board.shared->rank[VICTIM].recovery);
    board.shared->rank[VICTIM].death_time_ns = UINT64_MAX;
    ck_assert(ftc_report_write_early(&notice));
    expect("\"suspected_by\":null");
    expect("\"settings\":null}\n");
    ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
}
END_TEST

START_TEST(as_text_it_has_the_same)
{
    settings.report_format = FTC_REPORT_FORMAT_TEXT;
    ftc_board_introduce(&board, VICTIM, 4711);
    ftc_board_mark_failed(&board, VICTIM, FTC_DEATH_SIGNAL, SIGKILL);
    notice_in(FTC_CALL_ALLREDUCE, 78);
    tell(VICTIM);
    ck_assert(ftc_report_write_early(&notice));
    expect("pid 4711) killed by signal 9 (Killed); missed in MPI_Allreduce #78, noticed by rank 1 "
           "after ");
    expect("ftcoll: the job ended before MPI_Finalize returned: 1 of 3 ranks had failed (f = 1)\n");
}
END_TEST

static const struct {
    enum ftc_call_kind kind;
    enum ftc_fallback fallback;
    struct ftc_settings settings;
    const char *text;
} advice[] = {
    {FTC_CALL_GATHER,
     FTC_FALLBACK_NOT_INTERCEPTED,
     {0},
     "; FTCOLL_INTERCEPT=all FTCOLL_LARGE=protected would protect it"},
    {FTC_CALL_GATHER,
     FTC_FALLBACK_NOT_INTERCEPTED,
     {.large = FTC_LARGE_PROTECTED},
     "; FTCOLL_INTERCEPT=all would protect it"},
    {FTC_CALL_BARRIER,
     FTC_FALLBACK_NOT_INTERCEPTED,
     {0},
     "; FTCOLL_INTERCEPT=all would protect it"},
    {FTC_CALL_ALLREDUCE, FTC_FALLBACK_TOO_LARGE, {0}, "; FTCOLL_LARGE=protected would protect it"},
    {FTC_CALL_ALLREDUCE, FTC_FALLBACK_UNSEEN_INTERCOMM, {0}, "; no setting protects it"},
    {FTC_CALL_RECV, FTC_FALLBACK_NONE, {0}, "; FTCOLL_P2P=ignore would protect it"},
    {FTC_CALL_RECV, FTC_FALLBACK_NONE, {.p2p = FTC_P2P_IGNORE}, "; no setting protects it"},
    {FTC_CALL_WAIT,
     FTC_FALLBACK_TOO_LARGE,
     {.intercept = FTC_INTERCEPT_ALL, .large = FTC_LARGE_PROTECTED},
     "; FTCOLL_P2P=ignore would protect it"},
    {FTC_CALL_COMM_DUP,
     FTC_FALLBACK_NONE,
     {0},
     "; FTCOLL_COMMUNICATORS=survivors would protect it"},
    {FTC_CALL_FILE_CLOSE,
     FTC_FALLBACK_NONE,
     {0},
     "; FTCOLL_COMMUNICATORS=survivors would protect it"},
    {FTC_CALL_WIN_FREE, FTC_FALLBACK_NONE, {0}, "; FTCOLL_INTERCEPT=all would protect it"},
    {FTC_CALL_WIN_FENCE, FTC_FALLBACK_NONE, {0}, "; no setting protects it"},
};

START_TEST(advice_names_the_settings_that_are_missing)
{
    char said[FTC_ADVICE_TEXT];

    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++) {
        ftc_advice_write(&advice[i].settings, advice[i].kind, advice[i].fallback, said);
        ck_assert_str_eq(said, advice[i].text);
    }
}
END_TEST

int main(void)
{
    UNIT_BEGIN("report");
    tcase_add_checked_fixture(unit_case, setup, teardown);
    UNIT_TEST(advice_names_the_settings_that_are_missing);
    UNIT_TEST(it_names_who_has_failed);
    UNIT_TEST(an_operation_that_returned_an_error_had_no_result);
    UNIT_TEST(it_names_the_process_of_another_host);
    UNIT_TEST(a_recovery_that_another_host_does_not_tell_is_told_here);
    UNIT_TEST(a_death_that_no_host_tells_is_told_before_the_report);
    UNIT_TEST(it_is_left_to_whoever_hears_of_the_lost_host);
    UNIT_TEST(the_end_of_the_job_waits_for_no_death_to_be_told);
    UNIT_TEST(who_ends_the_job_tells_a_death_that_no_host_tells);
    UNIT_TEST(a_job_that_another_host_ends_has_all_told_there);
    UNIT_TEST(what_a_host_was_to_tell_that_is_lost_itself_is_told_by_the_next);
    UNIT_TEST(how_they_died_is_told_by_numbers);
    UNIT_TEST(an_operation_without_an_end_has_none);
    UNIT_TEST(a_survivor_is_asked_where_it_was);
    UNIT_TEST(what_was_found_while_it_lived_is_kept);
    UNIT_TEST(the_dead_and_those_of_another_operation_are_not_asked);
    UNIT_TEST(a_name_may_be_any_bytes);
    UNIT_TEST(nothing_is_written_of_those_who_were_ended);
    UNIT_TEST(a_death_that_is_about_to_be_told_is_in_it);
    UNIT_TEST(a_death_that_is_no_failure_is_not);
    UNIT_TEST(nobody_is_waited_for_longer_than_a_second);
    UNIT_TEST(a_monitor_process_that_has_gone_is_not_waited_for);
    UNIT_TEST(what_another_writes_is_waited_for);
    UNIT_TEST(what_another_could_not_write_is_written);
    UNIT_TEST(it_is_done_when_it_has_been_read);
    UNIT_TEST(it_is_written_once_and_over_nothing);
    UNIT_TEST(a_file_is_whole_although_its_first_writer_is_killed);
    UNIT_TEST(a_file_that_would_be_too_large_is_not_there);
    UNIT_TEST(whatever_is_on_the_board_it_is_one_line);
    UNIT_TEST(as_text_it_has_the_same);
    UNIT_END();
}
