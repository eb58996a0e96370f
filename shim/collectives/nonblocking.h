/* nonblocking: the way of a protected call that has a request. */
#ifndef FTC_COLLECTIVES_NONBLOCKING_H
#define FTC_COLLECTIVES_NONBLOCKING_H

#include "call/call.h"

/* As ftc_carry_out(), for a nonblocking call, whose @request it makes; call->result is the return
 * code of the call, the operation's own comes with the end of the request. */
bool ftc_carry_out_nonblocking(struct ftc_call *call, MPI_Request *request);

#endif
