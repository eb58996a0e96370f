/* hooks: calls fault injection (crash.h) and the trace (trace.h) at each step of an operation. A
 * single flag shows that neither is in use. */
#ifndef FTC_PROGRESS_HOOKS_H
#define FTC_PROGRESS_HOOKS_H

#include "communicator/communicator.h"
#include "engine/operation.h"

/* Opens the trace and sets ftc_hooks_enabled. To be called in MPI_Init after the board is open.
 * Returns 0 or -ENOMEM. */
int ftc_hooks_open(void);

/* True if fault injection or the trace is in use. The functions below are to be called only
 * then. */
extern bool ftc_hooks_enabled;

/* Reports that the operation on @c has been prepared and has sent nothing yet. */
void ftc_hooks_begin(struct ftc_comm *c);

/* Reports that the operation on @c has begun. Its first messages have been sent unless a data phase
 * comes before them. */
void ftc_hooks_begun(struct ftc_comm *c);

/* Reports that the operation may have entered another phase. */
void ftc_hooks_step(struct ftc_comm *c);

/* Reports that the operation is about to send a message. */
void ftc_hooks_before_send(struct ftc_comm *c);

/* Reports that @s has been sent. */
void ftc_hooks_sent(struct ftc_comm *c, const struct ftc_send *s);

/* Reports that @m from member @from is about to be given to the operation. */
void ftc_hooks_receive(const struct ftc_comm *c, int from, const struct ftc_message *m);

/* Reports that the operation is about to be given the death of @member. */
void ftc_hooks_death(const struct ftc_comm *c, int member);

/* Reports that the operation is about to be given the published result of @member, decided in
 * @attempt. */
void ftc_hooks_published(const struct ftc_comm *c, int member, uint32_t attempt);

/* Reports that the operation is over. Its result is not published yet. */
void ftc_hooks_end(struct ftc_comm *c);

#endif
