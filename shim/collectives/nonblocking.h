/* nonblocking: the way of a protected call that has a request. */
#ifndef FTC_COLLECTIVES_NONBLOCKING_H
#define FTC_COLLECTIVES_NONBLOCKING_H

#include "protocols/collective.h"

/* As ftc_carry_out(), for a nonblocking call, whose @request it makes; call->result is the return
 * code of the call, the operation's own comes with the end of the request. */
bool ftc_carry_out_nonblocking(struct ftc_call *call, MPI_Request *request);

/* As ftc_plan_make(), for a call that makes a @request, and reports what becomes of it; makes
 * @call ready to be kept beyond its return. False: native MPI carries it out. */
bool ftc_nonblocking_plan(struct ftc_plan *plan, struct ftc_call *call, const MPI_Request *request);

/* Begins the operation of @plan, which is copied, with its call and sides, and makes its @request.
 * An error of it is raised on the program's communicator @communicator_id. Returns an MPI error
 * code. */
int ftc_nonblocking_start(const struct ftc_plan *plan, uint64_t communicator_id,
                          MPI_Request *request);

#endif
