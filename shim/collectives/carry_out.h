/* carry_out: the way of a protected call: facts -> policy -> one fault-tolerant operation, or
 * several -> result. */
#ifndef FTC_COLLECTIVES_CARRY_OUT_H
#define FTC_COLLECTIVES_CARRY_OUT_H

#include "protocols/collective.h"

/* Carries the call out here if it is to be protected, and leaves its return code in call->result.
 * Returns false if native MPI is to do it. Once it has sent a message it does not return false any
 * more, unless all ranks do, by the result of the operation. */
bool ftc_carry_out(struct ftc_call *call);

/* As above, for a nonblocking call, whose @request it makes. call->result is the return code of the
 * call; the operation's own comes with the end of the request. */
bool ftc_carry_out_nonblocking(struct ftc_call *call, MPI_Request *request);

/* As ftc_plan_make(), for a call that makes a @request, and reports what becomes of it; makes
 * @call ready to be kept beyond its return. False: native MPI carries it out. */
bool ftc_nonblocking_plan(struct ftc_plan *plan, struct ftc_call *call, const MPI_Request *request);

/* Begins the operation of @plan, which is copied, with its call and layouts, and makes its
 * @request.
 * An error of it is raised on the program's communicator @communicator_id. Returns an MPI error
 * code. */
int ftc_nonblocking_start(const struct ftc_plan *plan, uint64_t communicator_id,
                          MPI_Request *request);

#endif
