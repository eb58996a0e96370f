/* dead_peer: the end of a request whose peer is dead. */
#ifndef FTC_P2P_DEAD_PEER_H
#define FTC_P2P_DEAD_PEER_H

#include "requests.h"

/* Returns whether @r has failed, now or before: its peer is dead, and native MPI cannot complete
 * it, even after the turns that it needs to receive all that the peer had sent. If false, @r is
 * unchanged, and native MPI has to test it once more. */
bool ftc_dead_fails(struct ftc_p2p_request *r);

/* Ends a failed request. *@handle is MPI_REQUEST_NULL then, unless the request is persistent. */
void ftc_dead_finish(struct ftc_p2p_request *r, MPI_Request *handle);

/* Sets @status, except for its MPI_ERROR, to that of a receive from MPI_PROC_NULL. */
void ftc_dead_empty(MPI_Status *status);

/* Fills @status according to the setting, except for MPI_ERROR, and makes the error of @r in the
 * call @name. Returns its code; MPI_SUCCESS with p2p = ignore. An error that native MPI has raised
 * is only returned. */
int ftc_dead_result(const char *name, const struct ftc_p2p_request *r, MPI_Status *status);

/* Returns the dead rank because of which a call that names @peer of @comm fails, or -1. */
int ftc_dead_culprit(MPI_Comm comm, int peer);

/* As above, but for a probe that has found nothing. If a rank is dead, first calls @found, which
 * probes again with @context, until native MPI has received all that dead ranks had sent. Returns
 * -1 if @found returns true. */
int ftc_dead_culprit_of_probe(MPI_Comm comm, int peer, bool (*found)(void *), void *context);

/* Returns the dead rank that request @r needs, or -1. The request may have its message already. */
int ftc_dead_culprit_of(const struct ftc_p2p_request *r);

/* Lets native MPI receive all that dead ranks had sent to this rank. */
void ftc_dead_take_in(void);

#endif
