/* carry_out: the way of a protected call: facts -> policy -> one fault-tolerant operation ->
 * result.
 */
#ifndef FTC_COLLECTIVES_CARRY_OUT_H
#define FTC_COLLECTIVES_CARRY_OUT_H

#include "call/call.h"

/* Carries the call out here if it is to be protected, and leaves its return code in call->result.
 * Returns false if native MPI is to do it. Once it has sent a message it does not return false any
 * more, unless all ranks do, by the result of the operation. */
bool ftc_carry_out(struct ftc_call *call);

#endif
