/* union: what the ranks of a call that makes a communicator tell each other: tables, which the
 * library's operations unite, in pieces for which the board has room. */
#ifndef FTC_NEW_COMMUNICATORS_UNION_H
#define FTC_NEW_COMMUNICATORS_UNION_H

#include "call/call.h"
#include "progress/drive.h"

struct ftc_union {
    const struct ftc_call *call;
    struct ftc_comm *comm;
    unsigned char *table; /* at last the union of all survivors' tables */
    size_t size;          /* bytes of it */
    size_t done, piece;   /* those before, and in, the operation */
};

/* Fills @request with the operation of the next piece, and notes that this rank is in it. Both this
 * and the next are called with the library's lock held. */
void ftc_union_request(struct ftc_union *u, struct ftc_drive_request *request);

/* After that operation, or when it could not begin (FTC_DRIVE_NO_MEMORY). Returns an MPI error
 * code. */
int ftc_union_take(struct ftc_union *u, enum ftc_drive_outcome outcome);

/* All of it, in a call that waits: replaces @table by the union of all survivors' tables. */
int ftc_union_of(const struct ftc_call *call, struct ftc_comm *c, void *table, size_t bytes);

static inline bool ftc_union_is_over(const struct ftc_union *u)
{
    return u->done == u->size;
}

#endif
