/* nonblocking: what wrappers of nonblocking collective calls have in common. */
#ifndef FTC_WRAPPERS_NONBLOCKING_H
#define FTC_WRAPPERS_NONBLOCKING_H

#include "call/call.h"
#include "p2p/p2p.h"

/* The code of a call that is carried out here. Calls that complete requests tell those of the
 * library from messages. */
static inline int ftc_wrapper_started(const struct ftc_call *call, const MPI_Request *request)
{
    if (call->result == MPI_SUCCESS)
        ftc_p2p_note_protected(*request, call->comm);
    return call->result;
}

#endif
