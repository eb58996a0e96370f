#include "report.h"

#include "board/aftermath.h"
#include "board/death.h"
#include "board/rank_state.h"
#include "compare.h"
#include "coverage.h"
#include "progress/recovery.h"
#include "required_sites.h"
#include "system/callsite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic uint64_t calls[FTC_CALL_COUNT][FTC_PASS_COUNT];

void ftc_report_open(void)
{
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

static double microseconds(uint64_t from_ns, uint64_t to_ns)
{
    return to_ns > from_ns ? (double)(to_ns - from_ns) / 1e3 : 0;
}

static void write_stack(FILE *f, const struct ftc_stack *stack)
{
    char site[256];

    for (int i = 0; i < stack->depth; i++) {
        ftc_callsite_name(stack->address[i], site, sizeof site);
        fprintf(f, "ftcoll:     #%d %s\n", i, site);
    }
}

/* "MPI_Allreduce #78 at montecarlo(main+0x18b)" */
static void write_missed(FILE *f, uint32_t world, const struct ftc_aftermath *a)
{
    const struct ftc_stack *stack = ftc_recovery_site(world);
    enum ftc_call_kind call = ftc_call_kind(a->call);
    char site[256];

    if (call == FTC_CALL_FINALIZE) { /* the library's own operation, of which there is one */
        fprintf(f, "%s", ftc_call_name(FTC_CALL_FINALIZE));
        return;
    }
    fprintf(f, "%s #%u", ftc_call_name(call), a->seq);
    if (stack->depth == 0)
        return;
    ftc_callsite_name(stack->address[0], site, sizeof site);
    fprintf(f, " at %s", site);
}

static void write_aftermath(FILE *f, uint32_t world)
{
    uint64_t death_ns = ftc_death_time_ns(&ftc_library.board, world);
    struct ftc_aftermath a;

    if (!ftc_aftermath_of(&ftc_library.board, world, &a)) {
        fprintf(f, "; no operation missed it\n");
        return;
    }
    fprintf(f, "; missed in ");
    write_missed(f, world, &a);
    fprintf(f, ", noticed by rank %d after %.0f us", a.noticed_by,
            microseconds(death_ns, a.noticed_ns));
    if (a.recovered_ns != 0)
        fprintf(f, "; all survivors had its result after %.0f us",
                microseconds(death_ns, a.recovered_ns));
    fputc('\n', f);
    if (ftc_library.settings.report >= FTC_REPORT_FULL)
        write_stack(f, ftc_recovery_site(world));
}

static int write_failures(FILE *f, const char *host)
{
    const struct ftc_board *board = &ftc_library.board;
    char death[96];
    int count = 0;

    for (uint32_t i = 0; i < board->geometry.ranks; i++) {
        if (!ftc_board_is_dead(board, i))
            continue;
        ftc_death_describe(board, i, ftc_library.settings.timeout_ms, death, sizeof death);
        fprintf(f, "ftcoll: rank %d (%s, pid %d) %s", (int)i, host, ftc_board_pid(board, i), death);
        write_aftermath(f, i);
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

static void write_to(FILE *f)
{
    char host[64] = "";
    int failed;

    gethostname(host, sizeof host - 1);
    failed = write_failures(f, host);
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

/* Never over an older report: PATH, PATH.1, PATH.2 ... */
static FILE *create_file(const char *path, char *used, size_t size)
{
    int fd = -1;

    for (int i = 0; fd < 0 && i < 10000; i++) {
        if (i == 0)
            snprintf(used, size, "%s", path);
        else
            snprintf(used, size, "%s.%d", path, i);
        fd = open(used, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd < 0 ? NULL : fdopen(fd, "w");
}

static void write_to_file(const char *path)
{
    char used[FTC_SETTINGS_PATH_MAX + 16];
    FILE *f = create_file(path, used, sizeof used);

    if (!f) {
        fprintf(stderr, "ftcoll: cannot create report_file %s: %s; the report follows\n", used,
                strerror(errno));
        write_to(stderr);
        return;
    }
    write_to(f);
    if (fclose(f) != 0)
        fprintf(stderr, "ftcoll: cannot write report_file %s: %s\n", used, strerror(errno));
}

static bool is_reporter(void)
{
    const struct ftc_board *board = &ftc_library.board;

    for (int r = 0; r < ftc_library.world_rank; r++)
        if (!ftc_board_is_dead(board, r))
            return false;
    return true;
}

/* One write to the terminal, so that lines of other ranks do not come in between. */
static void write_to_stderr(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    if (!f)
        return;
    write_to(f);
    fclose(f);
    fwrite(text, 1, size, stderr);
    free(text);
}

void ftc_report_write(void)
{
    const struct ftc_settings *s = &ftc_library.settings;

    if (s->report == FTC_REPORT_OFF || !is_reporter())
        return;
    if (s->report_file[0] != '\0')
        write_to_file(s->report_file);
    else
        write_to_stderr();
}
