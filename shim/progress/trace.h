/* trace: writes down what the operations of this rank do (setting trace_file, board/trace.h).
 *
 * The engine knows nothing of it: what is written is what goes into an operation and comes out of
 * it, and the phase that it is in after each step. A look at the clock costs as much as all the
 * rest, so what a rank does in one go after a message, or when it begins, has one time, unless the
 * value takes a while to combine. */
#ifndef FTC_PROGRESS_TRACE_H
#define FTC_PROGRESS_TRACE_H

#include "communicator/communicator.h"
#include "engine/operation.h"

/* In MPI_Init; 0 or -ENOMEM. */
int ftc_trace_events_open(void);

/* The functions below are to be called only if there is a trace; without, this is false. */
extern bool ftc_trace_is_written;

void ftc_trace_begin(struct ftc_comm *c);
void ftc_trace_begun(struct ftc_comm *c); /* its first messages are sent, if it has any */
void ftc_trace_step(struct ftc_comm *c);
void ftc_trace_send(struct ftc_comm *c, const struct ftc_send *s);

/* @m, from member @from, is about to be given to the operation on @c. */
void ftc_trace_receive(const struct ftc_comm *c, int from, const struct ftc_message *m);

/* Members whose death, or whose result, the operation has been told: of a death what this rank knew
 * first. */
void ftc_trace_notice(const struct ftc_comm *c, int member);
void ftc_trace_take(const struct ftc_comm *c, int member, uint32_t attempt);

/* It has its result. */
void ftc_trace_finish(const struct ftc_comm *c);

#endif
