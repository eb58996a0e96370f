#include "report.h"

#include "board/directory.h"
#include "board/rank_state.h"
#include "coverage.h"
#include "mpi/callsite.h"
#include "notice/coverage_report.h"
#include "notice/report_json.h"
#include "notice/trace_file.h"
#include "progress/recovery.h"
#include "required_sites.h"
#include "sites_elsewhere.h"
#include "system/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t calls[FTC_CALL_COUNT][FTC_PASS_COUNT];

/* The program may change its directory, and its ranks may run in several. */
static void open_file(const char *name, bool is_written, const char *key, const char *otherwise,
                      char path[FTC_REPORT_PATH_MAX])
{
    int rv = 0;

    ftc_report_file_make_absolute(name, path);
    if (ftc_report_file_is_special(path)) {
        if (ftc_library.world_rank == 0 && is_written)
            ftc_lines_say("ftcoll: %s %s is no regular file: %s\n", key, path, otherwise);
        path[0] = '\0';
    }
    if (ftc_library.world_rank == 0 && path[0] && is_written)
        rv = ftc_report_file_try(path);
    if (rv != 0)
        ftc_lines_say("ftcoll: %s %s cannot be made: %s; unless that changes, %s\n", key, path,
                      strerror(-rv), otherwise);
}

/* Each of several hosts has one of its own: what is traced is on its board, by its clock. A name
 * without room for the host's is taken by the first, and the next free one by the next. */
static void name_trace(char name[FTC_REPORT_PATH_MAX])
{
    const struct ftc_board *board = &ftc_library.board;
    const char *given = ftc_library.settings.trace_file;
    char host[FTC_BOARD_HOST_NAME];

    ftc_directory_host_name(board, (uint32_t)ftc_library.world_rank, host);
    if (given[0] == '\0' || !ftc_board_has_other_hosts(board) ||
        snprintf(name, FTC_REPORT_PATH_MAX, "%s.%s", given, host) >= FTC_REPORT_PATH_MAX)
        snprintf(name, FTC_REPORT_PATH_MAX, "%s", given);
}

static void open_notice(void)
{
    const struct ftc_settings *s = &ftc_library.settings;
    char trace[FTC_REPORT_PATH_MAX];
    static struct ftc_report_paths paths;

    open_file(s->report_file, s->report != FTC_REPORT_OFF, "report_file",
              "the report goes to standard error", paths.report);
    name_trace(trace);
    open_file(trace, true, "trace_file", "there is no trace", paths.trace);
    ftc_library.notice = (struct ftc_notice){
        .board = &ftc_library.board,
        .self = {.rank = ftc_library.world_rank, .is_rank = true},
        .settings = s,
        .paths = &paths,
    };
}

void ftc_report_open(void)
{
    open_notice();
    if (ftc_library.settings.report >= FTC_REPORT_FULL)
        ftc_callsite_prepare();
}

void ftc_report_call(const struct ftc_call *call, enum ftc_pass pass)
{
    _Atomic uint64_t *count = &calls[call->kind][pass];

    if (ftc_coverage_is_on)
        ftc_coverage_call(call, pass);
    if (ftc_library.threaded)
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
    else
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                              memory_order_relaxed);
}

void ftc_report_count(unsigned long long *carried_out, unsigned long long *passed)
{
    *carried_out = *passed = 0;
    for (int k = 0; k < FTC_CALL_COUNT; k++) {
        if (!ftc_call_is_counted((enum ftc_call_kind)k))
            continue;
        *carried_out += atomic_load(&calls[k][FTC_PASS_NONE]);
        for (int p = 1; p < FTC_PASS_COUNT; p++)
            *passed += atomic_load(&calls[k][p]);
    }
}

static struct ftc_failure failure_of(uint32_t world)
{
    return (struct ftc_failure){
        .board = &ftc_library.board,
        .world = world,
        .timeout_ms = ftc_library.settings.timeout_ms,
        .stack = ftc_recovery_site(world),
        .was_in_it = ftc_recovery_is_first(world),
        .is_full = ftc_library.settings.report >= FTC_REPORT_FULL,
    };
}

