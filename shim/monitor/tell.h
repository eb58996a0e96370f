/* tell: what a monitor process tells people of deaths, and when (setting notice; board/telling.h).
 *
 * The death of a rank is told by its own monitor process, as soon as that knows that the launcher
 * did not cause it. If that has gone too, it is told by the one that watches in its place
 * (others.h). What came of it is told by any of these. All of it in the first thread, which sees
 * the signals. */
#ifndef FTC_MONITOR_TELL_H
#define FTC_MONITOR_TELL_H

#include "monitored.h"

enum { FTC_TELL_TURN_MS = 20 };

/* The death of the program, which is in the board, is one of its own. */
void ftc_tell_death(struct ftc_monitored *rank);

/* The job is about to be ended by this rank. For the same error the ranks of other hosts may be
 * about to end it: the first host speaks for all, if it has done so after half a second at most. */
void ftc_tell_await_first_host(const struct ftc_monitored *rank);

/* The job is about to be ended by this rank or its monitor process: all who are dead by now have
 * failed. */
void ftc_tell_deaths(const struct ftc_monitored *rank);

/* The deaths of the ranks in the next @count ranks are left to this monitor process, as far as
 * theirs have not said goodbye. In the thread that watches the others. */
void ftc_tell_inherit(struct ftc_monitored *rank, uint32_t count);

/* Hosts are lost, and the deaths of their ranks are in the board. In the agent's thread. */
void ftc_tell_lost(struct ftc_monitored *rank);

/* Tells what can be told by now. To be called every FTC_TELL_TURN_MS as long as it returns true. */
bool ftc_tell_look(struct ftc_monitored *rank);

/* The job ends, or all its ranks have ended MPI: the report, if nobody else has written one. True
 * if there is one. */
bool ftc_tell_end(const struct ftc_monitored *rank);

/* ---- from other threads to the first ---- */

/* Opens the bell; without one the first thread knows later. */
void ftc_tell_open(struct ftc_monitored *rank);
void ftc_tell_ring(const struct ftc_monitored *rank);

/* Stops the ringing. */
void ftc_tell_hear(const struct ftc_monitored *rank);

#endif
