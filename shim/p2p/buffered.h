/* buffered: MPI_Bsend() and MPI_Ibsend() with setting p2p. Native MPI does not report to which
 * ranks messages in the program's buffer are on their way, and waits for dead ranks when the buffer
 * is detached. The library therefore keeps the messages in its own memory. The program's buffer
 * only limits how many messages there may be at a time. */
#ifndef FTC_P2P_BUFFERED_H
#define FTC_P2P_BUFFERED_H

#include "p2p.h"

/* Returns false with MPI 4.1, which MPICH supports from 4.2 on. There communicators have buffers
 * too, and all buffers can be flushed. The library then leaves buffered sends to native MPI. */
bool ftc_buffered_is_possible(void);

/* Notes that the program has attached a buffer of @bytes to native MPI. */
void ftc_buffered_attach(size_t bytes);

/* Waits until all messages are sent, or given up because their receivers are dead. To be called
 * before native MPI detaches the buffer. */
void ftc_buffered_detach(void);

/* Sends a message. Returns false if native MPI has to send it, or to report an error in the
 * arguments. Otherwise *@rv is the error code of the call. */
bool ftc_buffered_send(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                       MPI_Datatype datatype, int *rv);

/* As above, but sets *@is_refused when there is no room; the caller raises the error. */
bool ftc_buffered_try(const struct ftc_p2p_call *call, const void *buf, MPI_Count count,
                      MPI_Datatype datatype, int *rv, bool *is_refused);

#endif