static uint32_t count_failures(void)
{
    const struct ftc_board *board = &ftc_library.board;
    uint32_t count = 0;

    for (uint32_t i = 0; i < board->geometry.ranks; i++)
        count += ftc_board_is_dead(board, i);
    return count;
}

/* ---- as text ---- */

static void write_failures(FILE *f)
{
    for (uint32_t i = 0; i < ftc_library.board.geometry.ranks; i++) {
        struct ftc_failure failure = failure_of(i);

        if (ftc_board_is_dead(&ftc_library.board, i))
            ftc_failure_write(f, &failure);
    }
}

static void write_calls(FILE *f)
{
    for (int k = 0; k < FTC_CALL_COUNT; k++)
        for (int p = 0; p < FTC_PASS_COUNT && ftc_call_is_counted((enum ftc_call_kind)k); p++)
            if (atomic_load(&calls[k][p]) > 0)
                fprintf(f, "ftcoll: %-18s %10llu  %s%s\n", ftc_call_name((enum ftc_call_kind)k),
                        (unsigned long long)atomic_load(&calls[k][p]),
                        p == 0 ? "" : "native: ", ftc_pass_text((enum ftc_pass)p));
}

static void write_summary(FILE *f, uint32_t failed)
{
    const struct ftc_library *l = &ftc_library;
    char text[FTC_NOTICE_F_TEXT];

    ftc_notice_f(&l->notice, text);
    if (failed > 0)
        fprintf(f, "ftcoll: %d of %d ranks survived (%s)\n", l->world_size - (int)failed,
                l->world_size, text);
    else
        fprintf(f, "ftcoll: no rank failed (%d ranks, %s)\n", l->world_size, text);
}

static void write_links(FILE *f)
{
    struct ftc_links_count count = ftc_transport_count_links(&ftc_library.transport);

    if (count.links > 0)
        fprintf(f, "ftcoll: rank %d had links with %u ranks of other hosts, %u of them by UCX\n",
                ftc_library.world_rank, count.links, count.took_lanes);
}

static void write_text(FILE *f, const void *unused)
{
    uint32_t failed = count_failures();

    (void)unused;
    write_failures(f);
    ftc_required_sites_write(f);
    if (failed == 0 && ftc_library.settings.report < FTC_REPORT_SUMMARY)
        return;
    write_summary(f, failed);
    if (ftc_library.settings.report >= FTC_REPORT_SUMMARY) {
        fprintf(f, "ftcoll: calls of rank %d:\n", ftc_library.world_rank);
        write_calls(f);
        write_links(f);
    }
    if (ftc_library.settings.report >= FTC_REPORT_COVERAGE)
        ftc_coverage_report_write(f, &ftc_library.notice);
    if (ftc_library.settings.report >= FTC_REPORT_FULL)
        ftc_settings_dump(&ftc_library.settings, f);
}

/* ---- as JSON ---- */

static void add_failures(struct ftc_json *j)
{
    ftc_json_open_array(j, "failures");
    for (uint32_t i = 0; i < ftc_library.board.geometry.ranks; i++) {
        struct ftc_failure failure = failure_of(i);

        if (ftc_board_is_dead(&ftc_library.board, i))
            ftc_failure_write_json(j, &failure);
    }
    ftc_json_close(j);
}

static void add_call(struct ftc_json *j, enum ftc_call_kind kind, enum ftc_pass pass)
{
    uint64_t count = atomic_load(&calls[kind][pass]);

    if (count == 0)
        return;
    ftc_json_open_object(j, NULL);
    ftc_json_add_text(j, "call", ftc_call_name(kind));
    ftc_json_add_count(j, "count", count);
    ftc_json_add_text(j, "native_because", pass == FTC_PASS_NONE ? NULL : ftc_pass_text(pass));
    ftc_json_close(j);
}

