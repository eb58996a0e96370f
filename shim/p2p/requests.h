/* requests: notes on the ranks that the program's unfinished point-to-point requests need, and its
 * matched messages that were not received. MPI does not report these ranks, so they are noted when
 * a request is made. */
#ifndef FTC_P2P_REQUESTS_H
#define FTC_P2P_REQUESTS_H

#include "peers.h"

#include <stdbool.h>
#include <stdint.h>

/* Status of the receive half. The rest of the pair follows in memory. */
struct ftc_pair {
    MPI_Status received;
    int raised; /* error that native MPI has raised for one of the halves */
};

struct ftc_p2p_request {
    MPI_Request handle;
    int peer, tag;   /* in a broken request, peer is the dead rank that broke it */
    int failed_by;   /* dead rank that ended the request; -1: none so far */
    uint32_t serial; /* serial number of this note */
    uint64_t begun;  /* number of a receive from any source: ftc_peers_begin() */
    bool receives;
    bool persistent;
    bool partitioned; /* persistent; must not be cancelled, or freed while it is active */
    bool placeholder; /* the handle has no native operation */
    bool broken;      /* persistent; its native operation never ends */
    struct ftc_peers *peers;
    struct ftc_pair *pair;   /* pair of messages (pair.h); NULL: one message */
    struct ftc_bsend *bsend; /* buffered send that a start makes (buffered_init.h); NULL: none */
};

/* Returns whether @handle is one of those that MPICH 4.0.2 shares among all requests that were
 * complete at once: small sends, and MPI_PROC_NULL. Such requests are not noted. */
static inline bool ftc_requests_is_complete(MPI_Request handle)
{
    return (unsigned)handle >> 30 == 1;
}

/* Allocates the notes. Returns 0 or -ENOMEM. */
int ftc_requests_open(void);

/* Notes a request. Replaces the note of an earlier request with this handle. Without memory the
 * request stays native. */
void ftc_requests_add(MPI_Request handle, MPI_Comm comm, int peer, int tag, bool receives,
                      bool persistent);

/* Copies the note of @handle to @request. Returns false for requests of other kinds. */
bool ftc_requests_find(MPI_Request handle, struct ftc_p2p_request *request);

/* Stores a changed note. No effect if the request is not noted any more, or its handle was noted
 * anew. */
void ftc_requests_update(const struct ftc_p2p_request *request);

/* Removes the note of @handle, if there is one. */
void ftc_requests_remove(MPI_Request handle);

/* Returns the serial number of the last note. */
uint32_t ftc_requests_last(void);

/* Removes the note of @handle unless it is younger than @last. Native MPI may have given a handle
 * that it has freed to another thread's request. */
void ftc_requests_remove_until(MPI_Request handle, uint32_t last);

/* Returns whether the end of @handle may need a rank although nothing is noted of it. */
bool ftc_requests_is_foreign(MPI_Request handle);

#endif
