/* carry_out: processing of a protected call: facts -> policy -> one fault-tolerant operation, or
 * several -> result. */
#ifndef FTC_COLLECTIVES_CARRY_OUT_H
#define FTC_COLLECTIVES_CARRY_OUT_H

#include "protocols/collective.h"

/* Carries the call out if it is to be protected, and stores its return code in call->result.
 * Returns false if native MPI has to carry it out. Once it has sent a message, it returns false
 * only if all ranks do, by the result of the operation. */
bool ftc_carry_out(struct ftc_call *call);

/* As above, for a nonblocking call, and makes its @request. call->result is the return code of the
 * call. The return code of the operation comes with the end of the request. */
bool ftc_carry_out_nonblocking(struct ftc_call *call, MPI_Request *request);

/* Makes @plan for a call that makes a @request (ftc_plan_make()). Counts the call for the report.
 * Prepares @call to be kept after its return. Returns false if native MPI carries it out. */
bool ftc_nonblocking_plan(struct ftc_plan *plan, struct ftc_call *call, const MPI_Request *request);

/* Starts the operation of @plan, of which it makes a copy with its call and layouts, and makes its
 * @request. An error of the operation is raised on the program's communicator @communicator_id.
 * Returns an MPI error code. */
int ftc_nonblocking_start(const struct ftc_plan *plan, uint64_t communicator_id,
                          MPI_Request *request);

#endif