static void add_calls(struct ftc_json *j)
{
    ftc_json_open_array(j, "calls");
    for (int k = 0; k < FTC_CALL_COUNT; k++)
        for (int p = 0; p < FTC_PASS_COUNT && ftc_call_is_counted((enum ftc_call_kind)k); p++)
            add_call(j, (enum ftc_call_kind)k, (enum ftc_pass)p);
    ftc_json_close(j);
}

/* Null on one host. */
static void add_links(struct ftc_json *j)
{
    struct ftc_links_count count = ftc_transport_count_links(&ftc_library.transport);

    if (count.links == 0) {
        ftc_json_add_null(j, "links");
        return;
    }
    ftc_json_open_object(j, "links");
    ftc_json_add_count(j, "ranks", count.links);
    ftc_json_add_count(j, "by_ucx", count.took_lanes);
    ftc_json_close(j);
}

static void add_setting(struct ftc_json *j, int option)
{
    const struct ftc_settings *s = &ftc_library.settings;
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

static void add_settings(struct ftc_json *j)
{
    ftc_json_open_array(j, "settings");
    for (int i = 0; i < FTC_SETTINGS_COUNT; i++)
        add_setting(j, i);
    ftc_json_close(j);
}

/* What the setting asks for, else null. */
static void add_from(struct ftc_json *j, enum ftc_report level, const char *key,
                     void (*add)(struct ftc_json *j))
{
    if ((int)level <= ftc_library.settings.report)
        add(j);
    else
        ftc_json_add_null(j, key);
}

static void add_coverage(struct ftc_json *j)
{
    ftc_coverage_report_write_json(j, &ftc_library.notice);
}

static bool has_something_to_tell(uint32_t failed)
{
    return failed > 0 || ftc_library.settings.report >= FTC_REPORT_SUMMARY ||
           ftc_required_sites_unnamed() > 0;
}

static void write_json(FILE *f, const void *unused)
{
    struct ftc_report_head head = {
        .board = &ftc_library.board,
        .writer = ftc_library.notice.self,
        .failed = count_failures(),
        .f = ftc_library.settings.f,
        .hosts_fail = ftc_notice_hosts_fail(&ftc_library.notice),
    };
    struct ftc_json j;

    (void)unused;
    if (!has_something_to_tell(head.failed))
        return;
    ftc_report_json_begin(&j, f, &head);
    add_failures(&j);
    ftc_required_sites_write_json(&j);
    add_from(&j, FTC_REPORT_SUMMARY, "calls", add_calls);
    add_from(&j, FTC_REPORT_SUMMARY, "links", add_links);
    add_from(&j, FTC_REPORT_COVERAGE, "coverage", add_coverage);
    add_from(&j, FTC_REPORT_FULL, "settings", add_settings);
    ftc_json_close(&j);
}

/* ---- by whom ---- */

/* Of the job, or of this host. */
static bool is_first_alive(bool of_host)
{
    const struct ftc_board *board = &ftc_library.board;

    for (uint32_t r = 0; r < (uint32_t)ftc_library.world_rank; r++)
        if (!ftc_board_is_dead(board, r) && (!of_host || ftc_board_is_here(board, r)))
            return false;
    return true;
}

static void write_report(void)
{
    ftc_notice_rest_of_other_hosts(&ftc_library.notice);
    ftc_sites_elsewhere_fetch();
    if (ftc_library.settings.report != FTC_REPORT_OFF)
        ftc_notice_report(&ftc_library.notice,
                          ftc_library.settings.report_format == FTC_REPORT_FORMAT_JSON ? write_json
                                                                                       : write_text,
                          NULL, false);
}

/* Monitor processes write others, if the job ends before these are written. */
void ftc_report_write(void)
{
    if (is_first_alive(false))
        write_report();
    if (!is_first_alive(true))
        return;
    ftc_trace_file_await_ranks(&ftc_library.notice);
    ftc_trace_file_finish(&ftc_library.notice);
}
