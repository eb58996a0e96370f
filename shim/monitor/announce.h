/* announce: what a monitor process reports to users, and when (setting notice;
 * board/announcement.h).
 *
 * A rank's own monitor process announces its death, once it knows that the launcher did not cause
 * it. If that monitor process has ended too, its observer announces the death (observer_ring.h).
 * Either process then announces the recovery from it. The first thread of a monitor process makes
 * all announcements, because it receives the signals. */
#ifndef FTC_MONITOR_ANNOUNCE_H
#define FTC_MONITOR_ANNOUNCE_H

#include "monitored.h"

enum { FTC_ANNOUNCE_TURN_MS = 20 };

/* Announces the program's death, which is on the board and was not caused from outside. */
void ftc_announce_death(struct ftc_monitored *rank);

/* Waits for half a second at most until the first host that is not lost has printed why the job
 * ends. For a caller whose rank is about to end the job: ranks of other hosts may be about to end
 * it for the same error, and the first host reports for all. Does nothing on the first host itself,
 * or if no rank is dead. */
void ftc_announce_await_first_host(const struct ftc_monitored *rank);

/* Announces all deaths so far as failures, because this rank or its monitor process is about to end
 * the job. Does nothing if the end of the job has begun. */
void ftc_announce_deaths(const struct ftc_monitored *rank);

/* Leaves the deaths among the next @count ranks to this monitor process, unless their own monitor
 * processes have ended well. Called by the observer ring's thread. */
void ftc_announce_inherit(struct ftc_monitored *rank, uint32_t count);

/* Leaves the deaths of lost hosts' ranks, which are on the board, to the first thread. Called by
 * the agent's thread. */
void ftc_announce_lost(struct ftc_monitored *rank);

/* Announces what can be announced by now. Must be called every FTC_ANNOUNCE_TURN_MS as long as it
 * returns true. */
bool ftc_announce_due(struct ftc_monitored *rank);

/* Writes the report, if no other process has written it, and finishes the trace, because the job
 * ends or all its ranks have ended MPI. Returns false if there is nothing to report. */
bool ftc_announce_end(const struct ftc_monitored *rank);

/* ---- from other threads to the first ---- */

/* Opens the eventfd by which other threads wake the first. Without it the first thread notices
 * later. */
void ftc_announce_open(struct ftc_monitored *rank);
void ftc_announce_wake(const struct ftc_monitored *rank);

/* Resets the eventfd. */
void ftc_announce_reset(const struct ftc_monitored *rank);

#endif
