#include "report.h"

#include "board/directory.h"
#include "board/rank_state.h"
#include "coverage_report.h"
#include "coverage_sites.h"
#include "failures.h"
#include "include/ftcoll.h"
#include "required_sites.h"
#include "sites_elsewhere.h"
#include "system/clock.h"
#include "system/lines.h"
#include "trace_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    NS_OF_MS = 1000000,
    VERDICTS_MS = 1000,
    WRITER_MS = 6000 /* a writer may wait five seconds until its output has been read */
};

/* Sets @path to the absolute name of a file, because the program may change its directory, and its
 * ranks may run in several. Sets it to "" for a special file, such as a device. Rank 0 prints why
 * the file cannot be used, if it @is_written, and what happens @otherwise. */
static void open_file(uint32_t world, const char *name, bool is_written, const char *key,
                      const char *otherwise, char path[FTC_REPORT_PATH_MAX])
{
    int rv = 0;

    ftc_report_file_make_absolute(name, path, FTC_REPORT_PATH_MAX);
    if (ftc_report_file_is_special(path)) {
        if (world == 0 && is_written)
            ftc_lines_say("ftcoll: %s %s is not a regular file: %s\n", key, path, otherwise);
        path[0] = '\0';
    }
    if (world == 0 && path[0] && is_written)
        rv = ftc_report_file_try(path);
    if (rv != 0)
        ftc_lines_say("ftcoll: %s %s cannot be created: %s; unless that changes, %s\n", key, path,
                      strerror(-rv), otherwise);
}

/* Writes the name of this host's trace file. On several hosts each has its own, with the host's
 * name appended, because the events are on its board and on its clock. If there is no room for the
 * host's name, the hosts share a name, and each takes the next free one (PATH.1, PATH.2 ...). */
static void name_trace(const struct ftc_notice *n, char name[FTC_REPORT_PATH_MAX])
{
    const char *given = n->settings->trace_file;
    char host[FTC_BOARD_HOST_NAME];

    ftc_directory_host_name(n->board, n->self.rank, host);
    if (given[0] == '\0' || !ftc_board_has_other_hosts(n->board) ||
        snprintf(name, FTC_REPORT_PATH_MAX, "%s.%s", given, host) >= FTC_REPORT_PATH_MAX)
        snprintf(name, FTC_REPORT_PATH_MAX, "%s", given);
}

void ftc_report_open(struct ftc_notice *n, const struct ftc_board *board, uint32_t world,
                     const struct ftc_settings *settings)
{
    static struct ftc_report_paths paths;
    char trace[FTC_REPORT_PATH_MAX];

    *n = (struct ftc_notice){.board = board,
                             .self = {.rank = world, .is_rank = true},
                             .settings = settings,
                             .paths = &paths};
    open_file(world, settings->report_file, settings->report != FTC_REPORT_OFF, "report_file",
              "the report goes to standard error", paths.report);
    name_trace(n, trace);
    open_file(world, trace, true, "trace_file", "there is no trace", paths.trace);
    if (settings->report >= FTC_REPORT_FULL)
        ftc_callsite_prepare();
}

/* ---- what is in it ---- */

struct writing {
    const struct ftc_notice *n;
    const struct ftc_report_own *own; /* NULL: the job ends before MPI_Finalize returned */
};

static bool is_failed(const struct writing *w, uint32_t world)
{
    return w->own ? ftc_board_is_dead(w->n->board, world)
                  : ftc_notice_has_failed(w->n->board, world);
}

static uint32_t count_failed(const struct writing *w)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < w->n->board->geometry.ranks; i++)
        count += is_failed(w, i);
    return count;
}

static struct ftc_failure failure_of(const struct writing *w, uint32_t world)
{
    struct ftc_failure failure = {
        .board = w->n->board, .world = world, .timeout_ms = w->n->settings->timeout_ms};

    if (w->own) {
        failure.stack = w->own->stack(world);
        failure.was_in_it = w->own->was_in_it(world);
        failure.is_full = w->n->settings->report >= FTC_REPORT_FULL;
    }
    return failure;
}

