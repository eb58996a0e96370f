#include "announce.h"

#include "board/death.h"
#include "board/end_of_job.h"
#include "board/lease.h"
#include "reporting/report.h"
#include "reporting/trace_file.h"
#include "system/clock.h"

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Time after which inherited deaths are announced. While a launcher kills all processes, some
 * monitor processes end before others. Only one that outlives them by this time announces the
 * deaths they leave. */
enum { INHERIT_NS = 200000000 };

enum { FIRST_HOST_MS = 500, NS_OF_MS = 1000000 };

static struct ftc_notice notice_of(const struct ftc_monitored *rank)
{
    return (struct ftc_notice){
        .board = &rank->board,
        .self = {.rank = rank->world},
        .settings = &rank->options.settings,
        .paths = &rank->options.paths,
    };
}

void ftc_announce_death(struct ftc_monitored *rank)
{
    struct ftc_notice n = notice_of(rank);

    if (ftc_end_of_job_is_said(&rank->board))
        return; /* a death before that has been announced */
    ftc_notice_death(&n, rank->world);
    rank->is_watching =
        !ftc_death_ends_job(&rank->board, rank->world, rank->options.settings.max_failed);
}

void ftc_announce_await_first_host(const struct ftc_monitored *rank)
{
    const struct ftc_board *board = &rank->board;

    for (int i = 0; i < FIRST_HOST_MS && ftc_board_deaths(board) > 0 &&
                    !ftc_lease_is_first_left(board) && !ftc_end_of_job_is_now(board);
         i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_OF_MS}, NULL);
}

void ftc_announce_deaths(const struct ftc_monitored *rank)
{
    struct ftc_notice n = notice_of(rank);

    if (ftc_end_of_job_is_now(&rank->board)) /* the launcher may be killing ranks already */
        return;
    ftc_notice_deaths(&n);
    ftc_notice_rest_before_end(&n);
}

void ftc_announce_inherit(struct ftc_monitored *rank, uint32_t count)
{
    atomic_store(&rank->inherited_ns, ftc_clock_ns());
    atomic_store(&rank->inherited, count);
    ftc_announce_wake(rank);
}

/* Announces inherited deaths. Returns true as long as it is too early for that. */
static bool announce_inherited(struct ftc_monitored *rank)
{
    uint32_t ranks = rank->board.geometry.ranks, count = atomic_load(&rank->inherited);
    struct ftc_notice n = notice_of(rank);

    if (count == rank->announced || ftc_end_of_job_is_said(&rank->board) ||
        (rank->job.outer >= 0 && ftc_channel_is_deserted(rank->job.outer)))
        return false;
    if (ftc_clock_ns() - atomic_load(&rank->inherited_ns) < INHERIT_NS)
        return true;
    for (; rank->announced < count; rank->announced++) {
        uint32_t world = (rank->world + 1 + rank->announced) % ranks;

        if (ftc_board_is_dead(&rank->board, world) &&
            !atomic_load(&ftc_board_lifeline(&rank->board, world)->left_alone))
            ftc_notice_death(&n, world);
    }
    rank->is_watching = true;
    return false;
}

void ftc_announce_lost(struct ftc_monitored *rank)
{
    atomic_store(&rank->has_lost, true);
    ftc_announce_wake(rank);
}

static void announce_lost(struct ftc_monitored *rank)
{
    struct ftc_notice n = notice_of(rank);

    if (!atomic_exchange(&rank->has_lost, false) || ftc_end_of_job_is_said(&rank->board))
        return;
    ftc_notice_lost_hosts(&n);
    rank->is_watching = true;
}

bool ftc_announce_due(struct ftc_monitored *rank)
{
    struct ftc_notice n = notice_of(rank);
    bool is_early;

    if (!ftc_board_is_open(&rank->board))
        return false;
    announce_lost(rank);
    is_early = announce_inherited(rank);
    if (rank->is_watching) {
        bool is_announced = ftc_notice_recovery(&n);

        rank->is_watching = !ftc_trace_file_update(&n) || !is_announced;
    }
    return is_early || rank->is_watching;
}

bool ftc_announce_end(const struct ftc_monitored *rank)
{
    struct ftc_notice n = notice_of(rank);

    return ftc_report_write_early(&n);
}

void ftc_announce_open(struct ftc_monitored *rank)
{
    rank->wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

void ftc_announce_wake(const struct ftc_monitored *rank)
{
    (void)!write(rank->wakeup, &(uint64_t){1}, sizeof(uint64_t));
}

void ftc_announce_reset(const struct ftc_monitored *rank)
{
    uint64_t rung;

    (void)!read(rank->wakeup, &rung, sizeof rung);
}
