#include "observer_ring.h"

#include "announce.h"
#include "board/end_of_job.h"
#include "board/lease.h"
#include "board/presence.h"
#include "board/rank_state.h"
#include "end.h"

#include <signal.h>
#include <time.h>

enum { READY_AGAIN_NS = 10000000 };

/* Waits until all ranks are ready. Before, a rank may have no lock yet, and a death ends the job
 * anyway. */
static void await_all_ready(const struct ftc_board *board)
{
    while (!ftc_presence_are_all_ready(board))
        nanosleep(&(struct timespec){.tv_nsec = READY_AGAIN_NS}, NULL);
}

void ftc_observer_ring_watch(struct ftc_monitored *rank)
{
    struct ftc_board *board = &rank->board;
    uint32_t ranks = board->geometry.ranks;

    await_all_ready(board);
    for (uint32_t i = 1; i < ranks; i++) {
        uint32_t world = (rank->world + i) % ranks;
        struct ftc_lifeline *life = ftc_board_lifeline(board, world);

        if (!ftc_board_is_here(board, world))
            continue;
        ftc_lifeline_await_both_ends(life);
        if (atomic_load(&life->left_alone) || ftc_end_of_job_is_said(board) ||
            ftc_lease_has_ended(board))
            continue;
        ftc_board_mark_failed(board, world, FTC_DEATH_SIGNAL, SIGKILL);
        if (!ftc_board_is_dead(board, world))
            continue;
        ftc_board_wake_watchers(board);
        ftc_announce_inherit(rank, i);
        ftc_rank_end_job_if_forbidden(rank, world, SIGKILL);
    }
}