/* Returns whether the report has @level, for parts that only a rank in MPI_Finalize can write. */
static bool has_own(const struct writing *w, enum ftc_report level)
{
    return w->own && w->n->settings->report >= (int)level;
}

static bool has_coverage(const struct writing *w)
{
    return w->n->settings->report >= FTC_REPORT_COVERAGE &&
           ftc_coverage_sites_room(w->n->board) > 0;
}

/* Returns whether there is something to report. There is nothing if a job without failures reaches
 * MPI_Finalize, the settings ask for no more than failures, and each word of require_all_at has
 * named a call. */
static bool has_content(const struct writing *w)
{
    return count_failed(w) > 0 || !w->own || has_own(w, FTC_REPORT_SUMMARY) ||
           ftc_required_sites_unnamed(w->n) > 0;
}

/* ---- as text ---- */

static void write_failures(FILE *f, const struct writing *w)
{
    for (uint32_t i = 0; i < w->n->board->geometry.ranks; i++) {
        struct ftc_failure failure = failure_of(w, i);

        if (is_failed(w, i))
            ftc_failure_write(f, &failure);
    }
}

static void write_summary(FILE *f, const struct writing *w)
{
    uint32_t failed = count_failed(w), ranks = w->n->board->geometry.ranks;
    char text[FTC_NOTICE_F_TEXT];

    ftc_notice_f(w->n, text);
    if (!w->own)
        fprintf(f,
                "ftcoll: the job ended before MPI_Finalize returned: %u of %u ranks had failed "
                "(%s)\n",
                failed, ranks, text);
    else if (failed > 0)
        fprintf(f, "ftcoll: %u of %u ranks survived (%s)\n", ranks - failed, ranks, text);
    else if (has_own(w, FTC_REPORT_SUMMARY))
        fprintf(f, "ftcoll: no rank failed (%u ranks, %s)\n", ranks, text);
}

static void write_calls(FILE *f, const struct writing *w)
{
    fprintf(f, "ftcoll: calls of rank %u:\n", w->n->self.rank);
    for (int k = 0; k < FTC_CALL_COUNT; k++)
        for (int p = 0; p < FTC_FALLBACK_COUNT && ftc_call_is_counted((enum ftc_call_kind)k); p++)
            if (atomic_load(&w->own->calls[k][p]) > 0)
                fprintf(f, "ftcoll: %-18s %10llu  %s%s\n", ftc_call_name((enum ftc_call_kind)k),
                        (unsigned long long)atomic_load(&w->own->calls[k][p]),
                        p == 0 ? "" : "native: ", ftc_fallback_text((enum ftc_fallback)p));
}

static void write_links(FILE *f, const struct writing *w)
{
    struct ftc_links_count count = ftc_transport_count_links(w->own->transport);

    if (count.links > 0)
        fprintf(f, "ftcoll: rank %u had links with %u ranks of other hosts, %u of them by UCX\n",
                w->n->self.rank, count.links, count.used_ucx);
}

static void write_text(FILE *f, const struct writing *w)
{
    write_failures(f, w);
    if (w->own)
        ftc_required_sites_write(f, w->n);
    write_summary(f, w);
    if (has_own(w, FTC_REPORT_SUMMARY)) {
        write_calls(f, w);
        write_links(f, w);
    }
    if (has_coverage(w))
        ftc_coverage_report_write(f, w->n);
    if (has_own(w, FTC_REPORT_FULL))
        ftc_settings_dump(w->n->settings, f);
}

/* ---- as JSON ---- */

/* Adds the program's file. A monitor process has the same one, because the program was forked from
 * it. */
static void add_program(struct ftc_json *j)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    path[length > 0 ? length : 0] = '\0';
    ftc_json_add_text(j, "program", length > 0 ? path : NULL);
}

static void add_writer(struct ftc_json *j, const struct ftc_notice *n)
{
    char host[FTC_BOARD_HOST_NAME];

    ftc_directory_host_name(n->board, n->self.rank, host);
    ftc_json_open_object(j, "writer");
    ftc_json_add_number(j, "rank", n->self.rank);
    ftc_json_add_bool(j, "is_monitor_process", !n->self.is_rank);
    ftc_json_add_text(j, "host", host);
    ftc_json_close(j);
}

