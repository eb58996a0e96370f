/* recovery: which deaths the operations of this rank have met, and when all survivors were through.
 *
 * What all ranks may know stands on the board; the call site is this rank's own. */
#ifndef FTC_PROGRESS_RECOVERY_H
#define FTC_PROGRESS_RECOVERY_H

#include "communicator/communicator.h"
#include "mpi/callsite.h"

/* In MPI_Init; 0 or -ENOMEM. */
int ftc_recovery_open(void);

/* The running operation on @c has met the death of world rank @world. */
void ftc_recovery_begin(const struct ftc_comm *c, uint32_t world);

/* The operation on @c has looked for the dead: it knows of more than the last one. */
void ftc_recovery_know(void);

/* The call whose operation on @c has ended returns, with an error or not. Deaths that it met have
 * been recovered from, and, if the ranks agreed on its end, so have all that it knew of. */
void ftc_recovery_end(const struct ftc_comm *c, bool is_error);

/* The call whose operations on @c began with number @since returns an error after all. */
void ftc_recovery_fail(const struct ftc_comm *c, uint32_t since);

/* Where the program was in the operation of this rank that met the death of world rank @world: the
 * call site alone, unless report = full; depth 0 if none did. */
const struct ftc_stack *ftc_recovery_site(uint32_t world);

/* Whether that is the operation that met it first of all ranks'. */
bool ftc_recovery_is_first(uint32_t world);

/* Before this process goes: what it alone can name is named for whoever writes the report. */
void ftc_recovery_keep_sites(void);

#endif
