/* persistent: persistent requests of collective operations (MPI 4.0, section 6.13).
 *
 * Such a request is the arguments of its call, and a nonblocking operation each time it is started.
 * Ranks need not start those of one communicator in one order; so each has an identity of its own
 * (ftc_comm_for_request()), as if its communicator were duplicated for it.
 *
 * Its handle is that of an inactive request of native MPI, which waits for nobody. MPI completes
 * the requests of operations for good, so calls that complete requests are shown those in place of
 * the program's handles.
 */
#ifndef FTC_COLLECTIVES_PERSISTENT_H
#define FTC_COLLECTIVES_PERSISTENT_H

#include "call/call.h"

#include <stdatomic.h>

/* As ftc_carry_out(), for a call that makes a persistent @request. */
bool ftc_carry_out_persistent(struct ftc_call *call, MPI_Request *request);

extern atomic_int ftc_persistent_count;

/* Whether there are any. */
static inline bool ftc_persistent_are_used(void)
{
    return atomic_load_explicit(&ftc_persistent_count, memory_order_relaxed) > 0;
}

struct ftc_persistent;

/* The one whose handle the program has; NULL: it is none of these. */
struct ftc_persistent *ftc_persistent_find(MPI_Request handle);

/* Begins its operation, whose request *@started is. Returns an MPI error code, which has been
 * raised: also if it has begun already, and is not complete. */
int ftc_persistent_start(struct ftc_persistent *p, MPI_Request *started);

/* The request of the operation that goes on; MPI_REQUEST_NULL: none does. */
MPI_Request ftc_persistent_started(const struct ftc_persistent *p);

/* Forgets it, and *@handle is MPI_REQUEST_NULL. Returns an MPI error code. */
int ftc_persistent_free(struct ftc_persistent *p, MPI_Request *handle);

/* ---- in calls that complete requests ---- */

enum { FTC_PERSISTENT_FEW = 8 };

/* The requests of such a call, as it is to see them. */
struct ftc_shown {
    MPI_Request *shown;
    int count;                      /* 0: they are the program's */
    MPI_Request *requests;          /* the program's */
    struct ftc_persistent **behind; /* behind each; NULL: the handle itself */
    void *room;
    MPI_Request few[FTC_PERSISTENT_FEW];
    struct ftc_persistent *few_behind[FTC_PERSISTENT_FEW];
};

/* s->shown are the @requests of the program, or those of the operations that have been started of
 * them; inactive ones are MPI_REQUEST_NULL, as which the call treats them. False without memory,
 * with an MPI error code in *@rv, which has been raised. */
bool ftc_persistent_show(struct ftc_shown *s, int count, MPI_Request requests[], int *rv);

/* After that call: what it did to the shown ones is done to the program's; those of operations that
 * are complete become inactive. */
void ftc_persistent_hide(struct ftc_shown *s);

#endif
