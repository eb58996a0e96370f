#include "notice.h"

#include "board/death.h"
#include "board/end_of_job.h"
#include "board/lease.h"
#include "board/rank_state.h"
#include "board/recovery_record.h"
#include "failures.h"
#include "report_file.h"
#include "system/clock.h"
#include "system/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    LINES = 8, /* deaths, or recoveries, with a line each; then a line when their number doubles */
    LINE_BYTES = 1024,
    NS_OF_MS = 1000000,
    ELSEWHERE_MS = 1000, /* time for which a report is left to another host */
    BEFORE_END_MS = 500, /* as above, if this process is to end the job */
    TOGETHER_MS = 20,    /* time in which deaths count as simultaneous */
};

static bool is_due(uint32_t number)
{
    return number <= LINES || (number & (number - 1)) == 0;
}

/* ---- lines ---- */

/* Writes the local time of @then_ns, a past time of CLOCK_MONOTONIC: "2026-11-22 14:03:07". */
static void write_time(uint64_t then_ns, char text[32])
{
    struct timespec then = ftc_clock_utc_at(then_ns);
    struct tm local;

    text[0] = '\0';
    if (localtime_r(&then.tv_sec, &local))
        strftime(text, 32, "%Y-%m-%d %H:%M:%S", &local);
}

/* Prints a line with its time, in one write(), because other processes print at the same time. */
__attribute__((format(printf, 2, 3))) static void say(uint64_t then_ns, const char *format, ...)
{
    char text[LINE_BYTES], now[32];
    va_list arguments;
    size_t length;

    write_time(then_ns, now);
    length = (size_t)snprintf(text, sizeof text, "ftcoll: %s ", now);
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - length - 1, format, arguments);
    va_end(arguments);
    length = strlen(text);
    text[length] = '\n';
    ftc_lines_write(ftc_lines_error(), text, length + 1);
}

/* ---- a death ---- */

static int alive(const struct ftc_board *board)
{
    int count = 0;

    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        count += !ftc_board_is_dead(board, i);
    return count;
}

bool ftc_notice_hosts_fail(const struct ftc_notice *n)
{
    return n->settings->failure_domain == FTC_FAILURE_DOMAIN_HOST &&
           ftc_board_has_other_hosts(n->board);
}

const char *ftc_notice_f(const struct ftc_notice *n, char text[FTC_NOTICE_F_TEXT])
{
    int f = n->settings->f;

    snprintf(text, FTC_NOTICE_F_TEXT, "f = %d%s", f,
             !ftc_notice_hosts_fail(n) ? ""
             : f == 1                  ? " host"
                                       : " hosts");
    return text;
}

/* Writes "; 7 of 8 ranks go on (f = 1)"; "" if a setting ends the job for that death. */
static void write_rest(const struct ftc_notice *n, uint32_t world, char text[64])
{
    char f[FTC_NOTICE_F_TEXT];

    text[0] = '\0';
    if (!ftc_death_ends_job(n->board, world, n->settings->max_failed))
        snprintf(text, 64, "; %d of %u ranks go on (%s)", alive(n->board), n->board->geometry.ranks,
                 ftc_notice_f(n, f));
}

static void say_death(const struct ftc_notice *n, uint32_t world)
{
    uint32_t number = ftc_announcement_number(n->board, world);
    uint64_t death_ns = ftc_death_time_ns(n->board, world);
    char name[FTC_FAILURE_TEXT], rest[64];

    if (!is_due(number))
        return;
    write_rest(n, world, rest);
    ftc_failure_name(n->board, world, n->settings->timeout_ms, name);
    if (number > LINES)
        say(death_ns, "%u ranks have failed%s", number, rest);
    else
        say(death_ns, "%s%s%s", name, rest,
            number == LINES ? "; further deaths are counted, and named in the report" : "");
}

/* Waits until the death of @world is TOGETHER_MS old. The lines of ranks that die at once thus all
 * count these ranks. mpiexec reads lines of several processes in any order. */
static void await_others(const struct ftc_notice *n, uint32_t world)
{
    uint64_t age_ns = ftc_clock_ns() - ftc_death_time_ns(n->board, world),
             together_ns = (uint64_t)TOGETHER_MS * NS_OF_MS;

    if (age_ns < together_ns)
        nanosleep(&(struct timespec){.tv_nsec = (long)(together_ns - age_ns)}, NULL);
}

