/* buffered: MPI_Bsend() and MPI_Ibsend() with setting p2p. Native MPI does not tell to whom what is
 * in the program's buffer is on its way, and waits for a dead rank when that is given back. So the
 * messages are in memory of the library's, and the program's buffer says only how many there may
 * be at a time. */
#ifndef FTC_P2P_BUFFERED_H
#define FTC_P2P_BUFFERED_H

#include "p2p.h"

/* False with MPI 4.1, which MPICH has from 4.2 on: there communicators have buffers, too, and all
 * can be flushed. Nothing is done here then. */
bool ftc_buffered_is_possible(void);

/* The program has given native MPI a buffer of @bytes. */
void ftc_buffered_attach(size_t bytes);

/* Before native MPI gives the buffer back: until all is sent, or given up because its receiver is
 * dead. */
void ftc_buffered_detach(void);

/* False: native MPI is to send it, or to say what is wrong. Else *@rv is the call's error code. */
bool ftc_buffered_send(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                       MPI_Datatype datatype, int *rv);

/* The same, but that there is no room, *@is_refused, the caller has to raise. */
bool ftc_buffered_try(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                      MPI_Datatype datatype, int *rv, bool *is_refused);

#endif
