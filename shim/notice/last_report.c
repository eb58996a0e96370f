#include "last_report.h"

#include "board/rank_state.h"
#include "coverage_report.h"
#include "coverage_sites.h"
#include "report_json.h"

#include <time.h>

enum {
    NS_OF_MS = 1000000,
    VERDICTS_MS = 1000,
    WRITER_MS = 6000 /* of which it may wait five seconds for its reader */
};

static struct ftc_failure failure_of(const struct ftc_notice *n, uint32_t world)
{
    return (struct ftc_failure){
        .board = n->board, .world = world, .timeout_ms = n->settings->timeout_ms};
}

static bool has_coverage(const struct ftc_notice *n)
{
    return n->settings->report >= FTC_REPORT_COVERAGE && ftc_coverage_sites_room(n->board) > 0;
}

static void write_text(FILE *f, const void *context)
{
    const struct ftc_notice *n = context;
    char f_text[FTC_NOTICE_F_TEXT];

    for (uint32_t i = 0; i < n->board->geometry.ranks; i++) {
        struct ftc_failure failure = failure_of(n, i);

        if (ftc_notice_has_failed(n->board, i))
            ftc_failure_write(f, &failure);
    }
    fprintf(f,
            "ftcoll: the job ended before MPI_Finalize returned: %u of %u ranks had failed "
            "(%s)\n",
            ftc_notice_failures(n->board), n->board->geometry.ranks, ftc_notice_f(n, f_text));
    if (has_coverage(n))
        ftc_coverage_report_write(f, n);
}

/* The rest has a rank alone. */
static void add_rest(struct ftc_json *j, const struct ftc_notice *n)
{
    ftc_json_add_null(j, "require_all_at_unnamed");
    ftc_json_add_null(j, "calls");
    ftc_json_add_null(j, "links");
    if (has_coverage(n))
        ftc_coverage_report_write_json(j, n);
    else
        ftc_json_add_null(j, "coverage");
    ftc_json_add_null(j, "settings");
}

static void write_json(FILE *f, const void *context)
{
    const struct ftc_notice *n = context;
    struct ftc_report_head head = {
        .board = n->board,
        .writer = n->self,
        .is_early = true,
        .failed = ftc_notice_failures(n->board),
        .f = n->settings->f,
        .hosts_fail = ftc_notice_hosts_fail(n),
    };
    struct ftc_json j;

    ftc_report_json_begin(&j, f, &head);
    ftc_json_open_array(&j, "failures");
    for (uint32_t i = 0; i < n->board->geometry.ranks; i++) {
        struct ftc_failure failure = failure_of(n, i);

        if (ftc_notice_has_failed(n->board, i))
            ftc_failure_write_json(&j, &failure);
    }
    ftc_json_close(&j);
    add_rest(&j, n);
    ftc_json_close(&j);
}

/* A dead rank whose monitor process has not said yet whether it has failed. */
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

/* What is told after the report stands behind it, and is missing in it. Ranks that end together
 * are told of in microseconds, unless the machine is busy. */
static void await_verdicts(const struct ftc_notice *n)
{
    for (int i = 0; i < VERDICTS_MS && is_any_undecided(n); i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
}

/* By this process, or by another that is at it: who ends the job ends that one as well, so it is
 * waited for, and whoever waits takes over if it is killed. */
static void write_or_await(const struct ftc_notice *n)
{
    for (int i = 0;
         i < WRITER_MS && !ftc_notice_is_reported(n->board) &&
         !ftc_notice_report(
             n, n->settings->report_format == FTC_REPORT_FORMAT_JSON ? write_json : write_text, n,
             true);
         i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
}

bool ftc_last_report_write(const struct ftc_notice *n)
{
    if (n->settings->report <= FTC_REPORT_OFF)
        return false;
    await_verdicts(n);
    if (ftc_notice_failures(n->board) == 0)
        return false;
    write_or_await(n);
    return true;
}
