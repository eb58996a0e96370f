#include "silence.h"

#include "board/activity.h"
#include "board/death.h"
#include "board/end_of_job.h"
#include "board/rank_state.h"
#include "job_end.h"
#include "monitor/monitor.h"
#include "system/lines.h"
#include "system/stopwatch.h"
#include "transport/remote_query.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOKS = 4, /* least number of checks before silence counts as death */
    LEASE_AGAIN_NS = 1000000,
};

static bool is_on(void)
{
    return ftc_library.suspects || ftc_library.accuses;
}

void ftc_silence_begin(struct ftc_comm *c)
{
    for (int i = 0; is_on() && i < c->member_count; i++)
        c->silence[i] = (struct ftc_silence){0};
}

static uint64_t timeout_ns(void)
{
    return (uint64_t)ftc_library.settings.timeout_ms * 1000000u;
}

/* Sets *@heartbeat to that of @world, from the board of the host that @world is on. Returns false
 * if it is not known now: another host is asked LOOKS times per timeout, and has to reply. */
static bool hear(struct ftc_silence *s, uint32_t world, uint64_t now_ns, uint64_t *heartbeat)
{
    if (ftc_board_is_here(&ftc_library.board, world)) {
        *heartbeat = ftc_activity_heartbeat(&ftc_library.board, world);
        return true;
    }
    if (s->asked_ns == 0)
        s->asked_ns = now_ns;
    if (now_ns - s->asked_ns < timeout_ns() / LOOKS ||
        !ftc_remote_query_heartbeat(&ftc_library.transport, world, heartbeat))
        return false;
    if (now_ns - s->asked_ns > 2 * timeout_ns() / LOOKS)
        s->since_ns = 0; /* the host was silent too, so the silence counts anew */
    s->asked_ns = now_ns;
    return true;
}

static bool is_silent(struct ftc_silence *s, uint32_t world, uint64_t now_ns)
{
    uint64_t heartbeat;

    if (!hear(s, world, now_ns, &heartbeat))
        return false;
    if (s->since_ns == 0 || s->heartbeat != heartbeat) {
        s->heartbeat = heartbeat;
        s->since_ns = now_ns;
    }
    return now_ns - s->since_ns > timeout_ns();
}

/* Ends the job if the settings forbid the death of @world. On one host with monitor = timeout there
 * is no monitor process to do so. */
static void end_job_if_forbidden(uint32_t world)
{
    const struct ftc_board *board = &ftc_library.board;
    int max_failed = ftc_library.settings.max_failed, length;
    char text[128];

    if (!ftc_death_ends_job(board, world, max_failed))
        return;
    length = snprintf(text, sizeof text, "ftcoll: ");
    ftc_death_describe_end(board, world, max_failed, text + length, sizeof text - (size_t)length);
    ftc_job_end(MPI_COMM_WORLD, 1, text);
}

/* Declares @world dead for all ranks at once. In a job on several hosts, asks the monitor process
 * of @world to do so. */
static void take_for_dead(uint32_t world, uint64_t heartbeat)
{
    if (ftc_library.accuses) {
        ftc_remote_query_kill(&ftc_library.transport, world, heartbeat);
    } else if (ftc_board_mark_failed(&ftc_library.board, world, FTC_DEATH_SUSPECTED,
                                     (int)ftc_library.world_rank)) {
        ftc_notice_deaths(&ftc_library.notice); /* also deaths that @world did not report */
        end_job_if_forbidden(world);
    }
}

void ftc_silence_look(struct ftc_comm *c, bool (*expects)(const struct ftc_comm *c, int member))
{
    static struct ftc_stopwatch stopwatch; /* guarded by ftc_library.lock */
    uint64_t now_ns;

    if (!is_on())
        return;
    now_ns = ftc_stopwatch_now(&stopwatch, timeout_ns() / LOOKS);
    ftc_activity_beat(&ftc_library.board, ftc_library.world_rank);
    for (int left = ftc_comm_check_count(c); left > 0; left--) {
        int i = ftc_comm_next_member(c, &c->silent);
        uint32_t world = c->world[c->member[i]];

        if (!c->dead[i] && expects(c, i) && is_silent(&c->silence[i], world, now_ns))
            take_for_dead(world, c->silence[i].heartbeat);
    }
}

/* Stops this process, whose monitor process has ended. The kernel kills such a process, unless the
 * program has undone both the parent-death signal and the tether. The other monitor processes mark
 * the death on the board. */
static _Noreturn void stop_unguarded(void)
{
    if (!ftc_end_of_job_is_said(&ftc_library.board))
        ftc_lines_say(
            "ftcoll: rank %d (pid %d) stops: its monitor process has ended, and no other process "
            "would notice the death of this rank\n",
            ftc_library.world_rank, (int)getpid());
    raise(SIGKILL);
    _exit(1);
}

void ftc_fence_stop(void)
{
    const struct ftc_board *board = &ftc_library.board;
    uint32_t own = ftc_library.world_rank;

    if (ftc_lifeline_is_unguarded(ftc_board_lifeline(board, own)))
        stop_unguarded();
    ftc_lines_say("ftcoll: rank %d (pid %d) stops: rank %d declared it dead after more than "
                  "timeout_ms = %d of silence, and the others have gone on without it\n",
                  ftc_library.world_rank, (int)getpid(), ftc_death_suspected_by(board, own),
                  ftc_library.settings.timeout_ms);
    if (ftc_library.accuses)
        raise(SIGKILL); /* the monitor process sends it anyway */
    ftc_monitor_finish_pmi();
    _exit(ftc_library.settings.failure_exit_status);
}

/* ---- the lease of this host ---- */

/* Stops this process because its host is given up, and reports that unless the agent has ended the
 * lease. In that case the agent reports it, and may kill this rank in the middle of a line. */
static _Noreturn void stop_with_host(void)
{
    if (!ftc_lease_has_ended(&ftc_library.board))
        ftc_notice_host_stops(&ftc_library.board, ftc_library.settings.unreachable_ms);
    raise(SIGKILL);
    _exit(1);
}

/* Waits at most twice unreachable_ms. The agent gives a host that was stopped another
 * unreachable_ms to hear from mpiexec, and then ends the host. Time in which the agent waits for an
 * mpiexec that no host hears does not count. */
void ftc_fence_await_lease(void)
{
    const struct ftc_board *board = &ftc_library.board;
    uint64_t begin_ns = ftc_clock_ns(),
             bound_ns = 2 * (uint64_t)ftc_library.settings.unreachable_ms * 1000000u;

    while (ftc_lease_is_over(board)) {
        if (ftc_lifeline_is_unguarded(ftc_board_lifeline(board, ftc_library.world_rank)))
            ftc_fence_stop();
        if (ftc_lease_awaits_mpiexec(board))
            begin_ns = ftc_clock_ns();
        if (ftc_lease_has_ended(board) || ftc_clock_ns() - begin_ns > bound_ns)
            stop_with_host();
        nanosleep(&(struct timespec){.tv_nsec = LEASE_AGAIN_NS}, NULL);
    }
}
