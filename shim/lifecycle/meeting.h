/* meeting: how the ranks come together in MPI_Init.
 *
 * With more ranks than cores each native collective costs a turn of everybody, because MPICH keeps
 * its core while it waits: 64 ranks on 2 cores need about a second for one. So the ranks call two
 * in all, nonblocking ones, and sleep between two looks at them: a broadcast of what rank 0 has
 * (settings, and the address of the board that it has made), and an agreement that all ranks have
 * opened the board. Everything else is told on the board. */
#ifndef FTC_LIFECYCLE_MEETING_H
#define FTC_LIFECYCLE_MEETING_H

#include <stdbool.h>

/* Why such a job is not protected, as it is told there, and before it (config/info.c). */
#define FTC_MEETING_TOO_MANY_HOSTS "the ranks are on more than 64 hosts"

/* Gives all ranks rank 0's settings and the board. The same on all ranks: true if all of them have
 * it, and the monitor process that the settings ask for; else false, and why was said on standard
 * error. Whoever waits here for more than blocked_ms says so, as setting on_blocked wants it. */
bool ftc_meeting_open(void);

/* To be called once by each rank after ftc_meeting_open(), with whether it is @prepared. Waits for
 * all, with the same words after the same time. The same on all ranks: true if all are prepared;
 * from then on a death is tolerated, until then it ends the job, as it does natively. */
bool ftc_meeting_close(bool prepared);

#endif
