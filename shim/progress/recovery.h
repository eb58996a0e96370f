/* recovery: which deaths the operations of this rank have met, and when all survivors had
 * recovered.
 *
 * The board holds what all ranks may know. The call site is known to this rank alone. */
#ifndef FTC_PROGRESS_RECOVERY_H
#define FTC_PROGRESS_RECOVERY_H

#include "communicator/communicator.h"
#include "mpi/callsite.h"

/* Prepares the notes in MPI_Init. Returns 0 or -ENOMEM. */
int ftc_recovery_open(void);

/* Notes that the running operation on @c has met the death of world rank @world. */
void ftc_recovery_begin(const struct ftc_comm *c, uint32_t world);

/* Notes that an operation has checked for deaths and knows all that the board counts. */
void ftc_recovery_know(void);

/* Records that the operation on @c has ended and its call returns, with an error or not. The deaths
 * that the operation met count as recovered from. If the ranks agreed on its end, so do all deaths
 * that it knew. */
void ftc_recovery_end(const struct ftc_comm *c, bool is_error);

/* Records that the call whose operations on @c began with number @since returns an error after
 * all. */
void ftc_recovery_fail(const struct ftc_comm *c, uint32_t since);

/* Returns where the program was in the operation of this rank that met the death of world rank
 * @world. That is the call site alone unless report = full. The depth is 0 if no operation met
 * it. */
const struct ftc_stack *ftc_recovery_site(uint32_t world);

/* Returns whether that operation was the first of all ranks to meet the death. */
bool ftc_recovery_is_first(uint32_t world);

/* Puts the names of call sites that only this process can find on the board, for the writer of the
 * report. To be called before the process ends. */
void ftc_recovery_keep_sites(void);

#endif