static void add_head(struct ftc_json *j, const struct writing *w)
{
    ftc_json_add_text(j, "ftcoll", "report");
    ftc_json_add_number(j, "schema", FTC_REPORT_SCHEMA);
    ftc_json_add_text(j, "version", FTCOLL_VERSION);
    ftc_json_add_time(j, "time", ftc_clock_utc());
    add_program(j);
    add_writer(j, w->n);
    ftc_json_add_bool(j, "ended_early", !w->own);
    ftc_json_add_number(j, "ranks", w->n->board->geometry.ranks);
    ftc_json_add_number(j, "failed", count_failed(w));
    ftc_json_add_number(j, "f", w->n->settings->f);
    ftc_json_add_text(j, "failure_domain", ftc_notice_hosts_fail(w->n) ? "host" : "rank");
}

static void add_failures(struct ftc_json *j, const struct writing *w)
{
    ftc_json_open_array(j, "failures");
    for (uint32_t i = 0; i < w->n->board->geometry.ranks; i++) {
        struct ftc_failure failure = failure_of(w, i);

        if (is_failed(w, i))
            ftc_failure_write_json(j, &failure);
    }
    ftc_json_close(j);
}

static void add_call(struct ftc_json *j, enum ftc_call_kind kind, enum ftc_fallback fallback,
                     uint64_t count)
{
    if (count == 0)
        return;
    ftc_json_open_object(j, NULL);
    ftc_json_add_text(j, "call", ftc_call_name(kind));
    ftc_json_add_count(j, "count", count);
    ftc_json_add_text(j, "native_because",
                      fallback == FTC_FALLBACK_NONE ? NULL : ftc_fallback_text(fallback));
    ftc_json_close(j);
}

static void add_calls(struct ftc_json *j, const struct writing *w)
{
    ftc_json_open_array(j, "calls");
    for (int k = 0; k < FTC_CALL_COUNT; k++)
        for (int p = 0; p < FTC_FALLBACK_COUNT && ftc_call_is_counted((enum ftc_call_kind)k); p++)
            add_call(j, (enum ftc_call_kind)k, (enum ftc_fallback)p,
                     atomic_load(&w->own->calls[k][p]));
    ftc_json_close(j);
}

/* Adds the number of links with ranks of other hosts; null if there are none, as on one host. */
static void add_links(struct ftc_json *j, const struct writing *w)
{
    struct ftc_links_count count = ftc_transport_count_links(w->own->transport);

    if (count.links == 0) {
        ftc_json_add_null(j, "links");
        return;
    }
    ftc_json_open_object(j, "links");
    ftc_json_add_count(j, "ranks", count.links);
    ftc_json_add_count(j, "by_ucx", count.used_ucx);
    ftc_json_close(j);
}

static void add_setting(struct ftc_json *j, const struct ftc_settings *s, int option)
{
    char *value = NULL;
    size_t bytes;
    FILE *f = open_memstream(&value, &bytes);

    if (!f)
        return;
    ftc_settings_write(s, option, f);
    fclose(f);
    ftc_json_open_object(j, NULL);
    ftc_json_add_text(j, "setting", ftc_settings_key(option));
    ftc_json_add_text(j, "value", value);
    ftc_json_add_text(j, "origin", ftc_settings_origin_name(s, option));
    ftc_json_close(j);
    free(value);
}

static void add_settings(struct ftc_json *j, const struct writing *w)
{
    ftc_json_open_array(j, "settings");
    for (int i = 0; i < FTC_SETTINGS_COUNT; i++)
        add_setting(j, w->n->settings, i);
    ftc_json_close(j);
}

static void add_required(struct ftc_json *j, const struct writing *w)
{
    ftc_required_sites_write_json(j, w->n);
}

static void add_coverage(struct ftc_json *j, const struct writing *w)
{
    ftc_coverage_report_write_json(j, w->n);
}

/* Adds member @key by @add if @has; else null. */
static void add_if(bool has, struct ftc_json *j, const struct writing *w, const char *key,
                   void (*add)(struct ftc_json *j, const struct writing *w))
{
    if (has)
        add(j, w);
    else
        ftc_json_add_null(j, key);
}

