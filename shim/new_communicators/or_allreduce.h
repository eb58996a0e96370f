/* or_allreduce: the bitwise OR of one table of each rank, in calls that make a communicator. The
 * library's allreduces combine the tables, in pieces that fit on the board. */
#ifndef FTC_NEW_COMMUNICATORS_OR_ALLREDUCE_H
#define FTC_NEW_COMMUNICATORS_OR_ALLREDUCE_H

#include "call/call.h"
#include "progress/loop.h"

/* Replaces @table, of @bytes, by the bitwise OR of all survivors' tables. Excludes the dead from
 * @c. Takes the library's lock. Returns an MPI error code. */
int ftc_or_allreduce(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes);

#endif
