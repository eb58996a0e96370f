/* p2p_calls: each point-to-point call with one peer, in the same form. It knows nothing of the
 * library under test. */
#ifndef P2P_CALLS_H
#define P2P_CALLS_H

#include <mpi.h>
#include <stdbool.h>

enum { TAG = 5, VALUE = 4711, LARGE = 1 << 20 };

struct outcome {
    int code;          /* of the call, or of the status of a call that says MPI_ERR_IN_STATUS */
    bool in_status;    /* it said so */
    bool request_gone; /* MPI_REQUEST_NULL, or the call has none */
    int value;         /* received */
    MPI_Status status;
};

struct p2p_call {
    const char *name;
    bool receives;
    bool ends_eagerly; /* once sent, natively: whether anybody takes the message or not */
    void (*make)(MPI_Comm comm, int peer, struct outcome *o);
};

/* Ends with a call without a name. */
extern const struct p2p_call p2p_calls[];

/* Not every device of MPICH's has these. */
bool p2p_call_is_in_partitions(const struct p2p_call *call);

#endif
