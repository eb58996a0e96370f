/* announce: what a monitor process reports to people, and when (setting notice;
 * board/announcement.h).
 *
 * A rank's own monitor process announces its death, once it knows that the launcher did not cause
 * it. If that process has ended too, its observer does (observer_ring.h). Any of these announces
 * what came of the death. All announcements are made by the first thread, which
 * sees the signals. */
#ifndef FTC_MONITOR_ANNOUNCE_H
#define FTC_MONITOR_ANNOUNCE_H

#include "monitored.h"

enum { FTC_ANNOUNCE_TURN_MS = 20 };

/* Announces the program's death, which is on the board and was not caused from outside. */
void ftc_announce_death(struct ftc_monitored *rank);

/* The job is about to be ended by this rank. For the same error the ranks of other hosts may be
 * about to end it: the first host speaks for all, if it has done so after half a second at most. */
void ftc_announce_await_first_host(const struct ftc_monitored *rank);

/* The job is about to be ended by this rank or its monitor process: all who are dead by now have
 * failed. */
void ftc_announce_deaths(const struct ftc_monitored *rank);

/* Leaves the deaths among the next @count ranks to this monitor process, as far as their own
 * monitor processes have not ended well. Called by the observer ring's thread. */
void ftc_announce_inherit(struct ftc_monitored *rank, uint32_t count);

/* Leaves the deaths of lost hosts' ranks, which are on the board, to the first thread. Called by
 * the agent's thread. */
void ftc_announce_lost(struct ftc_monitored *rank);

/* Announces what can be announced by now. To be called every FTC_ANNOUNCE_TURN_MS as long as it
 * returns true. */
bool ftc_announce_due(struct ftc_monitored *rank);

/* The job ends, or all its ranks have ended MPI: the report, if nobody else has written one. True
 * if there is one. */
bool ftc_announce_end(const struct ftc_monitored *rank);

/* ---- from other threads to the first ---- */

/* Opens the bell; without one the first thread knows later. */
void ftc_announce_open(struct ftc_monitored *rank);
void ftc_announce_ring(const struct ftc_monitored *rank);

/* Stops the ringing. */
void ftc_announce_hear(const struct ftc_monitored *rank);

#endif