static struct ftc_announcement death_of(uint32_t world)
{
    return (struct ftc_announcement){.kind = FTC_ANNOUNCEMENT_DEATH, .rank = world, .number = 1};
}

static void announce_death(const struct ftc_notice *n, uint32_t world)
{
    struct ftc_announcement matter = death_of(world);

    if (!ftc_announcement_claim(n->board, &matter, &n->self))
        return;
    if (n->settings->notice) {
        await_others(n, world);
        ftc_announcement_begin_line(n->board, &n->self);
        say_death(n, world);
        ftc_announcement_end_line(n->board, &n->self);
    }
    ftc_announcement_end(n->board, &matter, &n->self);
}

/* Leaves the death of another host's rank to that host, unless the host is lost. */
void ftc_notice_death(const struct ftc_notice *n, uint32_t world)
{
    if (ftc_lease_is_announced_here(n->board, world))
        announce_death(n, world);
}

void ftc_notice_deaths(const struct ftc_notice *n)
{
    for (uint32_t i = 0; i < n->board->geometry.ranks; i++)
        if (ftc_board_is_dead(n->board, i))
            ftc_notice_death(n, i);
}

static bool are_all_announced(const struct ftc_board *board, uint32_t host)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_host(board, i) == host && ftc_board_is_dead(board, i) &&
            !ftc_notice_has_failed(board, i))
            return false;
    return true;
}

/* Notes for the other hosts only deaths that are reported, because a host that is still to report
 * them may be lost as well. */
void ftc_notice_lost_hosts(const struct ftc_notice *n)
{
    const struct ftc_board *board = n->board;

    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_is_dead(board, i) && ftc_lease_is_lost(board, ftc_board_host(board, i)))
            ftc_notice_death(n, i);
    if (!ftc_lease_is_first_left(board))
        return;
    for (uint32_t host = 0; host <= board->geometry.other_hosts; host++)
        if (ftc_lease_is_lost(board, host) && are_all_announced(board, host))
            ftc_lease_announce_loss(board, host);
}

static bool is_unannounced_elsewhere(const struct ftc_board *board, uint32_t world)
{
    return ftc_board_is_dead(board, world) && !ftc_board_is_here(board, world) &&
           !ftc_notice_has_failed(board, world);
}

static bool is_any_unannounced_elsewhere(const struct ftc_board *board)
{
    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (is_unannounced_elsewhere(board, i))
            return true;
    return false;
}

/* Reports deaths on other hosts that have not been reported within @patience_ms, unless the job is
 * being ended according to @is_so. */
static void announce_rest_of_other_hosts(const struct ftc_notice *n, int patience_ms,
                                         bool (*is_so)(const struct ftc_board *board))
{
    for (int i = 0; i < patience_ms && is_any_unannounced_elsewhere(n->board) && !is_so(n->board);
         i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
    for (uint32_t i = 0; i < n->board->geometry.ranks; i++)
        if (is_unannounced_elsewhere(n->board, i) && !is_so(n->board))
            announce_death(n, i);
}

void ftc_notice_rest_of_other_hosts(const struct ftc_notice *n)
{
    announce_rest_of_other_hosts(n, ELSEWHERE_MS, ftc_end_of_job_is_said);
}

void ftc_notice_rest_before_end(const struct ftc_notice *n)
{
    announce_rest_of_other_hosts(n, BEFORE_END_MS, ftc_end_of_job_is_now);
}

void ftc_notice_host_stops(struct ftc_board *board, int unreachable_ms)
{
    char name[FTC_BOARD_HOST_NAME] = "";

    if (!ftc_lease_claim_last_words(board))
        return;
    for (uint32_t i = 0; i < board->geometry.ranks && !name[0]; i++)
        if (ftc_board_is_here(board, i))
            ftc_directory_host_name(board, i, name);
    say(ftc_clock_ns(),
        "host %s stops: it has received nothing from mpiexec for %d ms (unreachable_ms), or "
        "mpiexec has declared it lost; its ranks are killed, and the other hosts go on without it",
        name, unreachable_ms);
}

bool ftc_notice_has_failed(const struct ftc_board *board, uint32_t world)
{
    struct ftc_announcement matter = death_of(world);

    return ftc_board_is_dead(board, world) && ftc_announcement_is_done(board, &matter);
}

uint32_t ftc_notice_failures(const struct ftc_board *board)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        count += ftc_notice_has_failed(board, i);
    return count;
}