static void write_json(FILE *f, const struct writing *w)
{
    struct ftc_json j;

    ftc_json_begin(&j, f);
    ftc_json_open_object(&j, NULL);
    add_head(&j, w);
    add_failures(&j, w);
    add_if(w->own, &j, w, "require_all_at_unnamed", add_required);
    add_if(has_own(w, FTC_REPORT_SUMMARY), &j, w, "calls", add_calls);
    add_if(has_own(w, FTC_REPORT_SUMMARY), &j, w, "links", add_links);
    add_if(has_coverage(w), &j, w, "coverage", add_coverage);
    add_if(has_own(w, FTC_REPORT_FULL), &j, w, "settings", add_settings);
    ftc_json_close(&j);
}

static void write_any(FILE *f, const void *context)
{
    const struct writing *w = context;

    if (!has_content(w))
        return;
    if (w->n->settings->report_format == FTC_REPORT_FORMAT_JSON)
        write_json(f, w);
    else
        write_text(f, w);
}

/* ---- by a rank in MPI_Finalize ---- */

/* Returns whether no living rank of the job, or of this host if @of_host, has a lower number. */
static bool is_first_alive(const struct ftc_notice *n, bool of_host)
{
    for (uint32_t r = 0; r < n->self.rank; r++)
        if (!ftc_board_is_dead(n->board, r) && (!of_host || ftc_board_is_here(n->board, r)))
            return false;
    return true;
}

/* Writes the report as the first living rank of the job, and the trace as the first of its host. If
 * the job ends before that, monitor processes write both (ftc_report_write_early()). */
void ftc_report_write(const struct ftc_notice *n, const struct ftc_report_own *own)
{
    struct writing w = {n, own};

    if (is_first_alive(n, false)) {
        ftc_notice_rest_of_other_hosts(n);
        ftc_sites_elsewhere_fetch(n->board, own->transport);
        if (n->settings->report != FTC_REPORT_OFF)
            ftc_notice_report(n, write_any, &w, false);
    }
    if (!is_first_alive(n, true))
        return;
    ftc_trace_file_await_ranks(n);
    ftc_trace_file_finish(n);
}

/* ---- before that ---- */

/* Returns whether @world is a dead rank whose monitor process lives and has not decided yet whether
 * the rank has failed. */
static bool is_undecided(const struct ftc_notice *n, uint32_t world)
{
    const struct ftc_lifeline *life = ftc_board_lifeline(n->board, world);

    return world != n->self.rank && ftc_board_is_dead(n->board, world) &&
           !ftc_notice_has_failed(n->board, world) && !atomic_load(&life->left_alone) &&
           ftc_lifeline_is_guarded(life);
}

static bool is_any_undecided(const struct ftc_notice *n)
{
    for (uint32_t i = 0; i < n->board->geometry.ranks; i++)
        if (is_undecided(n, i))
            return true;
    return false;
}

/* Waits until it is decided for all dead ranks whether they have failed, because a death that is
 * reported after the report is missing in it. Ranks that end together are reported within
 * microseconds, unless the machine is busy. */
static void await_verdicts(const struct ftc_notice *n)
{
    for (int i = 0; i < VERDICTS_MS && is_any_undecided(n); i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
}

/* Writes the report, or waits for another process that is writing it: this process may end the job
 * next, and the writer with it. If the writer is killed, a waiting process writes in its place. */
static void write_or_await(const struct ftc_notice *n)
{
    const struct writing w = {.n = n};

    for (int i = 0; i < WRITER_MS && !ftc_notice_is_reported(n->board) &&
                    !ftc_notice_report(n, write_any, &w, true);
         i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
}

bool ftc_report_write_early(const struct ftc_notice *n)
{
    bool reports = n->settings->report > FTC_REPORT_OFF;

    if (reports)
        await_verdicts(n);
    reports = reports && ftc_notice_failures(n->board) > 0;
    if (reports)
        write_or_await(n);
    ftc_trace_file_finish(n);
    return reports;
}
