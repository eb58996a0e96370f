/* request: the MPI request of a nonblocking operation. It is a generalized request with MPICH's
 * extension: MPICH calls the library back in every call that tests or waits for it.
 *
 * MPICH 4.0.2 behaves as follows.
 *
 * MPI_Wait calls the poll function in a loop and nothing else, not even its own progress.
 * MPI_Waitall calls the wait function of one request after the other, before it checks requests of
 * other kinds. MPI_Test*, MPI_Waitany and MPI_Waitsome call the poll function and their own
 * progress. MPI_Request_get_status does not call back, so wrappers/ does that instead.
 *
 * The code that the query function returns becomes the result of the call, through the error
 * handler of MPI_COMM_WORLD, because a generalized request has no communicator.
 *
 * MPI_Request_free calls the free function at once, even before the operation is complete.
 *
 * After the wait function MPI_Waitall assumes that the request is complete. So a request is
 * completed only by the thread that asks for it or makes it. A freed request, for which no thread
 * asks, is completed by any thread. */
#ifndef FTC_PROGRAM_REQUEST_H
#define FTC_PROGRAM_REQUEST_H

#include "progress/queue.h"
#include "system/floating.h"

struct ftc_request {
    struct ftc_queued pending; /* must be first */
    MPI_Request handle;
    /* Library's number of the program's communicator, whose error handler gets the error. */
    uint64_t communicator_id;
    bool is_over;    /* the operation has its result */
    bool has_raised; /* the error is raised; MPICH asks more than once */
    /* Exceptions to raise in the call that completes the request; NULL: none. Set by settle().
     * Lives as long as the request. */
    struct ftc_floating *floating;
    char *error_text; /* MPI_MAX_ERROR_STRING bytes; NULL: no error */
    /* Number of its owners: the completing thread and the free function. The last one frees it. */
    _Atomic int holders;
    _Atomic bool is_freed; /* the program has freed its handle */
    _Atomic bool is_taken; /* chosen for completion in MPI */
    /* Called by a thread of the program once the operation is over. Afterwards pending.call->result
     * is the result of the call. */
    void (*settle)(struct ftc_request *r);
    void (*close)(struct ftc_request *r); /* called after settle(), without the lock */
    struct ftc_request *next, **link;     /* list of those that are over; NULL link: not in it */
    struct ftc_request *next_known;       /* list of all; for report = coverage only */
};

/* Returns whether this MPI library has the extension and uses it in a known way (mpi/inside.def,
 * REQUESTS). */
bool ftc_request_possible(void);

/* Makes the request and begins its operation, or queues it after others. @r and the data that
 * follow it must come from malloc(); the request owns them from now on. The caller sets
 * communicator_id, settle, close, and of @r->pending comm, call, begin and end. Returns an MPI
 * error code. */
int ftc_request_start(struct ftc_request *r, MPI_Request *handle);

/* Returns whether @handle is such a request. Only with report = coverage. */
bool ftc_request_is_ours(MPI_Request handle);

/* Advances all operations once, and completes those of @handles, and the freed ones, that are over.
 * NULL: no handles. */
void ftc_request_poll(int count, const MPI_Request handles[]);

#endif
