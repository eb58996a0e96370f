/* request: the MPI request of a nonblocking operation, a generalized request with MPICH's
 * extension: MPICH calls the library back in every call that tests or waits for it.
 *
 * What MPICH 4.0.2 does: MPI_Wait calls the poll function in a loop and nothing else, not even its
 * own progress; MPI_Waitall calls the wait function of one request after the other, before it looks
 * at requests of other kinds; MPI_Test*, MPI_Waitany and MPI_Waitsome call the poll function and
 * their own progress; MPI_Request_get_status does not call back (so wrappers/ does it for it). The
 * code that the query function returns comes out of the call, through the error handler of
 * MPI_COMM_WORLD: a generalized request has no communicator. MPI_Request_free calls the free
 * function at once, also before the operation is complete. Behind the wait function MPI_Waitall
 * takes for granted that the request is complete: so nobody completes it but the thread that asks
 * for it, or that makes it; and one that is freed, for which nobody asks, whoever comes by.
 */
#ifndef FTC_PROGRAM_REQUEST_H
#define FTC_PROGRAM_REQUEST_H

#include "progress/queue.h"
#include "system/floating.h"

struct ftc_request {
    struct ftc_queued pending; /* must be first */
    MPI_Request handle;
    /* The library's number of the program's communicator, whose error handler gets its error. */
    uint64_t communicator_id;
    bool is_over;                  /* the operation has its result */
    bool is_settled;               /* and the program has it */
    bool has_raised;               /* its error; MPICH asks more than once */
    struct ftc_floating *floating; /* raised in the call that completes it; NULL: nothing. Settling
                                    * sets it; it lives as long as the request. */
    char *error_text;              /* of MPI_MAX_ERROR_STRING bytes; NULL: no error */
    _Atomic int holders;   /* who completes it, and the free function; the last releases it */
    _Atomic bool is_freed; /* the program has no handle of it any more */
    _Atomic bool is_taken; /* MPI is told that it is complete */
    /* By a thread of the program's, once it is over; call->result tells what has come of it. */
    void (*settle)(struct ftc_request *r);
    void (*close)(struct ftc_request *r); /* after that, without the lock */
    struct ftc_request *next, **link;     /* of those that are over; NULL: it is none of them */
    struct ftc_request *next_known; /* of all that MPI has; kept for report = coverage alone */
};

/* False if this MPI library does not have the extension, or is one of which it is not known how it
 * uses it (mpi/inside.def, REQUESTS). */
bool ftc_request_possible(void);

/* Makes the request and begins the operation, or puts it behind others. @r and what follows it in
 * memory come from malloc() and are the request's from now on. It needs communicator_id,
 * settle, close, and @r->pending comm, call, begin and end. Returns an MPI error code. */
int ftc_request_start(struct ftc_request *r, MPI_Request *handle);

/* Whether @handle is one of these. Only with report = coverage. */
bool ftc_request_is_ours(MPI_Request handle);

/* One look at all operations, for a call that asks for @handles. */
void ftc_request_poll(int count, const MPI_Request handles[]);

#endif
