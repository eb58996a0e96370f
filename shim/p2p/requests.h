/* requests: what the program's unfinished point-to-point requests, and the messages it has matched
 * but not received, need. MPI does not tell, so it is noted when they are made. */
#ifndef FTC_P2P_REQUESTS_H
#define FTC_P2P_REQUESTS_H

#include "peers.h"

#include <stdbool.h>
#include <stdint.h>

/* Of the two the one that is received; what else a pair has follows it in memory. */
struct ftc_pair {
    MPI_Status received;
    int told; /* error that native MPI has raised for one of the two */
};

struct ftc_p2p_request {
    MPI_Request handle;
    int peer, tag;   /* of a broken one the peer that broke it */
    int failed_by;   /* dead rank that ended it; -1: nobody so far */
    uint32_t serial; /* of this note */
    uint64_t begun;  /* of a receive from any source: ftc_peers_begin() */
    bool receives;
    bool persistent;
    bool partitioned; /* persistent, and not to be cancelled, nor freed while it is active */
    bool placeholder; /* nothing native stands behind the handle */
    bool broken;      /* persistent, and what is native in it never ends */
    struct ftc_peers *peers;
    struct ftc_pair *pair;   /* it is one of two messages (pair.h); NULL: of one */
    struct ftc_bsend *bsend; /* what is sent when it is started (buffered_init.h); NULL: its own */
};

/* True for the handles that MPICH 4.0.2 has once for all requests that were complete at once: small
 * messages that are sent, MPI_PROC_NULL. Nothing is noted of them. */
static inline bool ftc_requests_is_complete(MPI_Request handle)
{
    return (unsigned)handle >> 30 == 1;
}

/* 0 or -ENOMEM. */
int ftc_requests_open(void);

/* Notes a request, in place of what is known of an earlier one with this handle; what needs memory
 * that is not there stays native. */
void ftc_requests_add(MPI_Request handle, MPI_Comm comm, int peer, int tag, bool receives,
                      bool persistent);

/* False for requests of other kinds. */
bool ftc_requests_find(MPI_Request handle, struct ftc_p2p_request *request);

/* Nothing happens if it is not known. */
void ftc_requests_update(const struct ftc_p2p_request *request);

void ftc_requests_remove(MPI_Request handle);

/* The serial number of the last note. */
uint32_t ftc_requests_last(void);

/* The same unless the note is younger than @last: native MPI may have given a handle that it has
 * freed to another thread's request. */
void ftc_requests_remove_until(MPI_Request handle, uint32_t last);

/* True if the end of @handle may need a rank although nothing is noted of it. */
bool ftc_requests_is_foreign(MPI_Request handle);

#endif
