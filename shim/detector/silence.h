/* silence: failure detection by silence (monitor = timeout), the paper's plain scheme.
 *
 * A rank that waits in a call advances its heartbeat. So a rank that is silent only because it
 * waits for a third rank is not suspected. A suspected rank is marked dead on the board, for all
 * ranks at once, and stops as soon as it notices.
 *
 * With ranks on several hosts, each host's board decides on the ranks of that host. A waiting rank
 * queries it (transport/remote_query.h), and the monitor process of a silent rank kills that
 * rank. */
#ifndef FTC_DETECTOR_SILENCE_H
#define FTC_DETECTOR_SILENCE_H

#include "board/lease.h"
#include "board/rank_state.h"
#include "communicator/communicator.h"

/* Advances the heartbeat of this rank, and declares members of @c dead that have been silent for
 * timeout_ms. Considers only members for which @expects returns true: the operation of @c waits for
 * them. Checks up to FTC_COMM_CHECKS members a call, and the next ones in the next call. Time in
 * which this rank did not check either, because the whole job was stopped, is no silence. Does
 * nothing unless monitor = timeout. */
void ftc_silence_look(struct ftc_comm *c, bool (*expects)(const struct ftc_comm *c, int member));

/* Starts to count the silence of all members of @c anew. */
void ftc_silence_begin(struct ftc_comm *c);

/* Ends this process with a message that states why: another rank has declared it dead, or its
 * monitor process has ended. */
void ftc_fence_stop(void);

/* Waits while the lease of this host has run out (board/lease.h). Returns when the lease is
 * renewed, as after a stop of the whole job. Ends this process if the host is given up. */
void ftc_fence_await_lease(void);

/* Ends this process if another rank has declared it dead, or if its monitor process has ended and
 * no process would notice its death. Waits while the host may have been declared lost. Without this
 * check a rank could go on with a result that differs from that of the other ranks. Otherwise costs
 * a few loads, and on several hosts a reading of the clock. */
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
