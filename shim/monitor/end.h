/* end: from the end of the program to the end of its monitor process. */
#ifndef FTC_MONITOR_END_H
#define FTC_MONITOR_END_H

#include "monitored.h"

/* Enters the program's death in the board, unless the program had ended MPI. Does nothing before
 * all ranks are protected, after ftc_rank_stand_down(), and on a host that is given up. @status is
 * as of waitpid(). */
void ftc_rank_enter_death(struct ftc_monitored *rank, int status);

/* Announces the program's death if it is in the board, unless the launcher has ended the program.
 * Ends the job if the program crashed inside the library. @status is as of waitpid(), which may not
 * have returned it yet. Must be called in the first thread. */
void ftc_rank_announce_death(struct ftc_monitored *rank, int status);

/* Announces deaths and writes the report, because the program is about to end the whole job. From
 * then on no rank that ends has failed. */
void ftc_rank_stand_down(struct ftc_monitored *rank);

/* Ends the job, with a message that says why, if a setting forbids the death of world rank @world,
 * which is in the board. @status is as of waitpid(). */
void ftc_rank_end_job_if_forbidden(const struct ftc_monitored *rank, uint32_t world, int status);

/* Ends the monitor process after the program has ended with @status. Enters a death in the board
 * first, and then settles the account with the launcher. After a tolerated death, waits before that
 * until no survivor is in MPI. */
_Noreturn void ftc_rank_end(struct ftc_monitored *rank, int status);

/* Ends all ranks of this host, with a message, and this process. For a host that is given up, or
 * has to assume that it is. */
_Noreturn void ftc_rank_end_host(struct ftc_monitored *rank);

/* Ends the monitor process with @status, which must not be 0, and thereby the job: the kernel kills
 * the program, and the launcher the other ranks. First announces deaths, writes the report, and
 * waits until messages can have been read. */
_Noreturn void ftc_rank_end_job(const struct ftc_monitored *rank, int status);

#endif