/* ---- what came of it ---- */

static const struct ftc_announcement report = {.kind = FTC_ANNOUNCEMENT_REPORT, .number = 1};

static uint32_t last_death(const struct ftc_board *board)
{
    uint32_t last = 0;
    uint64_t last_ns = 0;

    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        if (ftc_board_is_dead(board, i) && ftc_death_time_ns(board, i) >= last_ns) {
            last = i;
            last_ns = ftc_death_time_ns(board, i);
        }
    return last;
}

static void write_duration(uint64_t from_ns, uint64_t to_ns, char text[32])
{
    double ns = to_ns > from_ns ? (double)(to_ns - from_ns) : 0;

    if (ns < NS_OF_MS)
        snprintf(text, 32, "%.0f us", ns / 1e3);
    else
        snprintf(text, 32, "%.1f ms", ns / 1e6);
}

static void say_recovery(const struct ftc_notice *n, uint64_t when_ns)
{
    uint32_t world = last_death(n->board);
    char operation[FTC_FAILURE_TEXT], missed[FTC_FAILURE_TEXT + 64] = "", after[32];
    struct ftc_recovery_record a = {0};

    if (!is_due(ftc_announcement_number_of_recovery(n->board)))
        return;
    if (ftc_recovery_record_read(n->board, world, &a) && a.is_error)
        when_ns = a.recovered_ns;
    if (ftc_failure_missed_in(n->board, world, operation))
        snprintf(missed, sizeof missed, " (missed in %s%s)", operation,
                 a.is_error ? ", which returned the error" : "");
    write_duration(ftc_death_time_ns(n->board, world), when_ns, after);
    say(when_ns, "all survivors (%d) %s, %s after the death of rank %d%s", alive(n->board),
        a.is_error ? "have returned" : "have their results", after, (int)world, missed);
}

/* Finds the names of call sites for the report of a job that ends before a rank can write it. Only
 * monitor processes do so, as it would delay a rank. */
static void find_sites(const struct ftc_notice *n)
{
    if (n->self.is_rank || n->settings->report == FTC_REPORT_OFF)
        return;
    for (uint32_t i = 0; i < n->board->geometry.ranks; i++)
        if (ftc_board_is_dead(n->board, i))
            ftc_failure_find_site(n->board, i);
}

/* Returns how long the line on a recovery is left to other hosts. The host of the last death prints
 * it. A host learns of deaths elsewhere with a delay, so after two simultaneous deaths each host
 * may take the other's for the last. Each host therefore waits for a different time. */
static uint64_t left_to_others_ns(const struct ftc_board *board)
{
    if (ftc_lease_is_announced_here(board, last_death(board)))
        return 0;
    return (uint64_t)ELSEWHERE_MS * NS_OF_MS * (board->geometry.host + 1);
}

bool ftc_notice_recovery(const struct ftc_notice *n)
{
    uint32_t deaths = ftc_board_deaths(n->board);
    struct ftc_announcement matter = {.kind = FTC_ANNOUNCEMENT_RECOVERY, .number = deaths};
    uint64_t when_ns;

    if (deaths == 0 || ftc_announcement_is_done(n->board, &report) ||
        ftc_announcement_is_done(n->board, &matter))
        return true;
    if (ftc_notice_failures(n->board) < deaths || /* deaths are reported first */
        !ftc_recovery_record_is_settled(n->board, deaths, &when_ns) ||
        ftc_clock_ns() < when_ns + left_to_others_ns(n->board) ||
        !ftc_announcement_claim(n->board, &matter, &n->self))
        return false;
    find_sites(n);
    if (n->settings->notice)
        say_recovery(n, when_ns);
    ftc_announcement_end(n->board, &matter, &n->self);
    return true;
}

/* ---- the report ---- */

bool ftc_notice_report(const struct ftc_notice *n, void (*write)(FILE *f, const void *context),
                       const void *context, bool is_last)
{
    if (!ftc_announcement_claim(n->board, &report, &n->self))
        return false;
    if (!ftc_report_file_write(n->paths->report, write, context) && is_last)
        ftc_lines_await_reader(ftc_lines_error());
    ftc_announcement_end(n->board, &report, &n->self);
    return true;
}

bool ftc_notice_is_reported(const struct ftc_board *board)
{
    return ftc_announcement_is_done(board, &report);
}
