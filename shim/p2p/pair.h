/* pair: requests of MPI_Isendrecv and MPI_Isendrecv_replace. Such a request is a generalized
 * request, like those of nonblocking collectives (program/request.h). It stands for two messages
 * with requests of their own, and is complete when both have ended. */
#ifndef FTC_P2P_PAIR_H
#define FTC_P2P_PAIR_H

#include "p2p.h"

enum { FTC_PAIR_SEND, FTC_PAIR_RECEIVE, FTC_PAIR_HALVES };

/* Returns false with p2p = native, or if the MPI library has no such requests. */
bool ftc_pair_possible(void);

/* Makes *@request of the noted requests @half (requests.h), one of which is that of @receive.
 * @copy, or NULL, is the memory that is sent; it is freed when the send is over. Returns an MPI
 * error code. After an error the caller keeps @half and @copy. */
int ftc_pair_start(const struct ftc_p2p_call *receive, const MPI_Request half[FTC_PAIR_HALVES],
                   void *copy, MPI_Request *request);

/* Lets the pair make progress, for calls in which MPI does not. Returns whether it is complete. A
 * pair that has failed is noted as failed and is not complete (dead_peer.h). */
bool ftc_pair_look(struct ftc_pair *p);

/* Set once a pair has failed. */
extern _Atomic bool ftc_pair_has_failed;

#endif
