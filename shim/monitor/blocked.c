#include "blocked.h"

#include "board/death.h"
#include "board/end_of_job.h"
#include "board/mark.h"
#include "board/rank_state.h"
#include "config/settings.h"
#include "end.h"
#include "system/callsite.h"
#include "system/lines.h"
#include "system/looks.h"

#include <stdio.h>
#include <time.h>

enum {
    SITE_TEXT = 256,
    LOOKS = 10,
    NS_OF_MS = 1000000,
    POLL_GAP_SHARE = 2 /* of blocked_ms */,
    COMPLETE_MS = 5000 /* on any machine, however busy */
};

struct watch {
    struct ftc_looks looks;
    struct ftc_mark_watch mark[FTC_BOARD_MARKS];
    uint64_t said[FTC_BOARD_MARKS]; /* version of the last mark that was told of */
    struct ftc_mark_watch complete;
    struct ftc_still_watch job;
};

static void pause_ns(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

    while (nanosleep(&t, &t) != 0)
        ;
}

static void name_site(const struct ftc_monitored *rank, const struct ftc_mark *mark,
                      char site[SITE_TEXT])
{
    ftc_callsite_name_in(
        rank->job.child,
        ftc_callsite_beyond_mpi(rank->job.child, mark->return_address, mark->stack), site,
        SITE_TEXT);
}

/* In one write: other ranks' monitor processes have something to say at the same time. */
static void say(const struct ftc_monitored *rank, const struct ftc_mark *mark, uint64_t now_ns)
{
    const struct ftc_board *board = &rank->board;
    char site[SITE_TEXT], death[64], others[32] = "", advice[FTC_ADVICE_TEXT];

    name_site(rank, mark, site);
    ftc_death_name(board, mark->dead, death, sizeof death);
    ftc_advice_write(&rank->options.advice, mark->kind, mark->pass, advice);
    if (mark->dead_count > 1)
        snprintf(others, sizeof others, ", and %u more", mark->dead_count - 1);
    ftc_lines_say("ftcoll: rank %d has %s %s at %s%s for %.1f s: it %s rank %d, which is dead "
                  "(%s)%s%s%s; on_blocked = %s\n",
                  (int)rank->world, mark->is_poll ? "called" : "been in", ftc_call_name(mark->kind),
                  site, mark->is_poll ? " again and again" : "",
                  (double)(now_ns - mark->since_ns) / 1e9, mark->is_certain ? "needs" : "may need",
                  (int)mark->dead, death, others,
                  mark->is_told ? ", and the others wait as well" : "", advice,
                  rank->options.on_blocked == FTC_ON_BLOCKED_ABORT ? "abort" : "warn");
}

/* The first monitor process that comes to it ends the job, and the others leave it to that one. */
static void end_job(struct ftc_monitored *rank, const struct ftc_mark *mark, uint64_t now_ns)
{
    if (!ftc_end_of_job_claim(&rank->board, rank->world))
        return;
    say(rank, mark, now_ns);
    ftc_rank_end_job(rank, 1);
}

static uint64_t unreachable_ns(const struct ftc_monitored *rank)
{
    return (uint64_t)rank->options.unreachable_ms * NS_OF_MS;
}

/* For how long the whole job has to stand still until it ends: another host that is not heard looks
 * as it did last, for as long as it is not lost. */
static uint64_t still_bound_ns(const struct ftc_monitored *rank, uint64_t bound_ns)
{
    return ftc_board_has_other_hosts(&rank->board) ? bound_ns + unreachable_ns(rank) : bound_ns;
}

/* Of several hosts that see the same the first one speaks. */
static uint64_t turn_ns(const struct ftc_monitored *rank)
{
    return rank->board.geometry.host > 0 ? unreachable_ns(rank) : 0;
}

