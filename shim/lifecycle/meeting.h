/* meeting: how the ranks come together in MPI_Init.
 *
 * With more ranks than cores each native collective costs a turn of each rank, because MPICH keeps
 * its core while it waits: 64 ranks on 2 cores need about a second for one. On one host the ranks
 * therefore call only two, both nonblocking, and sleep between two tests. The first broadcasts rank
 * 0's settings and the address of the board that it has made. The second agrees that all ranks have
 * opened the board. Everything else goes over the board. */
#ifndef FTC_LIFECYCLE_MEETING_H
#define FTC_LIFECYCLE_MEETING_H

#include <stdbool.h>

/* Reason why a job on more than FTC_BOARD_HOSTS_MAX hosts is not protected, printed in the job and
 * before it (config/info.c). */
#define FTC_MEETING_TOO_MANY_HOSTS "the ranks are on more than 64 hosts"

/* Gives all ranks rank 0's settings and the board. Returns true on all ranks if all have the board,
 * and the monitor process that the settings ask for. Otherwise returns false on all ranks, after a
 * line on standard error with the reason. A rank that waits here for more than blocked_ms prints
 * that, and ends the job if setting on_blocked says so. */
bool ftc_meeting_open(void);

/* Waits until all ranks are prepared. @prepared: whether this rank is. To be called once by each
 * rank after ftc_meeting_open(). A rank that waits for more than blocked_ms acts as in
 * ftc_meeting_open(). Returns true on all ranks if all are prepared. From then on a death is
 * tolerated; before, it ends the job, as natively. */
bool ftc_meeting_close(bool prepared);

#endif
