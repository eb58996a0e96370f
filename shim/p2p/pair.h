/* pair: the request of MPI_Isendrecv and MPI_Isendrecv_replace: a generalized one, as those of
 * nonblocking collectives (program/request.h), of two messages that are requests of their own. It
 * is over when both have ended. */
#ifndef FTC_P2P_PAIR_H
#define FTC_P2P_PAIR_H

#include "p2p.h"

enum { FTC_PAIR_SEND, FTC_PAIR_RECEIVE, FTC_PAIR_HALVES };

/* False if p2p = native, or this MPI library has no such requests. */
bool ftc_pair_possible(void);

/* Of the requests @half, noted (requests.h), one of which is that of @receive. @copy, or NULL, is
 * what is sent, and given back when that is over. Returns an MPI error code. */
int ftc_pair_start(const struct ftc_p2p_call *receive, const MPI_Request half[FTC_PAIR_HALVES],
                   void *copy, MPI_Request *request);

/* Goes on with it, for calls in which MPI does not; true if it is complete. One that has failed is
 * noted so, and not complete: dead_peer.h. */
bool ftc_pair_look(struct ftc_pair *p);

/* Whether any has. */
extern _Atomic bool ftc_pair_has_failed;

#endif