static void show_other_hosts(const struct ftc_monitored *rank, struct ftc_mark_time time)
{
    if (ftc_board_has_other_hosts(&rank->board) && ftc_still_show(&rank->board, rank->world, time))
        ftc_board_ring_news(&rank->board);
}

/* Where on_blocked = abort and the call may get through, a word is said only once it is clear that
 * others go on, as the job is not ended then. */
static void look(struct ftc_monitored *rank, struct watch *w, uint64_t bound_ns,
                 struct ftc_mark_time time)
{
    bool aborts = rank->options.on_blocked == FTC_ON_BLOCKED_ABORT;
    uint64_t now_ns = time.now_ns, still_ns = ftc_still_look(&w->job, &rank->board, time);
    uint64_t certain_ns = bound_ns + turn_ns(rank);
    uint64_t uncertain_ns = still_bound_ns(rank, bound_ns) + turn_ns(rank);
    bool is_still = still_ns >= uncertain_ns;
    struct ftc_mark mark;

    for (uint32_t i = 0; i < FTC_BOARD_MARKS; i++) {
        if (!ftc_mark_look(&w->mark[i], &rank->board, rank->world, i, time, &mark) ||
            now_ns - mark.since_ns < bound_ns || (mark.is_told && !is_still))
            continue;
        if (aborts && (is_still || (mark.is_certain && now_ns - mark.since_ns >= certain_ns))) {
            end_job(rank, &mark, now_ns);
        } else if (w->said[i] != mark.version &&
                   (!aborts || now_ns - mark.since_ns >= bound_ns + uncertain_ns)) {
            say(rank, &mark, now_ns);
            w->said[i] = mark.version;
        }
    }
}

/* Of a call that needs no dead rank. The job is not ended: one that takes its time looks the same.
 */
static void say_complete(const struct ftc_monitored *rank, const struct ftc_mark *mark,
                         uint64_t now_ns)
{
    char site[SITE_TEXT];

    name_site(rank, mark, site);
    ftc_lines_say("ftcoll: rank %d has been in %s at %s for %.1f s: all whom it needs are alive "
                  "and in it; what a rank was sending when it died may be in their way; "
                  "on_blocked does not end the job\n",
                  (int)rank->world, ftc_call_name(mark->kind), site,
                  (double)(now_ns - mark->since_ns) / 1e9);
}

static void look_at_complete(const struct ftc_monitored *rank, struct watch *w, uint64_t bound_ns,
                             struct ftc_mark_time time)
{
    uint64_t now_ns = time.now_ns, least_ns = (uint64_t)COMPLETE_MS * NS_OF_MS;
    struct ftc_mark mark;

    if (!ftc_mark_look_complete(&w->complete, &rank->board, rank->world, time, &mark) ||
        now_ns - mark.since_ns < (bound_ns > least_ns ? bound_ns : least_ns) ||
        w->said[0] == mark.version)
        return;
    say_complete(rank, &mark, now_ns);
    w->said[0] = mark.version;
}

static struct ftc_mark_time now(struct watch *w, uint64_t bound_ns)
{
    uint64_t now_ns = ftc_looks_now(&w->looks, bound_ns / LOOKS);

    return (struct ftc_mark_time){
        .now_ns = now_ns, .poll_gap_ns = bound_ns / POLL_GAP_SHARE, .lost_ns = w->looks.lost_ns};
}

void ftc_blocked_watch(struct ftc_monitored *rank)
{
    uint64_t bound_ns = (uint64_t)rank->options.blocked_ms * NS_OF_MS;
    struct watch w = {0};

    ftc_board_await_death(&rank->board);
    while (ftc_board_state(&rank->board, rank->world) == FTC_RANK_RUNNING) {
        struct ftc_mark_time time = now(&w, bound_ns);

        show_other_hosts(rank, time);
        look(rank, &w, bound_ns, time);
        look_at_complete(rank, &w, bound_ns, time);
        pause_ns(bound_ns / LOOKS);
    }
}
