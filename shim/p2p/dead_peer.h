/* dead_peer: how a request ends whose peer is dead. */
#ifndef FTC_P2P_DEAD_PEER_H
#define FTC_P2P_DEAD_PEER_H

#include "requests.h"

/* True if @r has failed, now or before: its peer is dead, and native MPI, which gets the turns to
 * take in everything that the peer had sent, cannot complete it. Leaves it as it was otherwise;
 * then native MPI is to look at it once more. */
bool ftc_dead_fails(struct ftc_p2p_request *r);

/* Gives a failed request up. *@handle is MPI_REQUEST_NULL then, unless it is persistent. */
void ftc_dead_finish(struct ftc_p2p_request *r, MPI_Request *handle);

/* The status of a receive from MPI_PROC_NULL, but for MPI_ERROR, which stays as it is. */
void ftc_dead_empty(MPI_Status *status);

/* Fills @status as the setting says, but for MPI_ERROR, and makes the error of @r in the call
 * @name. MPI_SUCCESS with p2p = ignore. An error that native MPI has raised is only returned. */
int ftc_dead_result(const char *name, const struct ftc_p2p_request *r, MPI_Status *status);

/* The rank because of which a call that names @peer of @comm fails, or -1. */
int ftc_dead_culprit(MPI_Comm comm, int peer);

/* The same as ftc_dead_culprit() for a probe that has found nothing: calls native MPI until all
 * that dead ranks had sent is taken in, and @found says that something is there. */
int ftc_dead_culprit_of_probe(MPI_Comm comm, int peer, bool (*found)(void *), void *context);

/* Lets native MPI take in all that dead ranks had sent to this one. */
void ftc_dead_take_in(void);

#endif
