/* hooks: calls fault injection (crash.h) and the trace (trace.h) at each step of an operation. A
 * single flag shows that neither is on. */
#ifndef FTC_PROGRESS_HOOKS_H
#define FTC_PROGRESS_HOOKS_H

#include "communicator/communicator.h"
#include "engine/operation.h"

/* Called in MPI_Init, once there is a board. Returns 0 or -ENOMEM. */
int ftc_hooks_open(void);

/* The functions below are to be called only if this is true. */
extern bool ftc_hooks_enabled;

/* The operation on @c has been prepared; its first sends have been carried out. */
void ftc_hooks_begin(struct ftc_comm *c);
void ftc_hooks_begun(struct ftc_comm *c);

/* The operation may have come into another phase. */
void ftc_hooks_step(struct ftc_comm *c);

void ftc_hooks_before_send(struct ftc_comm *c);
void ftc_hooks_sent(struct ftc_comm *c, const struct ftc_send *s);

/* @m, from member @from, is about to be given to the operation. */
void ftc_hooks_receive(const struct ftc_comm *c, int from, const struct ftc_message *m);

/* The operation has learned that @member is dead; that @member has left with the result of
 * @attempt. */
void ftc_hooks_death(const struct ftc_comm *c, int member);
void ftc_hooks_published(const struct ftc_comm *c, int member, uint32_t attempt);

/* The operation is over, and its result is not published yet. */
void ftc_hooks_end(struct ftc_comm *c);

#endif
