/* end: from the end of the program to the end of its monitor process. */
#ifndef FTC_MONITOR_END_H
#define FTC_MONITOR_END_H

#include "monitored.h"

/* Enters the program's death in the board, if that is to be told. @status as of waitpid. */
void ftc_rank_enter_death(struct ftc_monitored *rank, int status);

/* Tells people of the program's death, which is in the board, if it is one: its launcher may have
 * ended it. @status as of waitpid, which may not have said it yet. In the first thread. */
void ftc_rank_announce_death(struct ftc_monitored *rank, int status);

/* The program is about to end the whole job: from here on no rank that ends has failed. */
void ftc_rank_stand_down(struct ftc_monitored *rank);

/* Ends the job, with a line that says why, if a setting forbids the death of world rank @world,
 * which is in the board; @status as of waitpid. */
void ftc_rank_end_job_if_forbidden(const struct ftc_monitored *rank, uint32_t world, int status);

/* Ends the monitor process after the program has ended with @status. Enters a death in the board
 * first, then settles with the launcher; with a tolerated death, after the survivors have. */
_Noreturn void ftc_rank_end(struct ftc_monitored *rank, int status);

/* This host is given up, or has to take itself for it: ends all its ranks, with a line, and this
 * process. */
_Noreturn void ftc_rank_end_host(struct ftc_monitored *rank);

/* Ends the monitor process with @status, which is not 0, and so the job, as soon as what was said
 * can have been read: the kernel kills the program, and the launcher the other ranks. */
_Noreturn void ftc_rank_end_job(const struct ftc_monitored *rank, int status);

#endif
