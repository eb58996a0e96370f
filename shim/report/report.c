#include "report.h"

#include "board/rank_state.h"
#include "compare.h"
#include "coverage.h"
#include "notice/failures.h"
#include "progress/recovery.h"
#include "required_sites.h"
#include "system/callsite.h"

#include <stdio.h>
#include <string.h>

static _Atomic uint64_t calls[FTC_CALL_COUNT][FTC_PASS_COUNT];

/* The program may change its directory, and its ranks may run in several. */
static void open_file(const char *name, char path[FTC_REPORT_PATH_MAX])
{
    int rv = 0;

    ftc_report_file_make_absolute(name, path);
    if (ftc_library.world_rank == 0 && path[0] && ftc_library.settings.report != FTC_REPORT_OFF)
        rv = ftc_report_file_try(path);
    if (rv != 0)
        fprintf(stderr,
                "ftcoll: report_file %s cannot be made: %s; unless that changes, the report goes "
                "to standard error\n",
                path, strerror(-rv));
}

static void open_notice(void)
{
    const struct ftc_settings *s = &ftc_library.settings;
    static struct ftc_notice_options options;

    options.is_on = s->notice;
    options.f = s->f;
    options.timeout_ms = s->timeout_ms;
    options.max_failed = s->max_failed;
    options.reports = s->report != FTC_REPORT_OFF;
    open_file(s->report_file, options.report_file);
    ftc_library.notice = (struct ftc_notice){
        .board = &ftc_library.board,
        .self = {.rank = ftc_library.world_rank, .is_rank = true},
        .options = &options,
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

static void write_stack(FILE *f, const struct ftc_stack *stack)
{
    char site[256];

    for (int i = 0; i < stack->depth; i++) {
        ftc_callsite_name(stack->address[i], site, sizeof site);
        fprintf(f, "ftcoll:     #%d %s\n", i, site);
    }
}

static void write_failure(FILE *f, uint32_t world)
{
    const struct ftc_stack *stack = ftc_recovery_site(world);
    char site[256] = "";

    if (stack->depth > 0)
        ftc_callsite_name(stack->address[0], site, sizeof site);
    ftc_failure_write(f, &ftc_library.board, world, ftc_library.settings.timeout_ms, site);
    if (ftc_library.settings.report >= FTC_REPORT_FULL)
        write_stack(f, stack);
}

static int write_failures(FILE *f)
{
    const struct ftc_board *board = &ftc_library.board;
    int count = 0;

    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        if (!ftc_board_is_dead(board, i))
            continue;
        write_failure(f, i);
        count++;
    }
    return count;
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

static void write_summary(FILE *f, int failed)
{
    const struct ftc_library *l = &ftc_library;

    if (failed > 0)
        fprintf(f, "ftcoll: %d of %d ranks survived (f = %d)\n", l->world_size - failed,
                l->world_size, l->settings.f);
    else
        fprintf(f, "ftcoll: no rank failed (%d ranks, f = %d)\n", l->world_size, l->settings.f);
}

static void write_to(FILE *f, const void *unused)
{
    int failed = write_failures(f);

    (void)unused;
    ftc_compare_write(f);
    ftc_required_sites_write(f);
    if (failed == 0 && ftc_library.settings.report < FTC_REPORT_SUMMARY)
        return;
    write_summary(f, failed);
    if (ftc_library.settings.report >= FTC_REPORT_SUMMARY) {
        fprintf(f, "ftcoll: calls of rank %d:\n", ftc_library.world_rank);
        write_calls(f);
    }
    if (ftc_library.settings.report >= FTC_REPORT_COVERAGE)
        ftc_coverage_write(f, &ftc_library.board);
    if (ftc_library.settings.report >= FTC_REPORT_FULL)
        ftc_settings_dump(&ftc_library.settings, f);
}

static bool is_reporter(void)
{
    const struct ftc_board *board = &ftc_library.board;

    for (int r = 0; r < ftc_library.world_rank; r++)
        if (!ftc_board_is_dead(board, r))
            return false;
    return true;
}

/* A monitor process writes another one, if the job ends before this is written. */
void ftc_report_write(void)
{
    if (ftc_library.settings.report != FTC_REPORT_OFF && is_reporter())
        ftc_notice_report(&ftc_library.notice, write_to, NULL);
}
