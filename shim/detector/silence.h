/* silence: failure detection by silence (monitor = timeout), the paper's plain scheme.
 *
 * A rank that waits in a call lets its heartbeat grow, so that who is silent only because it waits
 * for a third one is not suspected in its place. Who is taken for dead is marked so on the board,
 * for everybody at once, and stops as soon as it notices.
 *
 * With ranks on several hosts each host's board is judge over its ranks: whoever waits asks there
 * (transport/remote_query.h), and the monitor process of one that is silent ends it. */
#ifndef FTC_DETECTOR_SILENCE_H
#define FTC_DETECTOR_SILENCE_H

#include "board/lease.h"
#include "board/rank_state.h"
#include "communicator/communicator.h"

/* Shows that this rank lives, and takes those members for dead that the operation of @c expects
 * something of and that have shown nothing for timeout_ms: of some, which are others in the next
 * call (FTC_COMM_LOOKS). Time in which this rank did not look either, because the whole job was
 * stopped, is no silence. Does nothing unless monitor = timeout. */
void ftc_silence_look(struct ftc_comm *c, bool (*expects)(const struct ftc_comm *c, int member));

/* @c starts to wait: silence counts from here. */
void ftc_silence_begin(struct ftc_comm *c);

/* Ends this process, with a clear message. */
void ftc_fence_stop(void);

/* The lease of this host has run out (board/lease.h). Waits until it is renewed, which it is if the
 * whole job was stopped for a while; ends this process if the host is given up. */
void ftc_fence_await_lease(void);

/* Ends this process if others have taken it for dead, or would not notice if it were, as its
 * monitor process has gone, and holds it while its host may be taken for lost: it must never go on
 * with a result that differs from theirs. A few loads if not, and with several hosts a look at the
 * clock. */
static inline void ftc_fence_check(void)
{
    const struct ftc_board *board = &ftc_library.board;
    uint32_t own = ftc_library.world_rank;

    if (ftc_lifeline_is_unguarded(ftc_board_lifeline(board, own)) || ftc_board_is_dead(board, own))
        ftc_fence_stop();
    if (ftc_lease_is_over(board))
        ftc_fence_await_lease();
}

#endif
