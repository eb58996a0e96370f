/* buffered_init: requests of MPI_Bsend_init() with setting p2p. Each time such a request is
 * started, its message is a buffered send of the library (buffered.h). The program's handle is that
 * of a native persistent request, which sends an empty message from this process to itself. Native
 * MPI can therefore start, complete and free it as any other. */
#ifndef FTC_P2P_BUFFERED_INIT_H
#define FTC_P2P_BUFFERED_INIT_H

#include "p2p.h"

#include <stdatomic.h>

struct ftc_bsend;

/* Set once there has been such a request. */
extern _Atomic bool ftc_buffered_init_is_used;

/* Notes *@request, which native MPI has made of these arguments with the error code @rv, and
 * replaces it by a handle for the program. Leaves it if the library cannot send its messages.
 * Returns @rv. */
int ftc_buffered_init(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                      MPI_Datatype datatype, MPI_Request *request, int rv);

/* Starts the program's request. After an error, which has been raised, it is not active. */
int ftc_buffered_init_start(const struct ftc_bsend *b, MPI_Request *request);

/* Frees the note of a request that the program frees. Its messages go on. */
void ftc_buffered_init_free(struct ftc_bsend *b);

#endif
