/* union: what the ranks of a call that makes a communicator tell each other: tables, which the
 * library's operations unite, in pieces for which the board has room. */
#ifndef FTC_NEW_COMMUNICATORS_UNION_H
#define FTC_NEW_COMMUNICATORS_UNION_H

#include "call/call.h"
#include "progress/loop.h"

/* Replaces @table, of @bytes, by the union of all survivors' tables. Returns an MPI error code. */
int ftc_union_of(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes);

#endif
