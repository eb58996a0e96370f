/* trace: records what the operations of this rank do (setting trace_file, board/trace.h).
 *
 * The engine does not know the trace. The trace records the inputs and outputs of an operation and
 * its phase after each step. Reading the clock costs as much as everything else. So all that a rank
 * does without a pause, after a message or when an operation begins, has one time, unless the value
 * takes long to combine. */
#ifndef FTC_PROGRESS_TRACE_H
#define FTC_PROGRESS_TRACE_H

#include "communicator/communicator.h"
#include "engine/operation.h"

/* Opens the trace in MPI_Init if it is on. Returns 0 or -ENOMEM. */
int ftc_trace_events_open(void);

/* True if there is a trace. The functions below are to be called only then. */
extern bool ftc_trace_is_written;

/* Records that the operation on @c begins, if a value is large or fault injection is on. */
void ftc_trace_begin(struct ftc_comm *c);

/* Records that the operation on @c begins, unless this has been recorded. Its first messages are
 * out. */
void ftc_trace_begun(struct ftc_comm *c);

/* Records the phase of the operation, if it has changed. */
void ftc_trace_step(struct ftc_comm *c);

/* Records that @s has been sent. */
void ftc_trace_send(struct ftc_comm *c, const struct ftc_send *s);

/* Records that @m from member @from is about to be given to the operation on @c. */
void ftc_trace_receive(const struct ftc_comm *c, int from, const struct ftc_message *m);

/* Records that the operation learns of the death of @member, if this rank did not know of it. */
void ftc_trace_notice(const struct ftc_comm *c, int member);

/* Records that the operation takes the published result of @member, decided in @attempt. */
void ftc_trace_take(const struct ftc_comm *c, int member, uint32_t attempt);

/* Records the result of the operation. */
void ftc_trace_finish(const struct ftc_comm *c);

#endif
