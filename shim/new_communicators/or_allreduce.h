/* or_allreduce: the bitwise OR of tables that the ranks of a call that makes a communicator have,
 * by the library's allreduces, in pieces for which the board has room. */
#ifndef FTC_NEW_COMMUNICATORS_OR_ALLREDUCE_H
#define FTC_NEW_COMMUNICATORS_OR_ALLREDUCE_H

#include "call/call.h"
#include "progress/loop.h"

/* Replaces @table, of @bytes, by the OR of all survivors' tables. Returns an MPI error code. */
int ftc_or_allreduce(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes);

#endif
