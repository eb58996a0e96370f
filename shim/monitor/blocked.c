#include "blocked.h"

#include "board/death.h"
#include "board/end_of_job.h"
#include "board/mark.h"
#include "board/rank_state.h"
#include "call/policy.h"
#include "config/settings.h"
#include "end.h"
#include "hidden_activity.h"
#include "mpi/callsite.h"
#include "reporting/advice.h"
#include "system/lines.h"
#include "system/stopwatch.h"

#include <stdio.h>
#include <time.h>

enum {
    SITE_TEXT = 256,
    LOOKS = 10,
    NS_OF_MS = 1000000,
    POLL_GAP_SHARE = 2 /* divisor of blocked_ms */,
    PATIENCE = 5,       /* multiple of the bound after which a job is clearly not ended */
    COMPLETE_MS = 5000, /* time in which a call completes on the busiest machine */
    TRIES = 2,          /* tries of the native part of a call that makes a communicator */
    REPORT_CHECKS = 5   /* looks that other ranks of this host get to report their calls */
};

struct watch {
    struct ftc_stopwatch stopwatch;
    struct ftc_mark_watch mark[FTC_BOARD_MARKS];
    uint64_t said[FTC_BOARD_MARKS]; /* version of the last mark that was reported */
    struct ftc_mark_watch complete;
    struct ftc_still_watch job;
    struct ftc_hidden_activity hidden;
    uint64_t versions;   /* ftc_mark_versions() of the rank at the last look */
    uint64_t still_ns;   /* time for which the job has stood still */
    uint64_t said_stuck; /* ftc_mark_versions() of the rank at its last report; 0: none */
    int reported_checks; /* looks since that report */
};

static void pause_ns(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};

    while (nanosleep(&t, &t) != 0)
        ;
}

static void name_site(const struct ftc_monitored *rank, uint64_t return_address, uint64_t stack,
                      char site[SITE_TEXT])
{
    ftc_callsite_name_in(rank->job.child,
                         ftc_callsite_beyond_mpi(rank->job.child, return_address, stack), site,
                         SITE_TEXT);
}

static const char *reaction(const struct ftc_monitored *rank)
{
    return rank->options.settings.on_blocked == FTC_ON_BLOCKED_ABORT ? "abort" : "warn";
}

/* Reports @mark in one write, because monitor processes of other ranks may report at the same
 * time. */
static void say(const struct ftc_monitored *rank, const struct ftc_mark *mark, uint64_t now_ns)
{
    const struct ftc_board *board = &rank->board;
    char site[SITE_TEXT], death[64], others[32] = "", advice[FTC_ADVICE_TEXT];

    name_site(rank, mark->return_address, mark->stack, site);
    ftc_death_name(board, mark->dead, death, sizeof death);
    ftc_advice_write(&rank->options.settings, mark->kind, mark->fallback, advice);
    if (mark->dead_count > 1)
        snprintf(others, sizeof others, ", and %u more", mark->dead_count - 1);
    ftc_lines_say("ftcoll: rank %d has %s %s at %s%s for %.1f s: it %s rank %d, which is dead "
                  "(%s)%s%s; on_blocked = %s%s\n",
                  (int)rank->world, mark->is_poll ? "called" : "been in", ftc_call_name(mark->kind),
                  site, mark->is_poll ? " again and again" : "",
                  (double)(now_ns - mark->since_ns) / 1e9, mark->is_certain ? "needs" : "may need",
                  (int)mark->dead, death, others,
                  mark->is_reported ? ", and the others wait as well" : "", reaction(rank), advice);
}

/* Reports @mark and ends the job, unless another monitor process has begun to do so. */
static void end_job(struct ftc_monitored *rank, const struct ftc_mark *mark, uint64_t now_ns)
{
    if (!ftc_end_of_job_claim(&rank->board, rank->world))
        return;
    say(rank, mark, now_ns);
    ftc_rank_end_job(rank, 1);
}

static uint64_t unreachable_ns(const struct ftc_monitored *rank)
{
    return (uint64_t)rank->options.settings.unreachable_ms * NS_OF_MS;
}

