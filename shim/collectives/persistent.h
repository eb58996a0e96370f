/* persistent: persistent requests of collective operations (MPI 4.0, section 6.13).
 *
 * Such a request keeps the arguments of its call and begins a nonblocking operation each time it is
 * started. Ranks may start the requests of one communicator in different orders. So each request
 * has an identity of its own (ftc_comm_for_request()), as if its communicator were duplicated for
 * it.
 *
 * The program's handle is an inactive request of native MPI, which is never started. The request of
 * an operation is another one, and MPI frees it when it completes. Calls that complete requests
 * therefore get the operations' requests in place of the program's handles. */
#ifndef FTC_COLLECTIVES_PERSISTENT_H
#define FTC_COLLECTIVES_PERSISTENT_H

#include "call/call.h"

#include <stdatomic.h>

/* Makes a persistent @request for @call and stores the return code in call->result. Returns false
 * if native MPI has to make it. */
bool ftc_carry_out_persistent(struct ftc_call *call, MPI_Request *request);

extern atomic_int ftc_persistent_count;

/* Returns whether there are any persistent requests of the library. */
static inline bool ftc_persistent_are_used(void)
{
    return atomic_load_explicit(&ftc_persistent_count, memory_order_relaxed) > 0;
}

struct ftc_persistent;

/* Returns the persistent request that the program knows as @handle; NULL if there is none. */
struct ftc_persistent *ftc_persistent_find(MPI_Request handle);

/* Starts the operation of @p and sets *@started to its request. Returns an MPI error code, which
 * has been raised. It is an error if the previous operation is not complete. */
int ftc_persistent_start(struct ftc_persistent *p, MPI_Request *started);

/* Returns the request of the operation in progress; MPI_REQUEST_NULL if there is none. */
MPI_Request ftc_persistent_started(const struct ftc_persistent *p);

/* Frees @p and sets *@handle to MPI_REQUEST_NULL. Returns an MPI error code. */
int ftc_persistent_free(struct ftc_persistent *p, MPI_Request *handle);

/* ---- in calls that complete requests ---- */

enum { FTC_PERSISTENT_FEW = 8 };

/* Requests of a call that completes requests, as the call gets them. */
struct ftc_persistent_swap {
    MPI_Request *shown;    /* the requests that the call gets */
    int count;             /* number of requests; 0: shown are the program's own */
    MPI_Request *requests; /* requests of the program */
    /* Persistent request of each entry; NULL: the entry is the program's handle. */
    struct ftc_persistent **behind;
    void *room; /* memory for more than FTC_PERSISTENT_FEW requests; or NULL */
    MPI_Request few[FTC_PERSISTENT_FEW];
    struct ftc_persistent *few_behind[FTC_PERSISTENT_FEW];
};

/* Sets s->shown to the program's @requests, in which the request of its operation replaces each
 * persistent request. An inactive one becomes MPI_REQUEST_NULL, because the call treats both alike.
 * Returns false without memory, with an MPI error code in *@rv, which has been raised. */
bool ftc_persistent_swap_in(struct ftc_persistent_swap *s, int count, MPI_Request requests[],
                            int *rv);

/* Applies to the program's requests what the call did to s->shown, and frees the memory of @s.
 * Persistent requests whose operations are complete become inactive. */
void ftc_persistent_swap_out(struct ftc_persistent_swap *s);

#endif
