/* buffered_init: requests of MPI_Bsend_init() with setting p2p. Each time that one is started its
 * message is a buffered send of the library's (buffered.h). The program's handle is that of a
 * native persistent request, which sends nothing from this process to itself: so native MPI starts,
 * completes and frees it as any other. */
#ifndef FTC_P2P_BUFFERED_INIT_H
#define FTC_P2P_BUFFERED_INIT_H

#include "p2p.h"

#include <stdatomic.h>

struct ftc_bsend;

/* Whether there has been one. */
extern _Atomic bool ftc_buffered_init_is_used;

/* Notes *@request, which native MPI has made with @rv of these arguments, and puts the program's in
 * its place. It stays where messages cannot be the library's. Returns @rv. */
int ftc_buffered_init(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                      MPI_Datatype datatype, MPI_Request *request, int rv);

/* Starts the program's. After an error, which has been raised, it is not active. */
int ftc_buffered_init_start(const struct ftc_bsend *b, MPI_Request *request);

/* For one that the program frees. Its messages go on. */
void ftc_buffered_init_free(struct ftc_bsend *b);

#endif