/* Returns for how long the whole job has to stand still until it ends. Another host that is not
 * heard looks unchanged until it is lost. */
static uint64_t still_bound_ns(const struct ftc_monitored *rank, uint64_t bound_ns)
{
    return ftc_board_has_other_hosts(&rank->board) ? bound_ns + unreachable_ns(rank) : bound_ns;
}

/* Returns how much later than the first host this host acts. Several hosts see the same: the first
 * one reports it. */
static uint64_t turn_ns(const struct ftc_monitored *rank)
{
    return rank->board.geometry.host > 0 ? unreachable_ns(rank) : 0;
}

static void show_other_hosts(const struct ftc_monitored *rank, struct ftc_mark_time time)
{
    if (ftc_board_has_other_hosts(&rank->board) && ftc_still_show(&rank->board, rank->world, time))
        ftc_board_signal_update(&rank->board);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns for how long a call has to need a dead rank until on_blocked applies. If it is certain
 * that the native part of a call that makes a communicator needs a dead rank, the rank leaves this
 * part by itself. With threads on a busy machine that may take seconds. */
static uint64_t needs_ns(const struct ftc_mark *mark, uint64_t bound_ns)
{
    bool is_left = mark->is_certain && mark->fallback == FTC_FALLBACK_NONE &&
                   ftc_call_class(mark->kind) == FTC_CLASS_COMMUNICATOR;

    return is_left ? later(bound_ns, (uint64_t)COMPLETE_MS * NS_OF_MS) : bound_ns;
}

/* Reports calls of @rank that need a dead rank, or ends the job for one of them. With on_blocked =
 * abort, a call that may complete is reported only once it is clear that other ranks go on, because
 * the job is not ended then. */
static void look(struct ftc_monitored *rank, struct watch *w, uint64_t bound_ns,
                 struct ftc_mark_time time)
{
    bool aborts = rank->options.settings.on_blocked == FTC_ON_BLOCKED_ABORT;
    uint64_t now_ns = time.now_ns;
    uint64_t certain_ns = bound_ns + turn_ns(rank);
    uint64_t uncertain_ns = still_bound_ns(rank, bound_ns) + turn_ns(rank);
    bool is_still = w->still_ns >= uncertain_ns;
    struct ftc_mark mark;

    for (uint32_t i = 0; i < FTC_BOARD_MARKS; i++) {
        if (!ftc_mark_look(&w->mark[i], &rank->board, rank->world, i, time, &mark) ||
            now_ns - mark.since_ns < needs_ns(&mark, bound_ns) || (mark.is_reported && !is_still))
            continue;
        if (aborts && (is_still || (mark.is_certain && now_ns - mark.since_ns >= certain_ns))) {
            end_job(rank, &mark, now_ns);
        } else if (w->said[i] != mark.version &&
                   (!aborts || (now_ns - mark.since_ns >= bound_ns + PATIENCE * uncertain_ns &&
                                now_ns - w->job.since_ns < bound_ns))) {
            say(rank, &mark, now_ns);
            w->said[i] = mark.version;
        }
    }
}

/* Reports a call that needs no dead rank. Does not end the job, because a call that is only slow
 * looks the same. */
static void say_complete(const struct ftc_monitored *rank, const struct ftc_mark *mark,
                         uint64_t now_ns)
{
    char site[SITE_TEXT];

    name_site(rank, mark->return_address, mark->stack, site);
    ftc_lines_say("ftcoll: rank %d has been in %s at %s for %.1f s: all ranks that it needs "
                  "live and are in this call; a message that a rank was sending when it died may "
                  "block them; on_blocked does not end the job\n",
                  (int)rank->world, ftc_call_name(mark->kind), site,
                  (double)(now_ns - mark->since_ns) / 1e9);
}

static void look_at_complete(const struct ftc_monitored *rank, struct watch *w, uint64_t bound_ns,
                             struct ftc_mark_time time)
{
    uint64_t now_ns = time.now_ns;
    struct ftc_mark mark;

    if (!ftc_mark_look_complete(&w->complete, &rank->board, rank->world, time, &mark) ||
        now_ns - mark.since_ns < later(bound_ns, (uint64_t)COMPLETE_MS * NS_OF_MS) ||
        w->said[0] == mark.version)
        return;
    say_complete(rank, &mark, now_ns);
    w->said[0] = mark.version;
}

/* ---- the job as a whole ---- */

static uint32_t first_dead(const struct ftc_board *board)
{
    uint32_t i = 0;

    while (i + 1 < board->geometry.ranks && !ftc_board_is_dead(board, i))
        i++;
    return i;
}

/* Writes the call that a rank waits in, such as "MPI_Send at app(main+0x12)". */
static void name_wait(const struct ftc_monitored *rank, const struct ftc_mark_wait *wait,
                      char *text, size_t size)
{
    char site[SITE_TEXT];

    if (wait->kind == FTC_CALL_NONE) {
        snprintf(text, size, "a call");
    } else if (wait->return_address == 0) {
        snprintf(text, size, "%s", ftc_call_name(wait->kind));
    } else {
        name_site(rank, wait->return_address, wait->stack, site);
        snprintf(text, size, "%s at %s", ftc_call_name(wait->kind), site);
    }
}

static void say_stuck(const struct ftc_monitored *rank, uint64_t ns,
                      const struct ftc_mark_wait *wait)
{
    const struct ftc_board *board = &rank->board;
    uint32_t dead = first_dead(board), deaths = ftc_board_deaths(board);
    char call[2 * SITE_TEXT], death[64], others[32] = "", advice[FTC_ADVICE_TEXT];

    if (!ftc_advice_write(&rank->options.settings, wait->kind, FTC_FALLBACK_NONE, advice))
        advice[0] = '\0'; /* the wait may be for a living rank */
    name_wait(rank, wait, call, sizeof call);
    ftc_death_name(board, dead, death, sizeof death);
    if (deaths > 1)
        snprintf(others, sizeof others, " and %u more", deaths - 1);
    ftc_lines_say("ftcoll: rank %d has %s %s%s for %.1f s, and no living rank has ended a call "
                  "since: the death of rank %d (%s)%s has left them waiting for each other; "
                  "on_blocked = %s%s\n",
                  (int)rank->world, wait->is_poll ? "called" : "been in", call,
                  wait->is_poll ? " again and again" : "", (double)ns / 1e9, (int)dead, death,
                  others, reaction(rank), advice);
}

static bool has_said(const struct watch *w, const struct ftc_monitored *rank)
{
    for (uint32_t i = 0; i < FTC_BOARD_MARKS; i++)
        if (w->said[i] != 0 && w->said[i] == ftc_marks_of(&rank->board, rank->world)[i].version)
            return true;
    return w->said_stuck == ftc_mark_versions(&rank->board, rank->world);
}

static void report_stuck(const struct ftc_monitored *rank, struct watch *w,
                         struct ftc_mark_time time)
{
    struct ftc_mark_wait wait;

    if (has_said(w, rank) || !ftc_mark_wait_of(&rank->board, rank->world, time, &wait))
        return;
    say_stuck(rank, time.now_ns - w->job.since_ns, &wait);
    w->said_stuck = ftc_mark_versions(&rank->board, rank->world);
    w->reported_checks = 0;
}

static enum ftc_call_kind waiting_call(const struct ftc_monitored *rank, uint32_t world,
                                       struct ftc_mark_time time)
{
    struct ftc_mark_wait wait;

    return ftc_mark_wait_of(&rank->board, world, time, &wait) ? wait.kind : FTC_CALL_NONE;
}

static bool are_all_in_finalize(const struct ftc_monitored *rank, struct ftc_mark_time time)
{
    for (uint32_t i = 0; i < rank->board.geometry.ranks; i++)
        if (!ftc_board_is_dead(&rank->board, i) && waiting_call(rank, i, time) != FTC_CALL_FINALIZE)
            return false;
    return true;
}

/* Returns for how long the job has to stand still until the call of this rank is reported. A call
 * that makes a communicator gets time to leave its native part. If all survivors are in
 * MPI_Finalize, they get more time to meet there, which they need on a busy machine. */
static uint64_t patience_ns(const struct ftc_monitored *rank, uint64_t bound_ns,
                            struct ftc_mark_time time)
{
    enum ftc_call_kind call = waiting_call(rank, rank->world, time);

    if (call == FTC_CALL_FINALIZE && are_all_in_finalize(rank, time))
        return later(bound_ns, (uint64_t)COMPLETE_MS * NS_OF_MS);
    if (call == FTC_CALL_NONE || ftc_call_class(call) != FTC_CLASS_COMMUNICATOR)
        return bound_ns;
    return TRIES * ftc_mark_stuck_ms(rank->options.settings.blocked_ms) * NS_OF_MS + bound_ns;
}

/* Reports the call of this rank if the job stands still, as each monitor process does. With
 * on_blocked = abort the first one that sees all calls reported, or has waited REPORT_CHECKS looks
 * for that, ends the job. */
static void look_at_job(struct ftc_monitored *rank, struct watch *w, uint64_t bound_ns,
                        struct ftc_mark_time time)
{
    const struct ftc_board *board = &rank->board;
    bool is_still = w->still_ns >= still_bound_ns(rank, patience_ns(rank, bound_ns, time)) +
                                       turn_ns(rank) + 2 * bound_ns / LOOKS;
    bool is_stuck = is_still && !ftc_end_of_job_is_said(board);

    if (is_stuck)
        report_stuck(rank, w, time);
    /* After the line, because another process may then end the job. */
    ftc_still_report(board, rank->world, is_still);
    if (!is_stuck)
        return;
    if (rank->options.settings.on_blocked != FTC_ON_BLOCKED_ABORT ||
        (!ftc_still_are_all_reported(board) && w->reported_checks++ < REPORT_CHECKS))
        return;
    if (ftc_end_of_job_claim(board, rank->world))
        ftc_rank_end_job(rank, 1);
}

/* Returns whether the rank waits in the same call as at the last look. Only then is it examined
 * further, because to examine a large process can take the kernel tens of milliseconds. */
static bool is_in_same_call(const struct ftc_monitored *rank, struct watch *w,
                            struct ftc_mark_time time)
{
    uint64_t versions = ftc_mark_versions(&rank->board, rank->world);
    bool is_same = versions == w->versions;

    w->versions = versions;
    return is_same && ftc_still_waits(&rank->board, rank->world, time);
}

static void see(const struct ftc_monitored *rank, struct watch *w, struct ftc_mark_time time)
{
    struct ftc_still_sight sight = {.share = FTC_STILL_WHOLE};

    if (is_in_same_call(rank, w, time))
        sight.is_active = ftc_hidden_activity_check(&w->hidden, rank, &sight.share);
    else
        w->hidden = (struct ftc_hidden_activity){0};
    ftc_still_see(&rank->board, rank->world, time, sight);
    w->still_ns = ftc_still_look(&w->job, &rank->board, time);
}

static struct ftc_mark_time now(struct watch *w, uint64_t bound_ns)
{
    uint64_t now_ns = ftc_stopwatch_now(&w->stopwatch, bound_ns / LOOKS);

    return (struct ftc_mark_time){.now_ns = now_ns,
                                  .poll_gap_ns = bound_ns / POLL_GAP_SHARE,
                                  .lost_ns = w->stopwatch.lost_ns};
}

void ftc_blocked_watch(struct ftc_monitored *rank)
{
    uint64_t bound_ns = (uint64_t)rank->options.settings.blocked_ms * NS_OF_MS;
    struct watch w = {0};

    ftc_board_await_death(&rank->board);
    while (ftc_board_state(&rank->board, rank->world) == FTC_RANK_RUNNING) {
        struct ftc_mark_time time = now(&w, bound_ns);

        see(rank, &w, time);
        show_other_hosts(rank, time);
        look(rank, &w, bound_ns, time);
        look_at_complete(rank, &w, bound_ns, time);
        look_at_job(rank, &w, bound_ns, time);
        pause_ns(bound_ns / LOOKS);
    }
}
