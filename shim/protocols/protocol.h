/* protocol: how a call goes on whose protocol takes several operations (setting large):
 * pipelined.h, segmented.h, or rounds.h. */
#ifndef FTC_PROTOCOLS_PROTOCOL_H
#define FTC_PROTOCOLS_PROTOCOL_H

#include "collective.h"
#include "progress/loop.h"

/* The steps of a call in such a protocol. @state is what the protocol keeps of the call. */
struct ftc_protocol_steps {
    /* Begins with the call of @plan, which stays until the end. */
    void (*open)(void *state, struct ftc_plan *plan);
    /* Fills @request with the next operation. Lack of memory for the data is in what this rank
     * gives. Without memory for the operation itself there is no contribution. */
    void (*request)(void *state, struct ftc_loop_request *request);
    /* Takes the result of that operation. Returns an MPI error code; plan->is_again tells whether
     * another operation follows. */
    int (*after)(void *state);
    /* Ends the call, with a result or without. The data that it has taken stay until free(). */
    void (*close)(void *state);
    void (*free)(void *state); /* NULL: nothing stays */
};

#endif
